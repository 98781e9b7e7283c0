package level

import (
	"os"
	"runtime/debug"
)

// Tests make much garbage on small heaps, and collecting it takes a seventh of their time. Unless you set GOGC, heaps
// grow to five times what is used before it is collected, while they are small. Long runs collect as programs do: they
// look for memory that is used after it was freed.
func init() {
	if os.Getenv("GOGC") == "" && !Long() {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(1 << 30) // from here on it is collected as often as it takes
	}
}
