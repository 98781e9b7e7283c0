package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// A CPU says which processor one is, as CPUID does: the vendor's name for itself, family
// and model. For a core of Arm's architecture these are the code of the designer, 8, and the
// number of the part. Of one of Apple's, macOS tells the halves of another number; see appleCPU.
// The zero CPU is one that nobody knows.
type CPU struct {
	Vendor string `json:"vendor"`
	Family int    `json:"family"`
	Model  int    `json:"model"`
}

// String says vendor, family and model, or that the processor is unknown.
func (c CPU) String() string {
	if c == (CPU{}) {
		return "an unknown processor"
	}
	return fmt.Sprintf("%s family %d model %d", c.Vendor, c.Family, c.Model)
}

// leaves is the instruction CPUID, or what it was recorded to return.
type leaves func(leaf, sub uint32) (a, b, c, d uint32)

// cpu reads the processor. Intel SDM volume 2, CPUID, leaves 0 and 1; AMD APM volume 3,
// appendix E.3.
func (id leaves) cpu() CPU {
	_, b, c, d := id(0, 0)
	var vendor []byte
	for _, x := range []uint32{b, d, c} {
		vendor = append(vendor, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	a, _, _, _ := id(1, 0)
	family, model := int(a>>8&15), int(a>>4&15)
	if family == 6 || family == 15 {
		model += int(a >> 16 & 15 << 4)
	}
	if family == 15 {
		family += int(a >> 20 & 255)
	}
	return CPU{strings.TrimRight(string(vendor), "\x00"), family, model}
}

// A cache is what a machine says of one of its caches.
type cache struct{ level, size, ways, sharers int }

// caches lists the data caches: leaf 4, or 0x8000001D where AMD's topology extensions
// are. Intel SDM volume 2, CPUID, leaf 4; AMD APM volume 3, E.4.15.
func (id leaves) caches() (list []cache) {
	leaf := uint32(4)
	if most, _, _, _ := id(0x80000000, 0); most >= 0x8000001D {
		if _, _, c, _ := id(0x80000001, 0); c>>22&1 == 1 {
			leaf = 0x8000001D
		}
	}
	if most, _, _, _ := id(0, 0); leaf == 4 && most < 4 {
		return nil
	}
	for i := range uint32(8) {
		a, b, c, _ := id(leaf, i)
		kind := a & 31
		if kind == 0 {
			break
		}
		if kind == 2 { // of instructions
			continue
		}
		line, parts, ways, sets := int(b&0xfff)+1, int(b>>12&0x3ff)+1, int(b>>22)+1, int64(c)+1
		size := int64(line) * int64(parts) * int64(ways) * sets
		if size > mostCache {
			continue
		}
		list = append(list, cache{int(a >> 5 & 7), int(size), ways, int(a>>14&0xfff) + 1})
	}
	return list
}

// mostCache is more bytes than a cache has, and few enough for an int of 32 bits.
const mostCache = 1 << 30

// cpuinfo reads the processor from Linux's /proc/cpuinfo, as x86 and Arm write it.
func cpuinfo(text string) CPU {
	var c CPU
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		n, err := strconv.ParseInt(value, 0, 32)
		switch strings.TrimSpace(key) {
		case "": // the first processor ends here
			if c.Vendor != "" {
				return c
			}
		case "vendor_id", "CPU implementer":
			c.Vendor = value
		case "cpu family", "CPU architecture":
			if err == nil {
				c.Family = int(n)
			}
		case "model", "CPU part":
			if err == nil {
				c.Model = int(n)
			}
		}
	}
	return c
}
