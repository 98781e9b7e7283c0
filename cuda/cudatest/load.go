package cudatest

import (
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
)

func loadErrors(t *T) {
	for _, c := range []struct {
		what, ptx string
		kind      error
		want      string // in the error
	}{
		{"nothing", "", cuda.ErrPTX, ".version"},
		{"no PTX", "\x7fELF\x02\x01\x01", cuda.ErrPTX, ".version"},
		{"no version", ".target sm_80\n.address_size 64\n", cuda.ErrPTX, ".version"},
		{"no target", ".version 7.0\n.address_size 64\n", cuda.ErrPTX, ".target"},
		{"no number", ".version seven\n.target sm_80\n", cuda.ErrPTX, "seven"},
		{"a comment without an end", "/* .version 7.0", cuda.ErrPTX, ".version"},
		{"a GPU to come", ".version 7.0\n.target sm_999\n.address_size 64\n", cuda.ErrUnsupported, "sm_999"},
		{"another GPU only", ".version 8.0\n.target sm_53a\n.address_size 64\n", cuda.ErrUnsupported, "sm_53a"},
		{"an instruction that is none", strings.Replace(PTX, "add.rn.f32", "no_such_instruction", 1), cuda.ErrPTX, "no_such_instruction %f3, %f1, %f2;"},
	} {
		_, err := t.dev.Load(c.ptx)
		t.fails(c.what, err, c.kind)
		if err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, want %q in it", c.what, err, c.want)
		}
	}
	_, err := t.dev.Load(strings.Replace(PTX, ".version 7.0", ".version 99.9", 1))
	t.fails("a version to come", err, cuda.ErrOldDriver, cuda.ErrPTX, cuda.ErrUnsupported)

	m, err := t.dev.Load(PTX)
	t.must("Load", err)
	for _, name := range []string{"sub_f32", "", "add_f32\x00"} {
		_, err := m.Function(name)
		t.fails("a kernel called "+name, err, cuda.ErrNoKernel)
	}
	t.must("Unload", m.Unload())
}
