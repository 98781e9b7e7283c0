//go:build !linux

package sweep

import "time"

// processTime is how long all threads of this process have run; false if nobody says.
func processTime() (time.Duration, bool) { return 0, false }
