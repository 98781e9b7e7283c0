//go:build amd64 && !noasm && !purego

package machine

// cpuid is the instruction CPUID.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func hostCPU() CPU        { return leaves(cpuid).cpu() }
func hostCaches() []cache { return leaves(cpuid).caches() }
