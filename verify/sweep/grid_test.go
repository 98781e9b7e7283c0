package sweep

import (
	"slices"
	"strings"
	"testing"
)

func TestParseShapes(t *testing.T) {
	have, err := ParseShapes("64,128x256x512,1")
	if want := []Shape{{64, 64, 64}, {128, 256, 512}, {1, 1, 1}}; err != nil || !slices.Equal(have, want) {
		t.Errorf("%v, %v; want %v", have, err, want)
	}
	for _, c := range []struct{ list, why string }{
		{"", "not a size"}, {"0", "sizes are 1 to"}, {"-4", "sizes are 1 to"}, {"4x", "not a size"}, {"4x5", "has 2 sizes"}, {"1x2x3x4", "has 4 sizes"},
		{"64,,8", "not a size"}, {"1e3", "not a size"}, {"99999999999999999999", "not a size"}, {"2147483648", "not a size"},
		{"12000", "takes 3.46 GB"}, {"20000", "takes 9.6 GB"}, {"2147483647", "takes"}, {"2147483647x1x1", "takes 34.4 GB"}, {"2147483647x2147483647x2147483647", "takes"}, {" 64", "not a size"},
	} {
		if have, err := ParseShapes(c.list); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q: %v, %v; want %q", c.list, have, err, c.why)
		}
	}
}

// FuzzParseShapes finds no list that is taken and does not fit.
func FuzzParseShapes(f *testing.F) {
	f.Add("64,128x256x512")
	f.Add("0x-1")
	f.Add("4294967296x4294967296x1")
	f.Fuzz(func(t *testing.T, list string) {
		shapes, err := ParseShapes(list)
		if err != nil {
			return
		}
		for _, s := range shapes {
			m, n, k := float64(s.M), float64(s.N), float64(s.K)
			if s.M < 1 || s.N < 1 || s.K < 1 || 8*(m*k+k*n+m*n) > MostBytes || 2*m*n*k > mostFlops {
				t.Errorf("%q was taken: %v", list, s)
			}
		}
	})
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		c   Config
		why string
	}{
		{Config{}, ""}, {Config{ISAs: []string{"all"}}, ""}, {Config{Kernels: "^Sp", Types: []string{"f64"}}, ""},
		{Config{Shapes: "0"}, "--shapes: "}, {Config{Ops: "NX"}, `--ops: "NX"`}, {Config{Ops: "nt,TT"}, ""}, {Config{ISAs: []string{"mmx"}}, "--isa mmx: this machine has"},
		{Config{Threads: []int{0}}, "--threads 0: from 1"}, {Config{Threads: []int{1, 4096}}, "--threads 4096"}, {Config{Time: 1}, "--time 1ns"}, {Config{Time: 1 << 62}, "--time"},
		{Config{Kernels: "("}, "--kernels: "}, {Config{Kernels: "Conv"}, "there are MatMul, MatMulOf, QuantMatMul, SDDMM, SpMM, SpMV"}, {Config{Types: []string{"e4m3"}}, "--types e4m3: no kernel has these; there are bf16,bf16,f32, f16,f16,f32, f32, f64, i16,i16,i32, i8,i8,i32, u8,i8,i32"},
	} {
		if _, err := c.c.Session(Stock()); (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %v, want %q", c.c, err, c.why)
		}
	}
	s, err := (&Config{Kernels: "^Sp", Types: []string{"f64"}}).Session(Stock())
	if err != nil || len(s.Kernels) != 2 {
		t.Errorf("%v kernels, %v", len(s.Kernels), err)
	}
}

// TestOnly holds where a kernel of a fixed shape is measured.
func TestOnly(t *testing.T) {
	k := Kernel{Workloads: denseWorkloads}.Only(Shape{M: 6, K: 7})
	have := k.Workloads(Grid{Shapes: []Shape{{1, 2, 3}, {4, 2, 5}, {8, 9, 10}}, Ops: []string{"NN"}})
	if want := []Workload{{Op: "NN", M: 6, N: 2, K: 7}, {Op: "NN", M: 6, N: 9, K: 7}}; !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
}

// TestWorkloads holds that what is measured without flags fits, and is there once.
func TestWorkloads(t *testing.T) {
	for _, g := range []Grid{{}, {Quick: true}} {
		for _, k := range Stock() {
			seen := map[Workload]bool{}
			for _, p := range k.Workloads(g) {
				if seen[p] {
					t.Errorf("%s: %v twice", k.Name, p)
				}
				seen[p] = true
				if err := (Shape{p.M, p.N, min(p.K, 1<<11)}).check(8); err != nil {
					t.Errorf("%s: %v", k.Name, err)
				}
			}
			if len(seen) == 0 || g.Quick && len(seen) > 3 {
				t.Errorf("%s: %d workloads", k.Name, len(seen))
			}
		}
	}
}
