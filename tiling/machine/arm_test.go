package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// armText is what Linux has in /proc/cpuinfo for processors of these parts of Arm's.
func armText(parts ...int) string {
	var b strings.Builder
	for i, part := range parts {
		fmt.Fprintf(&b, "processor\t: %d\nBogoMIPS\t: 54.00\nFeatures\t: fp asimd evtstrm aes crc32 cpuid asimdrdm asimddp\n"+
			"CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: %#x\nCPU revision\t: 0\n\n", i, part)
	}
	return b.String()
}

// linux is a file system by the names of files, which have a line each, or the text of /proc/cpuinfo.
func linux(files map[string]string) func(name string) ([]byte, error) {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return func(name string) ([]byte, error) {
		if !strings.HasPrefix(name, "/") {
			return nil, errors.New("a name without a root: " + name)
		}
		return fs.ReadFile(name[1:])
	}
}

// TestARMCPU: which core a processor of Linux is, by the register, or else by the list of processors.
func TestARMCPU(t *testing.T) {
	const register = "sys/devices/system/cpu/cpu%d/regs/identification/midr_el1"
	at := func(n int) string { return fmt.Sprintf(register, n) }
	phone := armText(0xd05, 0xd05, 0xd41, 0xd44)
	for _, c := range []struct {
		what   string
		files  map[string]string
		number int
		want   CPU
	}{
		{"Altra", map[string]string{at(0): "0x00000000413fd0c1\n", "proc/cpuinfo": armText(0xd08)}, 0, CPU{arm, 8, 0xd0c}},
		{"Cobalt", map[string]string{at(0): "0x000000006d0fd490\n"}, 0, CPU{microsoft, 8, 0xd49}},
		{"M1 with Linux", map[string]string{at(0): "0x00000000611f0221\n", at(4): "0x00000000611f0231\n"}, 4, CPU{apple, 8, 0x23}},
		{"Oryon", map[string]string{at(0): "0x00000000512f0011\n"}, 0, CPU{qualcomm, 8, 1}},
		{"no registers", map[string]string{"proc/cpuinfo": armText(0xd08, 0xd08)}, 1, CPU{arm, 8, 0xd08}},
		{"a register that is no number", map[string]string{at(0): "none\n", "proc/cpuinfo": armText(0xd0b)}, 0, CPU{arm, 8, 0xd0b}},
		{"a register of zeros", map[string]string{at(0): "0x0\n"}, 0, CPU{}},
		{"a phone", map[string]string{"proc/cpuinfo": phone}, 2, CPU{arm, 8, 0xd41}},
		{"its first", map[string]string{"proc/cpuinfo": phone}, 0, CPU{arm, 8, 0xd05}},
		{"a processor that is not there", map[string]string{"proc/cpuinfo": phone}, 4, CPU{}},
		{"text cut short", map[string]string{"proc/cpuinfo": phone[:40]}, 0, CPU{}},
		{"an emulator that shows its host", map[string]string{"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"}, 0, CPU{}},
		{"nothing", nil, 0, CPU{}},
	} {
		if have := armCPU(linux(c.files), c.number); have != c.want {
			t.Errorf("%s: %v, want %v", c.what, have, c.want)
		}
	}
}

// TestFastProcessors: slow processors do not count, and the caches are those of a fast one.
func TestFastProcessors(t *testing.T) {
	for _, c := range []struct {
		what         string
		capacities   []string
		first, count int
	}{
		{"a server says nothing", nil, 0, 0},
		{"all alike", []string{"1024", "1024", "1024", "1024"}, 0, 4},
		{"slow ones first", []string{"530", "530", "530", "530", "1024", "1024"}, 4, 2},
		{"one that is fastest, three nearly so", []string{"1024", "905", "905", "905", "325", "325"}, 0, 4},
		{"the fastest is last", []string{"250", "870", "870", "1024"}, 3, 3},
		{"no number", []string{"1024", "fast"}, 0, 1},
	} {
		files := map[string]string{}
		for i, text := range c.capacities {
			files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpu_capacity", i)] = text + "\n"
		}
		if first, count := fastProcessors(linux(files)); first != c.first || count != c.count {
			t.Errorf("%s: from %d on there are %d, want %d and %d", c.what, first, count, c.first, c.count)
		}
	}
}

// TestApple: processors and caches as macOS describes them, in numbers of 4 and of 8 bytes.
func TestApple(t *testing.T) {
	for family, want := range map[uint32]CPU{0: {}, 0x1b588bb3: {apple, 0x1b58, 0x8bb3}, 0xfa33415e: {apple, 0xfa33, 0x415e}} {
		if have := appleCPU(family); have != want {
			t.Errorf("family %#x: %v, want %v", family, have, want)
		}
	}
	for _, c := range []struct {
		what   string
		sysctl map[string]int
		want   []cache
	}{
		{"M1", map[string]int{"hw.perflevel0.l1dcachesize": 131072, "hw.perflevel0.l2cachesize": 12582912, "hw.perflevel0.cpusperl2": 4, "hw.perflevel1.l2cachesize": 4194304},
			[]cache{{1, 128 << 10, 0, 1}, {2, 12 << 20, 0, 4}}},
		{"no word of sharing", map[string]int{"hw.perflevel0.l1dcachesize": 131072, "hw.perflevel0.l2cachesize": 16777216}, []cache{{1, 128 << 10, 0, 1}, {2, 16 << 20, 0, 1}}},
		{"an old system", map[string]int{"hw.l1dcachesize": 65536}, nil},
		{"too much", map[string]int{"hw.perflevel0.l2cachesize": 1<<30 + 1}, nil},
	} {
		if have := appleCaches(func(name string) int { return c.sysctl[name] }); !slices.Equal(have, c.want) {
			t.Errorf("%s: %v, want %v", c.what, have, c.want)
		}
	}
	for _, c := range []struct {
		bytes []byte
		want  int
	}{
		{nil, 0}, {[]byte{4, 0, 0, 0}, 4}, {[]byte{0, 0, 2, 0, 0, 0, 0, 0}, 131072}, {[]byte("Apple M1"), 0},
		{[]byte{255, 255, 255, 255}, 0}, {[]byte{1, 2}, 0},
	} {
		if have := sysctlNumber(c.bytes); have != c.want {
			t.Errorf("%v: %d, want %d", c.bytes, have, c.want)
		}
	}
}
