package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// sysfs is where Linux describes the caches of the processor of that number.
func sysfs(number int) string { return fmt.Sprintf("%scpu%d/cache", cpus, number) }

// readCaches lists the data caches that a directory like [sysfs] describes, whose files file
// returns by name, and says what of them it cannot believe.
func readCaches(file func(name string) ([]byte, error)) (list []cache, odd string) {
	for i := 0; i < 16; i++ {
		read := func(name string) string {
			b, err := file("index" + strconv.Itoa(i) + "/" + name)
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		level := read("level")
		if level == "" {
			break
		}
		if read("type") == "Instruction" {
			continue
		}
		c := cache{sharers: sharers(read("shared_cpu_list"))}
		var ok bool
		if c.size, ok = parseSize(read("size")); !ok {
			odd = fmt.Sprintf("its L%.10s has %.20q bytes", level, read("size"))
			continue
		}
		c.level, _ = strconv.Atoi(level)
		c.ways, _ = strconv.Atoi(read("ways_of_associativity"))
		list = append(list, c)
	}
	return list, odd
}

// parseSize reads "48K", "32768K" or "32M".
func parseSize(s string) (bytes int, ok bool) {
	unit := 1
	if n, ok := strings.CutSuffix(s, "K"); ok {
		s, unit = n, 1<<10
	} else if n, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = n, 1<<20
	}
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || n > mostCache/unit {
		return 0, false
	}
	return n * unit, true
}

// sharers counts a list of processors as Linux writes it, "0-3,8"; one if it says none.
func sharers(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, ok := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		hi := lo
		if ok {
			if hi, err = strconv.Atoi(last); err != nil || hi < lo || hi-lo > 1<<16 {
				continue
			}
		}
		n += hi - lo + 1
	}
	return max(n, 1)
}
