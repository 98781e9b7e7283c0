//go:build !linux

package roof_test

import "time"

// seconds returns the time that f takes.
func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}
