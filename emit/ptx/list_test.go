package ptx_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

func parse(t testing.TB, text string) *emit.Func {
	t.Helper()
	f, err := emit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A whole module: the header as it is, two functions, their sizes, one shared memory.
func TestModule(t *testing.T) {
	fs := []*emit.Func{
		parse(t, `// scale doubles what smem holds.
//
// Second paragraph.
func @scale(out: ptr.global.4 @0, n: i32 @8, gap: i64 @24) threads 64 shared 256 {
	%out = param {name="out"} : ptr.global.4
	%s = shared : ptr.shared.4
	%x = load %s : f32
	%y = add %x, %x : f32 // twice
	store %y, %out
}`),
		parse(t, "func @nothing() {\n}"),
	}
	var b bytes.Buffer
	for _, f := range fs {
		if err := emit.Run(f, ptx.Backend{}.Passes(ptx.SM86), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := (ptx.Backend{}).Print(&b, ptx.SM86, "// by hand\n", fs); err != nil {
		t.Fatal(err)
	}
	want := `// by hand
.version 7.1
.target sm_86
.address_size 64

.extern .shared .align 1024 .b8 smem[];

// scale doubles what smem holds.
//
// Second paragraph.
.visible .entry scale(
	.param .u64 arg_out,
	.param .u32 arg_n,
	.param .align 1 .b8 gap[12],
	.param .u64 arg_gap
)
.maxntid 64, 1, 1
.minnctapersm 1
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd1, [arg_out];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, smem;
	ld.shared.f32 %f1, [%r1];
	add.rn.f32 %f2, %f1, %f1; // twice
	st.global.f32 [%rd2], %f2;
	ret;
}

.visible .entry nothing(
)
{
	ret;
}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("(-want +have):\n%s", d)
	}
	l, err := ptx.List(ptx.SM86, "", fs)
	if err != nil {
		t.Fatal(err)
	}
	assemble(t, ptx.SM86, l)
}

// Parameters, functions, shared memory and what fills gaps may all have one name.
func TestNames(t *testing.T) {
	args := []emit.Arg{
		{Name: "smem", Type: emit.Int64, Offset: 8}, {Name: "gap", Type: emit.Int64, Offset: 24}, {Name: "a.b", Type: emit.Int64, Offset: 32},
		{Name: "a b", Type: emit.Int64, Offset: 40}, {Name: "add", Type: emit.Int64, Offset: 48}, {Name: "é", Type: emit.Int64, Offset: 56},
	}
	var fs []*emit.Func
	for _, name := range []string{"arg_smem", "gap", "smem", "arg_a_b"} {
		fs = append(fs, build(t, name, 0, 0, args, func(b *emit.Builder) {
			p := b.Shared(0, 8)
			for i, a := range args {
				b.Store(b.Param(a.Name, emit.Int64), emit.At(p, int64(8*i)))
			}
		}))
	}
	assemble(t, ptx.SM80, print(t, ptx.SM80, fs...))
}

// What cannot be printed is refused by name, with the reason and the way out.
func TestRefused(t *testing.T) {
	body := func(b *emit.Builder) {}
	many := make([]emit.Arg, 513)
	for i := range many {
		many[i] = emit.Arg{Name: fmt.Sprint("p", i), Type: emit.Int64, Offset: 8 * i}
	}
	for _, c := range []struct {
		fs     []*emit.Func
		target emit.Target
		want   string
	}{
		{[]*emit.Func{build(t, "a.b", 0, 0, nil, body)}, ptx.SM80, `"a.b" cannot be a name in PTX`},
		{[]*emit.Func{build(t, "1a", 0, 0, nil, body)}, ptx.SM80, `cannot be a name`},
		{[]*emit.Func{build(t, "f", 0, 0, nil, body), build(t, "f", 0, 0, nil, body)}, ptx.SM80, "two functions"},
		{[]*emit.Func{build(t, "f", 0, 100<<10, nil, body)}, ptx.SM89, "uses 102400 bytes of shared memory; a block of sm_89 has at most 101376"},
		{[]*emit.Func{build(t, "f", 0, 0, many, body)}, ptx.SM80, "4104 bytes of parameters; a kernel takes at most 4096"},
		{[]*emit.Func{build(t, "f", 0, 0, nil, body)}, emit.Target{Name: "sm_70", Arch: "ptx"}, "is not a target of PTX"},
		{[]*emit.Func{build(t, "f", 0, 0, nil, func(b *emit.Builder) {
			x := b.Apply(func(x float32) float32 { return x }, b.Const(emit.Scalar(emit.F32), 1))[0]
			b.Store(x, emit.At(b.Shared(0, 4), 0))
		})}, ptx.SM80, "a Go function has to be translated first"},
		{[]*emit.Func{build(t, "f", 0, 0, nil, func(b *emit.Builder) {
			b.For(b.Const(emit.Scalar(emit.I16), 0), b.Trunc(emit.I16, b.SReg("tid.x", emit.Int32, emit.Thread)), 1, nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
				b.Store(i, emit.At(b.Shared(0, 4), 0))
				return nil
			})
		})}, ptx.SM80, "loops count in i32 or i64"},
		{[]*emit.Func{build(t, "f", 128, 0, nil, func(b *emit.Builder) { b.Inst(inst.WgmmaFence, 0) })}, ptx.SM90, "wgmma.fence.sync.aligned needs sm_90a, and the target is sm_90"},
		{[]*emit.Func{build(t, "f", 128, 0, nil, func(b *emit.Builder) { b.Inst(inst.WgmmaFence, 0) })}, ptx.SM120, "wgmma.fence.sync.aligned needs sm_90a, and the target is sm_120"},
	} {
		_, err := listing(c.target, c.fs...)
		if emit.AsError(err) == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one with %q", err, c.want)
		}
	}
}

// Every line of a function leads back to the operation and the place that made it.
func TestWhere(t *testing.T) {
	f := build(t, "f", 0, 0, nil, func(b *emit.Builder) {
		x := b.SReg("tid.x", emit.Int32, emit.Thread)
		b.Store(b.Mul(x, x), emit.At(b.Shared(0, 4), 0))
	})
	l := print(t, ptx.SM80, f)
	for i, text := range strings.Split(l.Text, "\n") {
		_, op := l.Op(i + 1)
		if strings.Contains(text, "mul.lo") {
			if op == nil || op.Def.Name != "mul" {
				t.Errorf("line %d, %q, is for %v", i+1, text, op)
			}
			for _, part := range []string{"f (list_test.go:", "mul %0, %0 : i32", "mul.lo.s32"} {
				if !strings.Contains(l.Where(i+1), part) {
					t.Errorf("line %d is %q, want %q in it", i+1, l.Where(i+1), part)
				}
			}
		}
		if op == nil && strings.Contains(text, "%r") && !strings.Contains(text, ".reg") {
			t.Errorf("line %d, %q, is for no operation", i+1, text)
		}
		if l.Line(i+1) != text {
			t.Errorf("line %d is %q, want %q", i+1, l.Line(i+1), text)
		}
	}
	if f, op := l.Op(0); f != nil || op != nil || l.Where(0) != "" || l.Line(1000) != "" {
		t.Error("lines that are not there are for something")
	}
}

// The same functions give the same text.
func TestDeterministic(t *testing.T) {
	text := ""
	for range 3 {
		p, err := randomProgram(3, 80)
		if err != nil {
			t.Fatal(err)
		}
		l := print(t, ptx.SM80, p.f, mmaRing(t))
		if text != "" && l.Text != text {
			t.Fatal(cmp.Diff(text, l.Text))
		}
		text = l.Text
	}
}

// The lowest version that all instructions accept.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		target emit.Target
		inst   *emit.Instruction
		want   string
	}{
		{ptx.SM80, inst.CpAsyncCommit, "7.0"}, {ptx.SM86, inst.CpAsyncCommit, "7.1"}, {ptx.SM89, inst.CpAsyncCommit, "7.8"},
		{ptx.SM90, inst.BarSync, "7.8"}, {ptx.SM90a, inst.BarSync, "8.0"},
	} {
		l := print(t, c.target, build(t, "f", 32, 0, nil, func(b *emit.Builder) { b.Inst(c.inst, 0) }))
		if !strings.HasPrefix(l.Text, ".version "+c.want+"\n") {
			t.Errorf("%s on %s: %s, want %s", c.inst.Name, c.target.Name, l.Line(1), c.want)
		}
		assemble(t, c.target, l)
	}
}
