package tiling

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
)

// KCMax is the depth up to which a product is summed in one go: with it the cost
// of storing and reloading C between k-blocks is 1/KCMax per multiply, and a panel
// of B of KCMax rows is a small part of L2.
const KCMax = 1024

// Caches holds the sizes of the data caches that one core can use, in bytes.
type Caches struct{ L1, L2, L3 int }

// typical is assumed where the machine does not say: what the server cores of the
// last decade have at least.
var typical = Caches{32 << 10, 512 << 10, 8 << 20}

// MachineCaches returns the caches of this machine, read on first use from Linux's
// /sys/devices/system/cpu; elsewhere, and for levels it does not list, typical
// values. A level shared by several cores counts whole.
var MachineCaches = sync.OnceValue(func() Caches {
	return readCaches(os.DirFS("/sys/devices/system/cpu/cpu0/cache"))
})

func readCaches(dir fs.FS) Caches {
	c := typical
	for i := 0; ; i++ {
		read := func(name string) string {
			b, err := fs.ReadFile(dir, "index"+strconv.Itoa(i)+"/"+name)
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		level := read("level")
		if level == "" {
			return c
		}
		n, ok := parseSize(read("size"))
		if read("type") == "Instruction" || !ok {
			continue
		}
		switch level {
		case "1":
			c.L1 = n
		case "2":
			c.L2 = n
		case "3":
			c.L3 = n
		}
	}
}

// parseSize reads "48K" or "32768K" or "32M".
func parseSize(s string) (int, bool) {
	unit := 1
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "KM"))
	return n * unit, err == nil && n > 0 && n < 1<<20
}
