package comm

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// allowed is the processors that this process may run on;
// "" if nobody knows.
func allowed() string {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return ""
	}
	var b strings.Builder
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			b.WriteString(" " + strconv.Itoa(cpu))
		}
	}
	return b.String()
}
