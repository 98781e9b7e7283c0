package sweep

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is how long all threads of this process have run; false if nobody says.
func processTime() (time.Duration, bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
