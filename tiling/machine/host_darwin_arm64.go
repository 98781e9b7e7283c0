package machine

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// fastCores counts the performance cores, which are level 0: Apple, "Addressing Architectural
// Differences in Your macOS Code".
func fastCores() (first, count int) { return 0, sysctl("hw.perflevel0.physicalcpu") }

func hostCPU() CPU {
	family, _ := syscall.SysctlUint32("hw.cpufamily")
	return appleCPU(family)
}

func hostCaches() ([]cache, string) { return appleCaches(sysctl), "sysctl" }

// sysctl is a number of macOS by its name, 0 if it has none.
func sysctl(name string) int {
	b, _ := unix.SysctlRaw(name)
	return sysctlNumber(b)
}
