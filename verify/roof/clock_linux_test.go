package roof_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// seconds returns the processor time that f takes, so that a program that runs
// meanwhile spoils no more than the caches.
func seconds(f func()) float64 {
	var from, to unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &from) != nil {
		start := time.Now()
		f()
		return time.Since(start).Seconds()
	}
	f()
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &to)
	return float64(to.Nano()-from.Nano()) / 1e9
}
