//go:build amd64 && !noasm && !purego

package machine

// cpuid is the instruction CPUID.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func hostCPU() CPU { return leaves(cpuid).cpu() }

func hostCaches() ([]cache, string) { return leaves(cpuid).caches(), "CPUID" }

// fastCores says nothing: all are taken to be equal.
func fastCores() (first, count int) { return 0, 0 }
