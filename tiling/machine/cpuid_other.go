//go:build (!amd64 || noasm || purego) && !(arm64 && (linux || darwin || windows))

package machine

import "os"

// hostCPU reads what Linux reports. Other systems have no such file, and the processor
// is unknown.
func hostCPU() CPU {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return CPU{}
	}
	return cpuinfo(string(text))
}

// hostCaches lists none: only CPUID knows them.
func hostCaches() ([]cache, string) { return nil, "CPUID" }

// fastCores says nothing: all are taken to be equal.
func fastCores() (first, count int) { return 0, 0 }
