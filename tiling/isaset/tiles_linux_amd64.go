package isaset

import (
	"sync"
	"syscall"
)

// tiles asks Linux, once for the process, to let it use the registers for tiles, and reports
// whether it may. Linux, Documentation/arch/x86/xstate.rst: arch_prctl with
// ARCH_REQ_XCOMP_PERM for the state component 18, the data of tiles. The answer is no on
// Linux before 5.16, where hypervisors hide tiles, and if a thread's signal stack is too
// small for them; Go's have room.
var tiles = sync.OnceValue(func() bool {
	const request, tileData = 0x1023, 18
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, request, tileData, 0)
	return errno == 0
})
