package ptx_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/vmath"
)

// elementwise is a kernel that computes a function of vmath, one element a thread:
// out[i] = f(a[i], b[i], c[i]).
func elementwise(t testing.TB, f *vmath.Func, e emit.Elem) *emit.Func {
	t.Helper()
	name := strings.ReplaceAll(f.Name, ".", "_") + "_" + e.String()
	return build(t, name, 128, 0, pointers([]string{"out", "a", "b", "c"}, "n"), func(b *emit.Builder) {
		i := b.Add(b.Mul(b.SReg("ctaid.x", emit.Int64, emit.CTA), b.Int(128)), b.SReg("tid.x", emit.Int64, emit.Thread))
		b.If(b.Cmp("lt", i, b.Param("n", emit.Int64)), func() []*emit.Value {
			at := func(arg string) emit.Addr {
				return emit.Addr{Ptr: b.Param(arg, emit.Pointer(emit.Global, 16)), Index: i, Scale: int64(e.Bytes())}
			}
			var x []*emit.Value
			for k := range f.Args {
				x = append(x, b.Load(emit.Scalar(e), at(string(rune('a'+k)))))
			}
			b.Store(f.Build(b, x...), at("out"))
			return nil
		}, nil)
	})
}

// Every mathematical function prints, for both types, without calls or tables.
func TestVmath(t *testing.T) {
	var fs []*emit.Func
	for _, name := range vmath.Names() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			fs = append(fs, elementwise(t, vmath.Lookup(name), e))
		}
	}
	l := print(t, ptx.SM80, fs...)
	if !strings.HasPrefix(l.Text, ".version 7.0\n") {
		t.Errorf("mathematical functions need %s", l.Line(1))
	}
	assemble(t, ptx.SM80, l)
}
