// Package tabulate interprets operators on small numbers. The bits of their sums are the
// oracle for operators that have no other.
package tabulate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Operands are Rows x k and k x Cols: the samples of package semiring.
const Rows, Cols = semiring.SampleRows, semiring.SampleCols

// Each is how many sums there are of one depth.
const Each = Rows * Cols

// Sums interprets an operator of T. It returns the sums of Rows x Cols elements for each of
// the depths 0 to most. inline, if not nil, translates the operator's Go functions as it does
// for kernels, so that a test uses the kernel's code.
func Sums[T dtype.Float](op gemm.Operator, most int, inline func(...*emit.Func) error) ([]T, error) {
	e, _, _ := op.Types()
	t, size := emit.Scalar(e), int64(e.Bytes())
	f, err := emit.Build("sums", []emit.Arg{{Name: "a", Type: emit.Ptr}, {Name: "b", Type: emit.Ptr, Offset: 8}, {Name: "out", Type: emit.Ptr, Offset: 16}}, func(b *emit.Builder) {
		a, y, p := b.Param("a", emit.Ptr), b.Param("b", emit.Ptr), b.Param("out", emit.Ptr)
		var acc []*emit.Value
		for range Each {
			acc = append(acc, op.Identity(b, t))
		}
		next := func(p *emit.Value, n int64) *emit.Value { return b.AddP(p, b.Int(n*size)) }
		b.For(b.Int(0), b.Int(int64(most+1)), 1, append([]*emit.Value{a, y, p}, acc...), func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			a, y, p, acc := x[0], x[1], x[2], x[3:]
			out := []*emit.Value{next(a, Rows), next(y, Cols), next(p, Each)}
			for i, s := range acc {
				b.Store(s, emit.At(p, int64(i)*size))
				out = append(out, op.Step(b, s, b.Load(t, emit.At(a, int64(i/Cols)*size)), b.Load(t, emit.At(y, int64(i%Cols)*size))))
			}
			return out
		})
	})
	if err != nil {
		return nil, err
	}
	if s, ok := op.(gemm.Semiring); ok && s.Translates() && inline != nil {
		if err := inline(f); err != nil {
			return nil, err
		}
	}
	var a, y []T
	for k := range most + 1 {
		for i := range Rows {
			a = append(a, T(semiring.SampleA(i, k)))
		}
		for j := range Cols {
			y = append(y, T(semiring.SampleB(k, j)))
		}
	}
	sums := make([]T, Each*(most+1))
	mem := emit.MemoryOf("out", emit.Generic, sums)
	m := &emit.Machine{}
	m.Bind("a", emit.PtrTo(emit.MemoryOf("a", emit.Generic, a), 0))
	m.Bind("b", emit.PtrTo(emit.MemoryOf("b", emit.Generic, y), 0))
	m.Bind("out", emit.PtrTo(mem, 0))
	if err := m.Run(f); err != nil {
		return nil, err
	}
	mem.Decode(sums)
	return sums, nil
}

// Bits are the bits of the sums of some depths, for an operator of float32 or float64.
func Bits(op gemm.Operator, depths []int, inline func(...*emit.Func) error) ([]uint64, error) {
	if e, _, _ := op.Types(); e == emit.F64 {
		return bits(op, depths, inline, math.Float64bits)
	}
	return bits(op, depths, inline, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
}

func bits[T dtype.Float](op gemm.Operator, depths []int, inline func(...*emit.Func) error, of func(T) uint64) (table []uint64, err error) {
	sums, err := Sums[T](op, slices.Max(depths), inline)
	if err != nil {
		return nil, err
	}
	for _, d := range depths {
		for _, x := range sums[d*Each : (d+1)*Each] {
			table = append(table, of(x))
		}
	}
	return table, nil
}

// Text is the bits of sums as a Go literal of elements of a type, those of one depth on a line.
func Text(elem string, bits []uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[]%s{", elem)
	for i, x := range bits {
		if i%Each == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x, ", x)
	}
	return b.String() + "\n}"
}
