package gen

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
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

// operatorOf returns the Operator of a spec, whose type parameters are not known
// here.
func operatorOf(s any) gemm.Operator {
	op, _ := reflect.ValueOf(s).FieldByName("Operator").Interface().(gemm.Operator)
	return op
}

// ringTable interprets an operator of f32 on small numbers, which is
// the oracle of one that the tests do not know: the bits of its sums, for every depth
// the ringRows x ringCols of them. The functions of a semiring are translated: the
// tests of a kernel begin with what it was made of.
func ringTable(op gemm.Operator, funcs *functions) ([]uint32, error) {
	const each = ringRows * ringCols
	f32, out := emit.Scalar(emit.F32), emit.Pointer(emit.Global, 4)
	f, err := emit.Build("sums", []emit.Arg{{Name: "out", Type: out}}, func(b *emit.Builder) {
		p := b.Param("out", out)
		for i := range ringRows {
			for j := range ringCols {
				acc := op.Identity(b, f32)
				for k := range ringDepth + 1 {
					b.Store(acc, emit.At(p, int64(4*(k*each+i*ringCols+j))))
					acc = op.Step(b, acc, b.Const(f32, ringA(i, k)), b.Const(f32, ringB(k, j)))
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err := funcs.translate(op, []*emit.Func{f}); err != nil {
		return nil, err
	}
	sums := make([]float32, each*(ringDepth+1))
	mem := emit.MemoryOf("out", emit.Global, sums)
	m := &emit.Machine{}
	m.Bind("out", emit.PtrTo(mem, 0))
	if err := m.Run(f); err != nil {
		return nil, err
	}
	mem.Decode(sums)
	bits := make([]uint32, len(sums))
	for i, x := range sums {
		bits[i] = math.Float32bits(x)
	}
	return bits, nil
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
