package sweep

import (
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// What the operands of products of quantised matrices stand for. Rows of a have scales of
// many sizes. So sums of small numbers, and of large ones, have rows in which they neither
// vanish nor saturate.
const (
	quantZeroA, quantZeroB, quantZeroOut = 3, -2, 5

	quantRows = 20 // sizes of a row's scale
)

// quantised are rows of a as they have been wanted so far: calls allocate nothing.
var quantised struct {
	sync.Mutex
	cpu.Quant
}

// quantisedRows describes a of m rows, whose scales are powers of two from 1 down.
func quantisedRows(m int) cpu.Quant {
	q := &quantised
	q.Lock()
	defer q.Unlock()
	for i := len(q.Scale); i < m; i++ {
		q.Scale, q.Zero = append(q.Scale, float32(math.Ldexp(1, -i%quantRows))), append(q.Zero, quantZeroA)
	}
	return cpu.Quant{Axis: cpu.QuantPerRow, Scale: q.Scale[:m:m], Zero: q.Zero[:m:m]}
}

// stockQuant is cpu.QuantMatMul of a quantised a by int8, b not packed beforehand, with a bias and
// zero points of all three matrices.
func stockQuant[Out interface {
	cpu.QuantOut
	quant.Int
}, A cpu.QuantIn]() Kernel {
	const scaleB, scaleOut = 0.5, 2
	return Of(func(opt run.Options) check.Case {
		return check.Case{
			Name: "QuantMatMul", MR: 9, NR: 3 * 16, KC: tiling.KCMax, A: dtype.Of[A](), B: dtype.I8, Acc: dtype.I32, Strict: true,
			Slots: []check.Slot{{Type: dtype.Of[Out](), Out: true}, {Type: dtype.I32, Col: true}},
			Zeros: func(*check.Problem) (a, b float64) { return quantZeroA, quantZeroB },
			Call: func(p *check.Problem) {
				cpu.QuantMatMulOpt(opt, check.Get[layout.Matrix[Out]](p, 0), check.Get[layout.Matrix[A]](p, check.A), check.Get[layout.Matrix[int8]](p, check.B), cpu.QuantProduct{
					A:    quantisedRows(p.M),
					B:    cpu.Quant{Scale: []float32{scaleB}, Zero: []int32{quantZeroB}},
					Out:  cpu.Quant{Scale: []float32{scaleOut}, Zero: []int32{quantZeroOut}},
					Bias: check.Get[[]int32](p, 1),
				})
			},
			Results: func(p *check.Problem, sum float64, i, j int) []float64 {
				scale := quantisedRows(p.M).Scale[i] * (scaleB / scaleOut)
				return []float64{check.Float64(quant.RequantiseBias[Out](int32(sum), int32(p.At(1, i, j)), scale, quantZeroOut))}
			},
		}
	})
}
