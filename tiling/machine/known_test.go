package machine

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestKnown: the data are what a file may say, and no level does better than one nearer
// to the core.
func TestKnown(t *testing.T) {
	names := map[string]bool{}
	for _, m := range Known() {
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if names[m.Name] || m.Name == "" || m.Source == "" || m.Sizes == "" || m.CPU != (CPU{}) {
			t.Errorf("name %q, source %q, sizes %q, cpu %v", m.Name, m.Source, m.Sizes, m.CPU)
		}
		names[m.Name] = true
		for i, l := range m.Caches {
			// Lines in no order do not come faster than in order.
			if random := l.Misses * 64 / l.Latency; random > 1.05*l.Read {
				t.Errorf("%s, %s: %.0f GB/s in no order, %.0f in order", m.Name, levelNames[i], random/1e9, l.Read/1e9)
			}
			if i == 0 {
				continue
			}
			if near := m.Caches[i-1]; l.Read > near.Read || l.Write > near.Write || l.Latency < near.Latency {
				t.Errorf("%s: %s %+v is better than what is nearer: %+v", m.Name, levelNames[i], l, near)
			}
		}
		// From L1 no more comes than loads ask for.
		u := m.Units[0]
		if most := u.Loads * float64(u.Vector) * m.Clock; m.Caches[L1].Read > most {
			t.Errorf("%s: %.4g bytes/s from L1, but loads of %.4g", m.Name, m.Caches[L1].Read, most)
		}
		if most := u.Stores * float64(u.Vector) * m.Clock; m.Caches[L1].Write > most {
			t.Errorf("%s: %.4g bytes/s to L1, but stores of %.4g", m.Name, m.Caches[L1].Write, most)
		}
		if m.Together < m.Caches[Memory].Read {
			t.Errorf("%s: all cores read less than one", m.Name)
		}
	}
	Known()[0].Units[0].FMA = 77
	Known()[0].Clock = 1
	if m := Known()[0]; m.Units[0].FMA == 77 || m.Clock == 1 {
		t.Error("who changes what Known returns changes the data")
	}
}

// TestCeiling compares with what was measured: 118 GFLOP/s on Zen 4, 268.8 on Zen 5, 217
// and 109 on Emerald Rapids. For arm64 it compares with peaks as they are published.
func TestCeiling(t *testing.T) {
	for _, c := range []struct {
		cpu  CPU
		isa  string
		size int
		want float64
	}{
		{CPU{amd, 25, 17}, "avx512", 4, 118.2e9}, {CPU{amd, 25, 17}, "avx2", 8, 59.1e9},
		{CPU{amd, 26, 2}, "avx512", 4, 268.8e9}, {CPU{amd, 26, 2}, "avx2", 4, 134.4e9},
		{CPU{intel, 6, 207}, "avx512", 4, 217e9}, {CPU{intel, 6, 207}, "avx512", 8, 109e9},
		{CPU{amd, 23, 0x31}, "avx512", 4, 13.2e9}, // it has none: compiled Go
		// Published peaks of a core: 32 flop a cycle, 16, and 8.
		{CPU{arm, 8, 0xd40}, "neon", 4, 83.2e9}, {CPU{arm, 8, 0xd0c}, "neon", 8, 20e9}, {CPU{arm, 8, 0xd08}, "neon", 4, 12e9},
		{CPU{apple, 8, 0x23}, "neoni8mm", 4, 102.4e9}, {CPU{apple, 8, 0x23}, "neon", 8, 51.2e9},
	} {
		m, ok := For(c.cpu)
		if !ok {
			t.Errorf("%v has no data", c.cpu)
		} else if got := m.Ceiling(c.isa, c.size); got < 0.99*c.want || got > 1.01*c.want {
			t.Errorf("%v, %s, %d bytes: %.1f GFLOP/s, want %.1f", c.cpu, c.isa, c.size, got/1e9, c.want/1e9)
		}
	}
}

func TestFor(t *testing.T) {
	for _, c := range []struct {
		cpu  CPU
		want string // "" for none
	}{
		{CPU{amd, 0x17, 0x01}, ""}, // Zen
		{CPU{amd, 0x17, 0x31}, "AMD Zen 2"}, {CPU{amd, 0x17, 0x71}, "AMD Zen 2"},
		{CPU{amd, 0x19, 0x01}, "AMD Zen 3"}, {CPU{amd, 0x19, 0x21}, "AMD Zen 3"}, {CPU{amd, 0x19, 0x50}, "AMD Zen 3"},
		{CPU{amd, 0x19, 0x11}, "AMD Zen 4"}, {CPU{amd, 0x19, 0x61}, "AMD Zen 4"}, {CPU{amd, 0x19, 0xa0}, "AMD Zen 4"},
		{CPU{amd, 0x1a, 0x02}, "AMD Zen 5"}, {CPU{amd, 0x1a, 0x44}, "AMD Zen 5"},
		{CPU{amd, 0x1a, 0x24}, ""}, // narrower than the data
		{CPU{intel, 6, 85}, "Intel Skylake-SP or Cascade Lake"}, {CPU{intel, 6, 106}, "Intel Ice Lake-SP"},
		{CPU{intel, 6, 143}, "Intel Sapphire Rapids"}, {CPU{intel, 6, 207}, "Intel Emerald Rapids"},
		{CPU{intel, 6, 151}, ""}, {CPU{intel, 25, 17}, ""}, {CPU{"", 25, 17}, ""}, {CPU{}, ""},
		{CPU{arm, 8, 0xd0c}, "Arm Neoverse N1"}, {CPU{arm, 8, 0xd40}, "Arm Neoverse V1"}, {CPU{arm, 8, 0xd4f}, "Arm Neoverse V2"},
		{CPU{arm, 8, 0xd49}, "Arm Neoverse N2"}, {CPU{microsoft, 8, 0xd49}, "Arm Neoverse N2"},
		{CPU{arm, 8, 0xd08}, "Arm Cortex-A72"}, {CPU{arm, 8, 0xd0b}, "Arm Cortex-A76"}, {CPU{arm, 8, 0xd05}, ""}, {CPU{qualcomm, 8, 1}, "Qualcomm Oryon"},
		{CPU{apple, 8, 0x22}, ""}, // a slow core
		{CPU{apple, 8, 0x23}, "Apple M1"}, {CPU{apple, 8, 0x29}, "Apple M1"}, {appleCPU(0x1b588bb3), "Apple M1"}, {CPU{apple, 8, 0x35}, "Apple M2"}, {appleCPU(0xda33d83d), "Apple M2"},
		{appleCPU(0xfa33415e), "Apple M3"}, {appleCPU(0x72015832), "Apple M3"}, {appleCPU(0x17d5b93a), "Apple M4"}, {appleCPU(0x1d5a87e8), ""},
	} {
		m, ok := For(c.cpu)
		if ok != (c.want != "") || ok && m.Name != c.want {
			t.Errorf("%v: %v, want %q", c.cpu, m, c.want)
		}
	}
	for _, k := range known {
		for _, r := range k.models {
			if r[0] > r[1] {
				t.Errorf("%s: models %v", k.data.Name, r)
			}
			for model := r[0]; model <= r[1]; model++ {
				for _, other := range known {
					if m, _ := For(CPU{k.vendor, k.family, model}); k.data != other.data && m.Name == other.data.Name {
						t.Errorf("family %d model %d is of %s and %s", k.family, model, k.data.Name, m.Name)
					}
				}
			}
		}
	}
}

// TestReference holds the machine that results may depend on to a file, number by number:
// who changes it changes results, and says so.
func TestReference(t *testing.T) {
	t.Setenv("TILESMITH_MACHINE", "nowhere")
	for isa, file := range map[string]string{"avx512": "testdata/reference.txt", "neon": "testdata/reference_neon.txt"} {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := Reference(isa).Text(); got != string(want) {
			t.Errorf("Reference(%q) has changed, and results with it:\n%s", isa, got)
		}
	}
	for _, c := range []struct{ isa, first string }{{"avx512", "avx512"}, {"avx2", "avx2"}, {"go", "go"}, {"neon", "neon"}, {"neoni8mm", "neon"}, {"sve", "go"}, {"", "go"}} {
		m := Reference(c.isa)
		if m.Units[0].ISA != c.first || m != Reference(c.isa) {
			t.Errorf("Reference(%q) begins with %s, want %s, the same each time", c.isa, m.Units[0].ISA, c.first)
		}
		if err := m.Check(); err != nil {
			t.Errorf("Reference(%q): %v", c.isa, err)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Reference("avx2") }); n != 0 {
		t.Errorf("Reference allocates %v times", n)
	}
}

// TestUnknown: the rule makes no number better than any core that it names.
func TestUnknown(t *testing.T) {
	all := func(string) bool { return true }
	only := func(isas ...string) func(string) bool {
		return func(isa string) bool { return isa == goISA || slices.Contains(isas, isa) }
	}
	for _, c := range []struct {
		cpu  CPU
		arch string
		has  func(string) bool
		like string
	}{
		{CPU{amd, 0x1b, 1}, "amd64", all, "AMD Zen 4, AMD Zen 5"},
		{CPU{intel, 6, 173}, "amd64", all, "Intel Skylake-SP or Cascade Lake, Intel Ice Lake-SP, Intel Sapphire Rapids, Intel Emerald Rapids"},
		{CPU{intel, 6, 151}, "amd64", only("avx2"), "AMD Zen 2, AMD Zen 3"},
		{CPU{"CentaurHauls", 7, 91}, "amd64", all, "AMD Zen 4, AMD Zen 5, Intel Skylake-SP or Cascade Lake, Intel Ice Lake-SP, Intel Sapphire Rapids, Intel Emerald Rapids"},
		{CPU{"SiFive", 1, 2}, "riscv64", only(), "AMD Zen 2, AMD Zen 3, AMD Zen 4, AMD Zen 5, Intel Skylake-SP or Cascade Lake, Intel Ice Lake-SP, Intel Sapphire Rapids, Intel Emerald Rapids"},
		{CPU{}, "amd64", only(), "AMD Zen 2, AMD Zen 3, AMD Zen 4, AMD Zen 5, Intel Skylake-SP or Cascade Lake, Intel Ice Lake-SP, Intel Sapphire Rapids, Intel Emerald Rapids"},
		{CPU{arm, 8, 0xd84}, "arm64", all, "Arm Neoverse V1, Arm Neoverse N2, Arm Neoverse V2"},
		{CPU{arm, 8, 0xd05}, "arm64", only("neon", "neondot"), "Arm Neoverse N1, Arm Cortex-A76"},
		{CPU{arm, 8, 0xd03}, "arm64", only("neon"), "Arm Cortex-A57, Arm Cortex-A72"},
		{appleCPU(0x1d5a87e8), "arm64", all, "Apple M2, Apple M3, Apple M4"},
		{CPU{"0xc0", 8, 0xac3}, "arm64", all, "Arm Neoverse V1, Arm Neoverse N2, Arm Neoverse V2, Apple M2, Apple M3, Apple M4, Qualcomm Oryon"},
		{CPU{}, "arm64", only("neon"), "Arm Cortex-A57, Arm Cortex-A72"},
		{CPU{}, "arm64", only(), "Arm Neoverse N1, Arm Neoverse V1, Arm Neoverse N2, Arm Neoverse V2, Arm Cortex-A57, Arm Cortex-A72, Arm Cortex-A76, Apple M1, Apple M2, Apple M3, Apple M4, Qualcomm Oryon"},
	} {
		m := unknown(c.cpu, c.arch, c.has)
		if err := m.Check(); err != nil {
			t.Errorf("%v: %v", c.cpu, err)
		}
		measured := *m
		measured.Source = strings.Repeat("x", 250) + m.Source // a measurement says what it kept before it
		if err := measured.Check(); err != nil {
			t.Errorf("%v, measured: %v", c.cpu, err)
		}
		if want := fmt.Sprintf("there are no data for %v: of each number the worst of %s", c.cpu, c.like); m.Source != want {
			t.Errorf("%q, want %q", m.Source, want)
		}
		for _, k := range Known() {
			if !slices.Contains(strings.Split(c.like, ", "), k.Name) {
				continue
			}
			theirs := map[string]float64{}
			for _, n := range k.Numbers() {
				theirs[n.Name] = n.Value
			}
			for _, f := range m.allFields() {
				x, ok := f.number()
				if y, has := theirs[f.name]; ok && has && (f.worse == smaller && x > y || f.worse == larger && x < y) {
					t.Errorf("%v: %s is %v, which is better than the %v of %s", c.cpu, f.name, x, y, k.Name)
				}
			}
		}
	}
}
