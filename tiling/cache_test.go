package tiling

import (
	"fmt"
	"testing"
	"testing/fstest"
)

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int // 0: refused
	}{
		{"48K", 48 << 10}, {"32768K", 32 << 20}, {"32M", 32 << 20}, {"64", 64},
		{"", 0}, {"K", 0}, {"M", 0}, {"0K", 0}, {"-1K", 0}, {"1.5M", 0}, {"32G", 0}, {"x", 0}, {"99999999999999999999K", 0},
		{"9223372036854775807M", 0}, // would overflow
	} {
		if n, ok := parseSize(c.s); ok != (c.want != 0) || ok && n != c.want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", c.s, n, ok, c.want)
		}
	}
}

// sysfs makes a folder like Linux's from lines of "level type size".
func sysfs(entries ...[3]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i, e := range entries {
		for j, name := range []string{"level", "type", "size"} {
			if e[j] != "" {
				fs[fmt.Sprintf("index%d/%s", i, name)] = &fstest.MapFile{Data: []byte(e[j] + "\n")}
			}
		}
	}
	return fs
}

func TestReadCaches(t *testing.T) {
	for _, c := range []struct {
		what string
		fs   fstest.MapFS
		want Caches
	}{
		{"no files", sysfs(), typical},
		{"server", sysfs([3]string{"1", "Data", "48K"}, [3]string{"1", "Instruction", "32K"}, [3]string{"2", "Unified", "2048K"}, [3]string{"3", "Unified", "107520K"}),
			Caches{48 << 10, 2 << 20, 105 << 20}},
		{"instructions last", sysfs([3]string{"1", "Data", "48K"}, [3]string{"1", "Instruction", "64K"}), Caches{48 << 10, typical.L2, typical.L3}},
		{"no third level", sysfs([3]string{"1", "Data", "64K"}, [3]string{"2", "Unified", "1M"}), Caches{64 << 10, 1 << 20, typical.L3}},
		{"an unreadable size", sysfs([3]string{"1", "Data", "?"}, [3]string{"2", "Unified", "1M"}), Caches{typical.L1, 1 << 20, typical.L3}},
		{"a missing size", sysfs([3]string{"1", "Data", ""}, [3]string{"3", "Unified", "16M"}), Caches{typical.L1, typical.L2, 16 << 20}},
		{"a fourth level", sysfs([3]string{"4", "Unified", "128M"}, [3]string{"1", "Data", "32K"}), Caches{32 << 10, typical.L2, typical.L3}},
		{"an entry without level ends the list", sysfs([3]string{"", "Data", "8K"}, [3]string{"1", "Data", "64K"}), typical},
	} {
		if got := readCaches(c.fs); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	if c := MachineCaches(); c.L1 <= 0 || c.L2 <= 0 || c.L3 <= 0 {
		t.Errorf("this machine: %+v", c)
	}
}
