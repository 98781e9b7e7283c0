package gpu_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm/gpu"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestPad: each module has one kernel that copies operands, of its elements and no larger than it has to be, and explains it.
func TestPad(t *testing.T) {
	all := []struct {
		spec int
		bits string
	}{{0, "b16"}, {8, "u8"}, {7, "b64"}, {2, "b32"}, {15, "b16"}}
	for _, i := range level.Pick(len(all), 1, 2) {
		s, bits := specs[all[i].spec], all[i].bits
		text := textOf(t, s, ptx.SM80)
		m, err := gpu.Lower(s.Describe(), ptx.SM80)
		if err != nil {
			t.Fatal(err)
		}
		_, text, ok := strings.Cut(text, ".visible .entry "+m.Pad.Name+"(")
		text, _, _ = strings.Cut(text, "\n}\n")
		if !ok || strings.Contains(text, ".visible") {
			t.Fatalf("%s: %q", m.Name, text)
		}
		if l, s := strings.Count(text, "ld.global."+bits+" "), strings.Count(text, "st.global."+bits+" "); l != 5 || s != 5 || strings.Count(text, ".global.") != 5+5+2 { // two are cvta
			t.Errorf("%s: %d loads and %d stores of %s", m.Name, l, s, bits)
		}
		if n := strings.Count(text, "\n"); n > 100 {
			t.Errorf("%s: %d lines", m.Name, n)
		}
		if text, err := m.Explain(m.Pad.Name); err != nil || !strings.HasPrefix(text, "copies     an operand that only the kernel for any strides takes") {
			t.Errorf("%s: %v %q", m.Name, err, text)
		}
	}
}
