package vmath

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// The interpreter takes a hundred nanoseconds for an operation on a lane, too long
// for 2^32 inputs. So each function of one operand is also written out as Go, one
// line for an operation of the IR, into zscalar_test.go: this is the transcriber,
// and TestTranscription compares the file with it, and what it computes with the
// interpreter.

const transcription = "zscalar_test.go"

// kernel returns f as a function: operands are loaded from x0, x1 and x2, the
// result is stored to y.
func kernel(t testing.TB, f *Func, e emit.Elem, lanes int) *emit.Func {
	t.Helper()
	var args []emit.Arg
	for i := range f.Args {
		args = append(args, emit.Arg{Name: fmt.Sprintf("x%d", i), Type: emit.Ptr, Offset: 8 * i})
	}
	args = append(args, emit.Arg{Name: "y", Type: emit.Ptr, Offset: 8 * f.Args})
	fn, err := emit.Build("f", args, func(b *emit.Builder) {
		var x []*emit.Value
		for _, a := range args[:f.Args] {
			x = append(x, b.Load(emit.Vector(e, lanes), emit.At(b.Param(a.Name, emit.Ptr), 0)))
		}
		y := b.Param("y", emit.Ptr)
		b.Store(f.Build(b, x...), emit.At(y, 0))
	})
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return fn
}

// operations counts what the package's doc says is counted.
func operations(fn *emit.Func) int {
	n := 0
	fn.Body.Walk(func(op *emit.Op) {
		switch op.Def.Name {
		case "const", "bitcast", "param", "load", "store":
		default:
			n++
		}
	})
	return n
}

// transcribable reports whether f is in zscalar_test.go: functions of one operand that
// are more than one operation, and those of two that are not exact.
func transcribable(f *Func) bool {
	return f.Args == 1 && f.F32Ops > 1 || f.Args == 2 && f.F32ULP > 0
}

// scalarName is what f is called there: exp32 for math.Exp in f32.
func scalarName(f *Func, e emit.Elem) string {
	return fmt.Sprintf("%s%d", strings.ToLower(strings.TrimPrefix(f.Name, "math.")), e.Bits())
}

var (
	goTypes  = map[emit.Elem]string{emit.F32: "float32", emit.F64: "float64", emit.I32: "uint32", emit.I64: "uint64", emit.I1: "bool"}
	goPreds  = map[string]string{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
	goRounds = map[string]string{"floor": "Floor", "ceil": "Ceil", "trunc": "Trunc", "rne": "RoundToEven"}
	goInfix  = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
	goLogic  = map[string]string{"and": "&&", "or": "||", "xor": "!="}
)

// transcribe returns f on e as a Go function.
func transcribe(t testing.TB, f *Func, e emit.Elem) string {
	fn := kernel(t, f, e, 1)
	var w strings.Builder
	in := []string{"x", "y"}[:f.Args]
	fmt.Fprintf(&w, "func %s(%s %s) %s {\n", scalarName(f, e), strings.Join(in, ", "), goTypes[e], goTypes[e])
	names := map[*emit.Value]string{}
	arg := func(op *emit.Op, i int) string { return names[op.Args[i]] }
	fn.Body.Walk(func(op *emit.Op) {
		if op.Def.Name == "store" {
			fmt.Fprintf(&w, "return %s\n}\n", arg(op, 0))
			return
		}
		r := op.Result()
		ty := goTypes[r.Type.Elem]
		text := ""
		switch name := op.Def.Name; name {
		case "param":
			return
		case "load":
			names[r], in = in[0], in[1:]
			return
		case "const":
			names[r] = literal(op, ty)
			return
		case "add", "sub", "mul", "div", "and", "or", "xor", "shl", "shr":
			infix := goInfix[name]
			if r.Type.Elem == emit.I1 {
				infix = goLogic[name]
			}
			text = fmt.Sprintf("%s %s %s", arg(op, 0), infix, arg(op, 1))
			if r.Type.Elem.Float() { // the conversion keeps a compiler from fusing
				text = ty + "(" + text + ")"
			}
		case "fma":
			text = fmt.Sprintf("math.FMA(%s, %s, %s)", arg(op, 1), arg(op, 2), arg(op, 0))
			if e == emit.F32 {
				fma32Lines(&w, len(names), arg(op, 1), arg(op, 2), arg(op, 0))
				names[r] = fmt.Sprintf("v%d", len(names))
				return
			}
		case "max", "min":
			text = fmt.Sprintf("%sOp(%s, %s)", name, arg(op, 0), arg(op, 1))
		case "select":
			text = fmt.Sprintf("pick(%s, %s, %s)", arg(op, 0), arg(op, 1), arg(op, 2))
		case "sqrt":
			text = fmt.Sprintf("%s(math.Sqrt(float64(%s)))", ty, arg(op, 0))
		case "imax":
			text = fmt.Sprintf("uint%d(max(int%d(%s), int%d(%s)))", e.Bits(), e.Bits(), arg(op, 0), e.Bits(), arg(op, 1))
		case "cmp":
			format := "%s %s %s"
			if !op.Args[0].Type.Elem.Float() { // with their signs
				format = fmt.Sprintf("int%[1]d(%%s) %%s int%[1]d(%%s)", e.Bits())
			}
			text = fmt.Sprintf(format, arg(op, 0), goPreds[op.Attr.Name], arg(op, 1))
		case "round":
			text = fmt.Sprintf("%s(math.%s(float64(%s)))", ty, goRounds[op.Attr.Name], arg(op, 0))
		case "bitcast":
			call := fmt.Sprintf("math.Float%dbits", e.Bits())
			if r.Type.Elem.Float() {
				call = fmt.Sprintf("math.Float%dfrombits", e.Bits())
			}
			text = fmt.Sprintf("%s(%s)", call, arg(op, 0))
		default:
			t.Fatalf("%s: %s is not transcribed", f.Name, name)
		}
		names[r] = fmt.Sprintf("v%d", len(names))
		fmt.Fprintf(&w, "%s := %s\n", names[r], text)
	})
	return w.String()
}

func literal(op *emit.Op, ty string) string {
	e := op.Result().Type.Elem
	if !e.Float() {
		return fmt.Sprintf("bits%d(%#x)", e.Bits(), uint64(op.Attr.Imm)&(1<<e.Bits()-1))
	}
	switch c := op.Attr.F; {
	case c != c:
		return ty + "(math.NaN())"
	case math.IsInf(c, 0):
		return fmt.Sprintf("%s(math.Inf(%d))", ty, int(math.Copysign(1, c)))
	default:
		return fmt.Sprintf("%s(%x)", ty, c)
	}
}

// transcribeAll returns what zscalar_test.go should be.
func transcribeAll(t testing.TB) []byte {
	var w bytes.Buffer
	w.WriteString("// Code generated by go test ./emit/vmath -run Transcription -update; DO NOT EDIT.\n\npackage vmath\n\nimport \"math\"\n\n")
	var index [4]bytes.Buffer
	for _, name := range Names() {
		f := Lookup(name)
		if !transcribable(f) {
			continue
		}
		for i, e := range []emit.Elem{emit.F32, emit.F64} {
			w.WriteString(transcribe(t, f, e) + "\n")
			fmt.Fprintf(&index[2*f.Args-2+i], "%q: %s,\n", name, scalarName(f, e))
		}
	}
	fmt.Fprintf(&w, "var scalar32 = map[string]func(float32) float32{\n%s}\n\n", &index[0])
	fmt.Fprintf(&w, "var scalar64 = map[string]func(float64) float64{\n%s}\n\n", &index[1])
	fmt.Fprintf(&w, "var pair32 = map[string]func(x, y float32) float32{\n%s}\n\n", &index[2])
	fmt.Fprintf(&w, "var pair64 = map[string]func(x, y float64) float64{\n%s}\n", &index[3])
	src, err := format.Source(w.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// fresh reports whether the transcription that was compiled is that of the IR.
func fresh(t testing.TB) bool {
	have, err := os.ReadFile(transcription)
	return err == nil && bytes.Equal(have, transcribeAll(t))
}

// What transcribed lines call.

// bits32 and bits64 keep Go from converting a constant, which has to be positive then.
func bits32(b uint32) uint32 { return b }
func bits64(b uint64) uint64 { return b }

func pick[T any](m bool, x, y T) T {
	if m {
		return x
	}
	return y
}

func maxOp[T float32 | float64](x, y T) T {
	if x > y {
		return x
	}
	return y
}

func minOp[T float32 | float64](x, y T) T {
	if x < y {
		return x
	}
	return y
}

// fma32Lines writes fma32 out, which the Go compiler would not inline.
func fma32Lines(w *strings.Builder, n int, x, y, z string) {
	fmt.Fprintf(w, "s%d := float64(%s)*float64(%s) + float64(%s)\nv%d := float32(s%d)\n", n, x, y, z, n, n)
	fmt.Fprintf(w, "if twice(s%d) {\nv%d = fma32Slow(%s, %s, %s)\n}\n", n, n, x, y, z)
}

// fma32 returns x*y + z, rounded once.
func fma32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z)
	if twice(s) {
		return fma32Slow(x, y, z)
	}
	return float32(s)
}

// twice reports whether it may matter that float32(s) is rounded twice, where s is
// x*y + z in float64. The product is exact, so it matters only if s is halfway
// between two float32, or if fewer bits count because the result is denormal.
func twice(s float64) bool {
	b := math.Float64bits(s)
	return b&(1<<29-1) == 1<<28 || b<<1 < (1023-126)<<53
}

func fma32Slow(x, y, z float32) float32 {
	w := emit.Lookup("fma").Lane(emit.F32, nil, []uint64{
		uint64(math.Float32bits(z)), uint64(math.Float32bits(x)), uint64(math.Float32bits(y))})
	return math.Float32frombits(uint32(w))
}
