package gen

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The operands of a tabulated operator: those of verify/gpu, which is for tests and
// not for generators. A test holds the two together.
const ringRows, ringCols, ringDepth = 3, 4, 130

func ringA(i, k int) float64 { return ringNumber(7*(i%ringRows)+3*k+k/5, i%ringRows+k, k) }
func ringB(k, j int) float64 { return ringNumber(11*(j%ringCols)+3*k+k/7, j%ringCols+k, k) }

func ringNumber(x, turn, k int) float64 {
	far := float64(k) / 8
	if turn%2 != 0 {
		far = -far
	}
	return float64(x%5-2) + 9.0/16 + far
}

// ringTable interprets an operator of f32 on small numbers, which is
// the oracle of one that the tests do not know: the bits of its sums, for every depth
// the ringRows x ringCols of them.
func ringTable(op gemm.Operator, funcs *functions) ([]uint32, error) {
	sums, err := ringSums[float32](op, ringDepth, funcs)
	bits := make([]uint32, len(sums))
	for i, x := range sums {
		bits[i] = math.Float32bits(x)
	}
	return bits, err
}

// ringSums interprets an operator: for each of the depths 0 to most the sums of
// ringRows x ringCols elements. The functions of a semiring are translated, as they are
// in kernels, so that a kernel's test begins with what the kernel is made of.
func ringSums[T dtype.Float](op gemm.Operator, most int, funcs *functions) ([]T, error) {
	const each = ringRows * ringCols
	e, _, _ := op.Types()
	t, size := emit.Scalar(e), int64(e.Bytes())
	f, err := emit.Build("sums", []emit.Arg{{Name: "a", Type: emit.Ptr}, {Name: "b", Type: emit.Ptr, Offset: 8}, {Name: "out", Type: emit.Ptr, Offset: 16}}, func(b *emit.Builder) {
		a, y, p := b.Param("a", emit.Ptr), b.Param("b", emit.Ptr), b.Param("out", emit.Ptr)
		var acc []*emit.Value
		for range each {
			acc = append(acc, op.Identity(b, t))
		}
		next := func(p *emit.Value, n int64) *emit.Value { return b.AddP(p, b.Int(n*size)) }
		b.For(b.Int(0), b.Int(int64(most+1)), 1, append([]*emit.Value{a, y, p}, acc...), func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			a, y, p, acc := x[0], x[1], x[2], x[3:]
			out := []*emit.Value{next(a, ringRows), next(y, ringCols), next(p, each)}
			for i, s := range acc {
				b.Store(s, emit.At(p, int64(i)*size))
				out = append(out, op.Step(b, s, b.Load(t, emit.At(a, int64(i/ringCols)*size)), b.Load(t, emit.At(y, int64(i%ringCols)*size))))
			}
			return out
		})
	})
	if err != nil {
		return nil, err
	}
	if err := funcs.translate(op, []*emit.Func{f}); err != nil {
		return nil, err
	}
	var a, y []T
	for k := range most + 1 {
		for i := range ringRows {
			a = append(a, T(ringA(i, k)))
		}
		for j := range ringCols {
			y = append(y, T(ringB(k, j)))
		}
	}
	sums := make([]T, each*(most+1))
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

// ringText is the table as a Go variable.
func ringText(name string, bits []uint32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n// %s are the bits of sums of the operator, as the interpreter has them.\nvar %[1]s = []uint32{", name)
	for i, x := range bits {
		if i%(ringRows*ringCols) == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x, ", x)
	}
	return b.String() + "\n}\n"
}
