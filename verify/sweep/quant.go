package sweep

import (
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
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
	type problem = check.FusedProblem[A, int8]
	return Fused(func(opt run.Options) check.FusedCase[A, int8, int32] {
		return check.FusedCase[A, int8, int32]{
			Name: "QuantMatMul", MR: 9, NR: 3 * 16, KC: tiling.KCMax, Outs: 1, Strict: true,
			Zeros: func(*problem) (a, b float64) { return quantZeroA, quantZeroB },
			Call: func(p *problem) {
				cpu.QuantMatMulOpt(opt, check.OutOf[Out](p, 0), p.A, p.B, cpu.QuantProduct{
					A:    quantisedRows(p.M),
					B:    cpu.Quant{Scale: []float32{scaleB}, Zero: []int32{quantZeroB}},
					Out:  cpu.Quant{Scale: []float32{scaleOut}, Zero: []int32{quantZeroOut}},
					Bias: check.ColumnOf[int32](p, 1),
				})
			},
			Results: func(p *problem, sum int32, i, j int) []float64 {
				scale := quantisedRows(p.M).Scale[i] * (scaleB / scaleOut)
				return []float64{check.Float64(quant.RequantiseBias[Out](sum, check.ColumnOf[int32](p, 1)[j], scale, quantZeroOut))}
			},
			Have: func(p *problem, _, i, j int) float64 { return check.Float64(check.OutOf[Out](p, 0).At(i, j)) },
			Ulp:  func(_ int, x float64) float64 { return check.Ulp[Out](x) },
		}
	})
}
