package peer_test

import "golang.org/x/sys/unix"

// cpuSeconds is the CPU time of this process, all threads. Unlike getrusage it does not
// wait for a tick.
func cpuSeconds() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return float64(t.Nano()) / 1e9
}
