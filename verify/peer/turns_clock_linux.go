package peer

import "golang.org/x/sys/unix"

// threadSeconds is the CPU time of the calling thread.
func threadSeconds() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return float64(t.Nano()) / 1e9
}
