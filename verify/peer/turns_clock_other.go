//go:build !linux

package peer

// threadSeconds would be the CPU time of the calling thread; 0 says that nobody knows.
func threadSeconds() float64 { return 0 }
