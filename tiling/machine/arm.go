package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Who designed a core of Arm's architecture, by the code in its register MIDR_EL1, as Linux writes
// it: DDI 0487, "MIDR_EL1". It is the vendor of a [CPU], and the number of the part the model.
const (
	arm       = "0x41"
	qualcomm  = "0x51"
	apple     = "0x61"
	microsoft = "0x6d"
)

// armFamily is the family of all such cores: Linux's line "CPU architecture", which is always 8.
const armFamily = 8

// midr reads a processor from MIDR_EL1: bits 31 to 24 have the designer, 15 to 4 the part. Variant
// and revision, in the others, do not change how fast a core is.
func midr(register uint64) CPU {
	if register>>24&0xff == 0 {
		return CPU{}
	}
	return CPU{fmt.Sprintf("%#02x", register>>24&0xff), armFamily, int(register >> 4 & 0xfff)}
}

// cpus is where Linux describes processors.
const cpus = "/sys/devices/system/cpu/"

// armCPU reads which core the processor of that number is, from files as Linux has them. The file
// with MIDR_EL1 is since Linux 4.7, but some sandboxes hide it.
func armCPU(file func(name string) ([]byte, error), number int) CPU {
	text, err := file(fmt.Sprintf("%scpu%d/regs/identification/midr_el1", cpus, number))
	if err == nil {
		if register, err := strconv.ParseUint(strings.TrimSpace(string(text)), 0, 64); err == nil {
			return midr(register)
		}
	}
	if text, err = file("/proc/cpuinfo"); err != nil {
		return CPU{}
	}
	return armInfo(string(text), number)
}

// armInfo reads the processor of that number from the text of /proc/cpuinfo. A text with other
// lines than Arm's, as emulators of single programs show it, is of nobody that is known.
func armInfo(text string, number int) CPU {
	for one := range strings.SplitSeq("\n"+text, "\nprocessor") {
		_, n, _ := strings.Cut(one, ":")
		n, rest, _ := strings.Cut(n, "\n")
		if strings.TrimSpace(n) == strconv.Itoa(number) && strings.Contains(rest, "CPU implementer") {
			return cpuinfo(rest)
		}
	}
	return CPU{}
}

// fastProcessors returns the number of the first of the fast processors, and how many are fast, 0 if
// Linux does not say. Fast are those that do three quarters or more of what the fastest does: Linux,
// Documentation/devicetree/bindings/cpu/cpu-capacity.txt. A slower one would hold the others up,
// since each takes the same part of a product.
func fastProcessors(file func(name string) ([]byte, error)) (first, count int) {
	var all []int
	most := 0
	for len(all) < 1<<12 {
		text, err := file(fmt.Sprintf("%scpu%d/cpu_capacity", cpus, len(all)))
		n, bad := strconv.Atoi(string(bytes.TrimSpace(text)))
		if err != nil || bad != nil {
			break
		}
		all = append(all, n)
		most = max(most, n)
	}
	for i := len(all) - 1; i >= 0; i-- {
		if 4*all[i] >= 3*most {
			count++
		}
		if all[i] == most {
			first = i
		}
	}
	return first, count
}

// appleCPU is a processor by the number that macOS has for its family, hw.cpufamily, of which
// model is the lower half: mach/machine.h of Apple's XNU. It is another one in each generation,
// and macOS does not show MIDR_EL1.
func appleCPU(family uint32) CPU {
	if family == 0 {
		return CPU{}
	}
	return CPU{apple, int(family >> 16), int(family & 0xffff)}
}

// appleCaches lists the caches of fast cores that macOS tells, by the number of a name. How many
// ways they have it does not tell.
func appleCaches(number func(name string) int) (list []cache) {
	for level, name := range []string{"l1dcachesize", "l2cachesize"} {
		c := cache{level: level + 1, size: number("hw.perflevel0." + name), sharers: 1}
		if level > 0 {
			c.sharers = max(1, number("hw.perflevel0.cpusperl2"))
		}
		if c.size > 0 && c.size <= mostCache {
			list = append(list, c)
		}
	}
	return list
}

// sysctlNumber is what bytes of macOS say, which has numbers of 4 and of 8; 0 if it is no number,
// or none that an int of 32 bits holds.
func sysctlNumber(b []byte) int {
	var n uint64
	switch len(b) {
	case 4:
		n = uint64(binary.LittleEndian.Uint32(b))
	case 8:
		n = binary.LittleEndian.Uint64(b)
	}
	if n > 1<<31-1 {
		return 0
	}
	return int(n)
}
