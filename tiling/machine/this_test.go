package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// index is one cache as sysfs describes it.
func index(fs fstest.MapFS, i, level, kind, size, ways, shared string) {
	for name, text := range map[string]string{"level": level, "type": kind, "size": size, "ways_of_associativity": ways, "shared_cpu_list": shared} {
		if text != "" {
			fs["index"+i+"/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
}

// system is the caches of an EPYC 9004 with one size of L2.
func system(l2 string) fstest.MapFS {
	fs := fstest.MapFS{}
	index(fs, "0", "1", "Data", "32K", "8", "0-1")
	index(fs, "1", "1", "Instruction", "64K", "8", "0-1")
	index(fs, "2", "2", "Unified", l2, "8", "0,8")
	index(fs, "3", "3", "Unified", "32M", "16", "0-7,16-23")
	return fs
}

func TestReadCaches(t *testing.T) {
	for _, c := range []struct {
		what string
		fs   fstest.MapFS
		want []cache
		odd  string
	}{
		{"a server", system("1024K"), []cache{{1, 32 << 10, 8, 2}, {2, 1 << 20, 8, 2}, {3, 32 << 20, 16, 16}}, ""},
		{"none", fstest.MapFS{}, nil, ""},
		{"a size below nothing", system("-5K"), []cache{{1, 32 << 10, 8, 2}, {3, 32 << 20, 16, 16}}, `its L2 has "-5K" bytes`},
		{"no size", system(""), []cache{{1, 32 << 10, 8, 2}, {3, 32 << 20, 16, 16}}, `its L2 has "" bytes`},
		{"a size beyond int", system("99999999999999999999K"), []cache{{1, 32 << 10, 8, 2}, {3, 32 << 20, 16, 16}}, `its L2 has "99999999999999999999" bytes`},
		{"too much", system("4000000K"), []cache{{1, 32 << 10, 8, 2}, {3, 32 << 20, 16, 16}}, `its L2 has "4000000K" bytes`},
		{"two units", system("4KM"), []cache{{1, 32 << 10, 8, 2}, {3, 32 << 20, 16, 16}}, `its L2 has "4KM" bytes`},
	} {
		got, odd := readCaches(c.fs.ReadFile)
		if !slices.Equal(got, c.want) || odd != c.odd {
			t.Errorf("%s: %v, %q, want %v, %q", c.what, got, odd, c.want, c.odd)
		}
	}
	for list, want := range map[string]int{"0": 1, "0-1": 2, "0-3,8-11": 8, "5,7": 2, "": 1, "x": 1, "3-1": 1, "0-99999999999": 1, "-1": 1} {
		if got := sharers(list); got != want {
			t.Errorf("%q are %d processors, want %d", list, got, want)
		}
	}
}

// TestHost puts together what machines say of themselves.
func TestHost(t *testing.T) {
	zen, dir := CPU{amd, 25, 17}, sysfs(0)
	all := func(string) bool { return true }
	neon := func(isa string) bool { return isa == "neon" || isa == "go" }
	good := []cache{{1, 32 << 10, 8, 2}, {2, 1 << 20, 8, 2}, {3, 32 << 20, 16, 16}}
	for _, c := range []struct {
		what  string
		h     host
		sizes string
		l2    int
		l3    int
		cores int
		best  string
	}{
		{"sysfs", host{cpu: zen, cpus: 16, has: all, system: good},
			"L1 32 KiB, L2 1 MiB, L3 32 MiB, of which a core is taken to have 10 MiB, by " + dir, 1 << 20, 10 << 20, 8, "avx512"},
		{"a small L3", host{cpu: zen, cpus: 1, has: all, system: []cache{{1, 32 << 10, 8, 1}, {2, 1 << 20, 8, 1}, {3, 4 << 20, 16, 4}}},
			"L1 32 KiB, L2 1 MiB, L3 4 MiB, of which a core is taken to have 2 MiB, by " + dir, 1 << 20, 2 << 20, 1, "avx512"},
		{"CPUID", host{cpu: zen, cpus: 2, has: all, other: good},
			"L1 32 KiB, L2 1 MiB, L3 32 MiB, of which a core is taken to have 10 MiB, by CPUID", 1 << 20, 10 << 20, 1, "avx512"},
		{"neither", host{cpu: zen, cpus: 2, has: all},
			"typical values, since there is no " + dir + " and no word of CPUID", 1 << 20, 10 << 20, 2, "avx512"},
		{"an odd one", host{cpu: zen, cpus: 2, has: all, odd: `its L1 has "x" bytes`},
			"typical values, since its L1 has \"x\" bytes in " + dir, 1 << 20, 10 << 20, 2, "avx512"},
		{"no L3", host{cpu: zen, cpus: 2, has: all, system: good[:2]},
			"L1 32 KiB, L2 1 MiB, by " + dir + "; typical values for L3, of which it says nothing", 1 << 20, 10 << 20, 1, "avx512"},
		{"an L2 smaller than L1", host{cpu: zen, cpus: 2, has: all, system: []cache{{1, 32 << 10, 8, 1}, {2, 16 << 10, 8, 1}}},
			"typical values, since by " + dir + " l2.size is 16384, less than the 32768 of l1; it must be more", 1 << 20, 10 << 20, 2, "avx512"},
		{"ways without end", host{cpu: zen, cpus: 2, has: all, system: []cache{{1, 32 << 10, 1 << 30, 1}}},
			"typical values, since by " + dir + " l1.ways is 1.07374e+09; it must be from 1 to 1024", 1 << 20, 10 << 20, 2, "avx512"},
		{"a level that no core has", host{cpu: zen, cpus: 2, has: all, system: []cache{{4, 1 << 30, 1, 1}, {1, 64 << 10, 0, 1}}},
			"L1 64 KiB, by " + dir + "; typical values for L2 and L3, of which it says nothing", 1 << 20, 10 << 20, 2, "avx512"},
		{"a virtual machine without AVX-512", host{cpu: zen, cpus: 2, has: func(isa string) bool { return isa != "avx512" }, system: good},
			"L1 32 KiB, L2 1 MiB, L3 32 MiB, of which a core is taken to have 10 MiB, by " + dir, 1 << 20, 10 << 20, 1, "avx2"},
		{"an unknown core", host{cpu: CPU{amd, 99, 1}, cpus: 4, has: all, system: []cache{{3, 64 << 20, 16, 4}}},
			"L3 64 MiB, of which a core is taken to have 32 MiB, by " + dir + "; typical values for L1 and L2, of which it says nothing", 1 << 20, 32 << 20, 4, "avx512"},
		{"Apple M1 by sysctl", host{cpu: appleCPU(0x1b588bb3), arch: "arm64", cpus: 4, has: neon, sysfs: dir, by: "sysctl", other: []cache{{1, 128 << 10, 0, 1}, {2, 12 << 20, 0, 4}}},
			"L1 128 KiB, L2 12 MiB, of which a core is taken to have 3 MiB, by sysctl; typical values for L3, of which it says nothing", 3 << 20, 8 << 20, 4, "neon"},
		{"Graviton 2", host{cpu: CPU{arm, 8, 0xd0c}, arch: "arm64", cpus: 64, has: neon, sysfs: sysfs(3), system: []cache{{1, 64 << 10, 4, 1}, {2, 1 << 20, 8, 1}, {3, 32 << 20, 16, 64}}},
			"L1 64 KiB, L2 1 MiB, L3 32 MiB, of which a core is taken to have 4 MiB, by " + sysfs(3), 1 << 20, 4 << 20, 64, "neon"},
		{"an unknown core of Arm on Windows", host{cpu: CPU{arm, 8, 0xd02}, arch: "arm64", cpus: 8, has: neon, sysfs: dir},
			"typical values, since there is no " + dir, 256 << 10, 512 << 10, 8, "neon"},
		{"nothing at all", host{cpus: 1, has: func(isa string) bool { return isa == "go" }},
			"typical values, since there is no " + dir + " and no word of CPUID", 512 << 10, 6 << 20, 1, "go"},
	} {
		if c.h.arch == "" {
			c.h.arch, c.h.sysfs, c.h.by = "amd64", dir, "CPUID"
		}
		m := c.h.machine()
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if m.Sizes != c.sizes || m.Caches[L2].Size != c.l2 || m.Caches[L3].Size != c.l3 || m.Cores != c.cores || m.Units[0].ISA != c.best || m.CPU != c.h.cpu {
			t.Errorf("%s: %q, L2 %d, L3 %d, %d cores, %s, %v; want %+v", c.what, m.Sizes, m.Caches[L2].Size, m.Caches[L3].Size, m.Cores, m.Units[0].ISA, m.CPU, c)
		}
		if one := m.Caches[Memory].Read; m.Together < one || m.Together > float64(m.Cores)*one+1 {
			t.Errorf("%s: %d cores read %v together, one %v", c.what, m.Cores, m.Together, one)
		}
	}
}

// TestThis: this machine is one, and asking again costs nothing.
func TestThis(t *testing.T) {
	if os.Getenv("TILESMITH_MACHINE") != "" {
		t.Skip("TILESMITH_MACHINE is set")
	}
	m := This()
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if m.CPU != ThisCPU() || m.Text() != Data().Text() {
		t.Errorf("This is %s, Data %s", m.Text(), Data().Text())
	}
	if n := testing.AllocsPerRun(10, func() { This() }); n != 0 {
		t.Errorf("This allocates %v times", n)
	}
	for _, u := range m.Units {
		if !has(u.ISA) {
			t.Errorf("this machine has no %s", u.ISA)
		}
	}
	t.Logf("%s, %v: %s", m.Name, m.CPU, m.Sizes)
}

// TestEnv runs this test again in programs with TILESMITH_MACHINE: a file is taken, one
// that is refused is a panic with the sentence, and neither is looked at before This is
// called.
func TestEnv(t *testing.T) {
	switch os.Getenv("TILESMITH_TEST_THIS") {
	case "name":
		println("name: " + This().Name)
		return
	case "idle":
		Reference("avx2")
		println("idle")
		return
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no programs here")
	}
	dir := t.TempDir()
	write := func(name string, change func(*Machine)) string {
		m := Data()
		change(m)
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(m.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	mine := write("mine", func(m *Machine) { m.Name = "my own" })
	foreign := write("foreign", func(m *Machine) { m.CPU = CPU{"VIA", 6, 1} })
	for _, c := range []struct{ file, do, want string }{
		{mine, "name", "name: my own"},
		{"", "name", "name: " + Data().Name},
		{foreign, "name", "panic: tilesmith: TILESMITH_MACHINE: " + foreign + ":6: the file is of VIA family 6 model 1, but this machine has "},
		{filepath.Join(dir, "none"), "name", "panic: tilesmith: TILESMITH_MACHINE: stat "},
		{filepath.Join(dir, "none"), "idle", "idle"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnv$")
		cmd.Env = append(os.Environ(), "TILESMITH_MACHINE="+c.file, "TILESMITH_TEST_THIS="+c.do)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), c.want) || (err != nil) != strings.HasPrefix(c.want, "panic") {
			t.Errorf("TILESMITH_MACHINE=%s: %v, %s; want %q", c.file, err, out, c.want)
		}
	}
}
