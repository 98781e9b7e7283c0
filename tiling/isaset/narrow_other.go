//go:build !arm64 || !(linux || darwin || windows)

package isaset

// Of other systems none has been tried, and other architectures have neither.
func hasBF16() bool { return false }
func hasI8MM() bool { return false }
