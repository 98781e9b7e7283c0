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
		{true, "Haswell", "start with CORETYPE=SkylakeX"},
		{true, "SkylakeX", ""},
		{false, "Haswell", ""},
	} {
		x := &cpu.X86
		x.HasAVX512F, x.HasAVX512BW, x.HasAVX512DQ, x.HasAVX512VL = tt.avx512, tt.avx512, tt.avx512, tt.avx512
		got := olderCore(tt.core, "CORETYPE", "SkylakeX", "SkylakeX")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("AVX-512 %v, core %s: %q, want %q in it", tt.avx512, tt.core, got, tt.want)
		}
	}
}
