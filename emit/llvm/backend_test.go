package llvm_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/llir/llvm/asm"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/llvm"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
)

// printed returns the functions as the backend prints them.
func printed(t *testing.T, b llvm.Backend, target emit.Target, fs ...*emit.Func) string {
	t.Helper()
	var ready []*emit.Func
	for _, f := range fs {
		f = f.Clone()
		if err := emit.Run(f, b.Passes(target), nil); err != nil {
			t.Fatal(err)
		}
		ready = append(ready, f)
	}
	var w bytes.Buffer
	if err := b.Print(&w, target, "", ready); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// build makes a function of frame.
func build(t *testing.T, name string, body func(b *emit.Builder)) *emit.Func {
	t.Helper()
	f, err := emit.Build(name, frame, body)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestParse reads back what is printed for a real product and for random functions with
// the parser of llir, which prints the same again.
func TestParse(t *testing.T) {
	for _, target := range targets {
		m, err := simd.Lower(gemm.Spec[float32, float32, float32, float32]{Name: "Product"}.Describe(), target, simd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fs := m.Funcs[len(m.Funcs)-8:]
		for seed := range uint64(40) {
			p, err := random(seed, target, 20)
			if err != nil {
				t.Fatal(err)
			}
			fs = append(fs, p.f)
		}
		text := printed(t, llvm.Backend{}, target, fs...)
		back, err := asm.ParseString("kernels.ll", text)
		if err != nil {
			t.Fatalf("%s: %v", target.Name, err)
		}
		back.SourceFilename = ""
		if d := cmp.Diff(strings.Split(text, "\n"), strings.Split(back.String(), "\n")); d != "" {
			t.Errorf("%s: printed, read and printed again differs:\n%.2000s", target.Name, d)
		}
	}
}

// TestGolden is one function whole: a loop with a phi for what it carries, a masked
// access, a multiply-add.
func TestGolden(t *testing.T) {
	v := emit.Vector(emit.F32, 8)
	f := build(t, "golden", func(b *emit.Builder) {
		p := b.Param("p", emit.Ptr)
		m := b.MaskN(v, b.Param("n", emit.Int64))
		sum := b.ForOnce(b.Int(0), b.Int(4), 1, []*emit.Value{b.Const(v, 0)}, func(i *emit.Value, x []*emit.Value) []*emit.Value {
			y := b.LoadMasked(v, m, emit.Addr{Ptr: p, Index: i, Scale: 8, Off: 16})
			return []*emit.Value{b.FMA(x[0], y, b.Const(v, 0.5))}
		})
		b.Store(sum[0], emit.At(b.Param("q", emit.Ptr), 0))
	})
	const (
		half = "float 0.5, float 0.5, float 0.5, float 0.5, float 0.5, float 0.5, float 0.5, float 0.5"
		zero = "float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0, float 0.0"
	)
	want := `define void @golden(ptr %args) #0 {
entry:
	%0 = getelementptr i8, ptr %args, i64 0
	%1 = load ptr, ptr %0, align 1
	%2 = getelementptr i8, ptr %args, i64 16
	%3 = load i64, ptr %2, align 1
	%4 = trunc i64 %3 to i32
	%5 = insertelement <8 x i32> undef, i32 %4, i32 0
	%6 = shufflevector <8 x i32> %5, <8 x i32> undef, <8 x i32> zeroinitializer
	%7 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %6
	br label %loop1

loop1:
	%8 = phi i64 [ 0, %entry ], [ %15, %loop1 ]
	%9 = phi <8 x float> [ <` + zero + `>, %entry ], [ %14, %loop1 ]
	%10 = mul i64 %8, 8
	%11 = getelementptr i8, ptr %1, i64 %10
	%12 = getelementptr i8, ptr %11, i64 16
	%13 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %12, i32 1, <8 x i1> %7, <8 x float> zeroinitializer)
	%14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %13, <8 x float> <` + half + `>, <8 x float> %9)
	%15 = add i64 %8, 1
	%16 = icmp slt i64 %15, 4
	br i1 %16, label %loop1, label %after2

after2:
	%17 = phi <8 x float> [ %14, %loop1 ]
	%18 = getelementptr i8, ptr %args, i64 8
	%19 = load ptr, ptr %18, align 1
	store <8 x float> %17, ptr %19, align 1
	ret void
}

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr %0, i32 %1, <8 x i1> %2, <8 x float> %3)

declare <8 x float> @llvm.fma.v8f32(<8 x float> %0, <8 x float> %1, <8 x float> %2)

attributes #0 = { nounwind "prefer-vector-width"="256" "target-features"="+avx2,+fma,+f16c,+bmi,+bmi2" }
`
	have := printed(t, llvm.Backend{Opaque: true}, amd64.AVX2, f)
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(have, "\n")); d != "" {
		t.Errorf("(-want +have)\n%s", d)
	}
}

// TestMeaning: no word in a file allows what the IR does not.
func TestMeaning(t *testing.T) {
	for _, target := range targets {
		for seed := range uint64(40) {
			p, err := random(seed, target, 30)
			if err != nil {
				t.Fatal(err)
			}
			text := printed(t, llvm.Backend{}, target, p.f)
			for _, word := range []string{" fast ", " nnan ", " ninf ", " nsz ", " contract ", " reassoc ", " arcp ", " afn ", " nsw ", " nuw ", " exact ", "inbounds", "fmuladd", "unsafe-fp-math", "denormal-fp-math"} {
				if strings.Contains(text, word) {
					t.Errorf("%s in\n%s", word, text)
				}
			}
		}
	}
}

// TestConstants: numbers arrive with all their bits, NaNs with their payload.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		elem emit.Elem
		x    float64
		want string
	}{
		{emit.F32, -2.5, "float -2.5"},
		{emit.F32, 0.1, "float 0x3FB99999A0000000"}, // 0.1 is rounded to f32 first
		{emit.F32, math.Copysign(0, -1), "float -0.0"},
		{emit.F32, math.Inf(-1), "float 0xFFF0000000000000"},
		{emit.F32, 0x1p-149, "float 0x36A0000000000000"},
		{emit.F64, 1e300, "double 0x7E37E43C8800759C"},
		{emit.F64, math.Float64frombits(0x7ff8000000000123), "double bitcast (i64 9221120237041090851 to double)"},
		{emit.F16, 1.5, "i16 15872"},
		{emit.BF16, -1, "i16 -16512"},
	} {
		f := build(t, "constant", func(b *emit.Builder) {
			b.Store(b.Const(emit.Scalar(c.elem), c.x), emit.At(b.Param("q", emit.Ptr), 0))
		})
		if text := printed(t, llvm.Backend{}, amd64.AVX2, f); !strings.Contains(text, "store "+c.want) {
			t.Errorf("%v %v: no store of %s in\n%s", c.elem, c.x, c.want, text)
		}
	}
}

// TestRefused wants every refusal to name the operation and the reason, and Can to say
// the same as Print.
func TestRefused(t *testing.T) {
	load := func(b *emit.Builder, ty emit.Type) *emit.Value { return b.Load(ty, emit.At(b.Param("p", emit.Ptr), 0)) }
	half := emit.Vector(emit.F16, 8)
	for _, c := range []struct {
		why  string
		body func(b *emit.Builder)
	}{
		{"llvm computes on f32 and f64, not on f16x8; convert with cvt", func(b *emit.Builder) { x := load(b, half); b.Store(b.Add(x, x), emit.At(b.Param("q", emit.Ptr), 0)) }},
		{"llvm computes on f32 and f64, not on f16x8", func(b *emit.Builder) { x := load(b, half); b.Store(b.FMA(x, x, x), emit.At(b.Param("q", emit.Ptr), 0)) }},
		{"conversion of f64x4 to f16x4 has no row on llvm", func(b *emit.Builder) {
			b.Store(b.Cvt(emit.F16, "rne", load(b, emit.Vector(emit.F64, 4))), emit.At(b.Param("q", emit.Ptr), 0))
		}},
		{"conversion of e4m3x4 to f32x4 has no row on llvm", func(b *emit.Builder) {
			b.Store(b.Cvt(emit.F32, "rne", load(b, emit.Vector(emit.F8E4M3, 4))), emit.At(b.Param("q", emit.Ptr), 0))
		}},
		{"a masked load of a scalar has no row on llvm; branch", func(b *emit.Builder) {
			b.Store(b.LoadMasked(emit.Int32, b.Param("on", emit.Bool), emit.At(b.Param("p", emit.Ptr), 0)), emit.At(b.Param("q", emit.Ptr), 0))
		}},
		{"prefetch level is 2, not 0 (L1) or 1 (L2)", func(b *emit.Builder) { b.Prefetch(2, emit.At(b.Param("p", emit.Ptr), 0)) }},
		{"sreg has no row on llvm", func(b *emit.Builder) {
			b.Store(b.SReg("tid.x", emit.Int32, emit.Thread), emit.At(b.Param("q", emit.Ptr), 0))
		}},
		{"bar.sync has no row on llvm", func(b *emit.Builder) { b.Inst(inst.BarSync, 0) }},
		{"a f32x1*2 is a value of GPUs", func(b *emit.Builder) {
			x := load(b, emit.Scalar(emit.F32))
			b.Store(b.Unpack(b.Pack(x, x))[0], emit.At(b.Param("q", emit.Ptr), 0))
		}},
		{"apply has no row on llvm", func(b *emit.Builder) {
			b.Store(b.Apply(math.Sqrt, load(b, emit.Scalar(emit.F64)))[0], emit.At(b.Param("q", emit.Ptr), 0))
		}},
	} {
		f := build(t, "refused", c.body)
		err := llvm.Backend{}.Can(amd64.AVX512, f)
		e := emit.AsError(err)
		if e == nil || !strings.Contains(e.Why, c.why) || e.Func != "refused" || !strings.HasPrefix(e.Where, "backend_test.go:") {
			t.Errorf("refused with %v, want %q with the place", err, c.why)
			continue
		}
		if again := (llvm.Backend{}).Print(new(bytes.Buffer), amd64.AVX512, "", []*emit.Func{f}); again == nil || again.Error() != err.Error() {
			t.Errorf("Print says %v, Can %v", again, err)
		}
	}
	dot := build(t, "dot", func(b *emit.Builder) { dots(b, inst.ArmDotI8) })
	if err := (llvm.Backend{}).Can(amd64.AVX512, dot); err == nil || !strings.Contains(err.Error(), "arm64.sdot needs neondot, and the target is avx512") {
		t.Errorf("a dot product of arm64 on amd64: %v", err)
	}
	fine := build(t, "fine", func(b *emit.Builder) { b.Inst(inst.StreamFence, 0) })
	if err := (llvm.Backend{}).Can(amd64.AVX512, fine); err != nil {
		t.Error(err)
	}
}
