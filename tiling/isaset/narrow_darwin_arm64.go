package isaset

import (
	"sync"
	"syscall"
)

// hasBF16 asks by Apple's name for the feature, which macOS has had since 13: Apple, "Determining
// Instruction Set Characteristics". Earlier ones do not know the name, and the answer is no.
var hasBF16 = sync.OnceValue(func() bool {
	n, err := syscall.SysctlUint32("hw.optional.arm.FEAT_BF16")
	return err == nil && n > 0
})

// hasI8MM adds nothing to what golang.org/x/sys/cpu reads.
func hasI8MM() bool { return false }
