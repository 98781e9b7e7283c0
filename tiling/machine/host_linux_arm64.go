package machine

import "sync"

// fastCores is [fastProcessors] of this machine.
var fastCores = sync.OnceValues(func() (first, count int) { return fastProcessors(contents) })

// hostCPU is the first of the fast cores, wherever the program runs just now.
func hostCPU() CPU {
	first, _ := fastCores()
	return armCPU(contents, first)
}

// hostCaches lists none: sysfs has them.
func hostCaches() ([]cache, string) { return nil, "" }
