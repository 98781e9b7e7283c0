package peer

import (
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

func TestOlderCore(t *testing.T) {
	old := cpu.X86
	defer func() { cpu.X86 = old }()
	for _, tt := range []struct {
		avx512 bool
		core   string
		want   string
	}{
		{true, "Haswell", "runs avx2 code, where there is avx512; to have it use that, start with CORETYPE=SkylakeX"},
		{true, "SkylakeX", ""},
		{true, "LATER", "runs code for that, where there is avx512"},
		{true, "generic", "runs sse2 code, where there is avx512"},
		{false, "Haswell", ""},
		{false, "Prescott", "runs sse2 code, where there is avx2; to have it use that, start with CORETYPE=Haswell"},
		{false, "SkylakeX", ""},
	} {
		x := &cpu.X86
		x.HasAVX, x.HasAVX2, x.HasFMA = true, true, true
		x.HasAVX512F, x.HasAVX512BW, x.HasAVX512DQ, x.HasAVX512VL = tt.avx512, tt.avx512, tt.avx512, tt.avx512
		got := setting{"CORETYPE", map[string]string{"avx512": "SkylakeX", "avx2": "Haswell"}}.olderCore(tt.core)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("AVX-512 %v, core %s: %q, want %q in it", tt.avx512, tt.core, got, tt.want)
		}
	}
}

// TestISAOf: a core belongs to one instruction set.
func TestISAOf(t *testing.T) {
	seen := map[string]string{}
	for isa, cores := range coresOf {
		for _, c := range cores {
			if was, twice := seen[c]; twice {
				t.Errorf("%s is of %s and of %s", c, was, isa)
			}
			if seen[c] = isa; isaOf(strings.ToUpper(c)) != isa {
				t.Errorf("%s is of %q, want %q", c, isaOf(c), isa)
			}
		}
	}
	if isa := isaOf("later"); isa != "" {
		t.Errorf("a core that nobody knows is of %q", isa)
	}
}

// TestMKLChoice reads what MKL says on CPUs of Intel and of others.
func TestMKLChoice(t *testing.T) {
	old := cpu.X86
	defer func() { cpu.X86 = old }()
	x := &cpu.X86
	x.HasAVX512F, x.HasAVX512BW, x.HasAVX512DQ, x.HasAVX512VL = true, true, true, true
	t.Setenv("MKL_ENABLE_INSTRUCTIONS", "")
	for _, c := range []struct{ processor, limit, isa, note string }{
		{"Intel(R) Advanced Vector Extensions 512 (Intel(R) AVX-512) enabled processors", "", "avx512", ""},
		{"Intel(R) Advanced Vector Extensions 2 (Intel(R) AVX2) enabled processors", "", "avx2", "runs code for"},
		{"Intel(R) Advanced Vector Extensions 2 (Intel(R) AVX2) enabled processors", "AVX2", "avx2", "since MKL_ENABLE_INSTRUCTIONS=AVX2"},
		{"Intel(R) Streaming SIMD Extensions 4.2 (Intel(R) SSE4.2) enabled processors", "", "sse4.2", "where there is avx512"},
		{"Intel(R) Architecture processors", "", "", "names no instruction set"},
	} {
		t.Setenv("MKL_ENABLE_INSTRUCTIONS", c.limit)
		isa, note := mklChoice(c.processor)
		if isa != c.isa || (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%q: %q, %q; want %q, %q", c.processor, isa, note, c.isa, c.note)
		}
	}
}

// TestDNNLISA reads masks of dnnl_cpu_isa_t.
func TestDNNLISA(t *testing.T) {
	for mask, want := range map[uint32]string{0x27: "avx512", 0x7ff: "avx512", 0x7: "avx2", 0xf: "avx2", 0x3: "avx", 0x1: "sse4.1", 0: ""} {
		if have := dnnlISA(mask); have != want {
			t.Errorf("%#x is %q, want %q", mask, have, want)
		}
	}
}

// TestPeersISA: whatever loads here and is not MKL knows what it runs, and gonum does not run AVX.
func TestPeersISA(t *testing.T) {
	for _, g := range Available() {
		if g.ISA == "" && g.Name != "mkl" && cpu.X86.HasSSE2 {
			t.Errorf("%s, %s: its instruction set is not known", g.Name, g.Version)
		}
		if g.Name == "gonum" && strings.Contains(g.ISA, "avx") {
			t.Errorf("gonum runs %s", g.ISA)
		}
		if strings.Contains(g.Note, "runs sse2 code") && g.ISA != "sse2" {
			t.Errorf("%s: %s, and ISA is %q", g.Name, g.Note, g.ISA)
		}
	}
}
