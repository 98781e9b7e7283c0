package isaset

import (
	"sync"

	"golang.org/x/sys/unix"
)

// hasBF16 is no where the bits cannot be read.
var hasBF16 = sync.OnceValue(func() bool {
	vector, _ := unix.Auxv()
	for _, entry := range vector {
		if entry[0] == hwcap2 {
			return bf16Of(uint64(entry[1]))
		}
	}
	return false
})

// hasI8MM adds nothing to what golang.org/x/sys/cpu reads.
func hasI8MM() bool { return false }
