package cpu

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/internal/storm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// TestStorm calls every entry point of this package at once.
func TestStorm(t *testing.T) { storm.Run(t, cheapCalls, stormCalls()) }

// cheapCalls is how many calls at the front take some microseconds at most.
const cheapCalls = 9

func stormCalls() []storm.Call {
	rng := rand.New(level.PCG(7, 11))
	a20, a32 := normalDense[float64](rng, 20, 20), normalDense[float32](rng, 32, 32)
	a8, b8 := normalDense[float32](rng, 8, 8), normalDense[float32](rng, 8, 8)
	x, y := normalDense[float32](rng, 130, 70), normalDense[float32](rng, 70, 90)
	xd, yd := normalDense[float64](rng, 130, 70), normalDense[float64](rng, 70, 90)
	big, wide := normalDense[float32](rng, 200, 300), normalDense[float32](rng, 300, 170)
	batch := normalDense[float64](rng, 100*16, 16)
	packed := Pack(y)
	s, sd := randomEntries[float32](rng, 130, 130, .05), randomEntries[float64](rng, 130, 130, .05)
	q, k := normalDense[float32](rng, 130, 24), normalDense[float32](rng, 130, 24)
	relations := relationCases[float32](rng)["few"]
	xr, wr := normalDense[float32](rng, 200, 24), normalDense[float32](rng, 4*24, 24)
	window := mustMask(mask.Band(130, 20, 1)).Causal()
	qd := normalDense[float64](rng, 130, 24)
	vector := normalDense[float64](rng, 1, 130).Data
	pruned := Prune(s)
	plan, err := PlanSpGEMM(Options{}, SpGEMMSpec[float64]{}, sd, sd)
	if err != nil {
		panic(err)
	}
	blocks, err := format.Pack(s, format.BSR(4))
	if err != nil {
		panic(err)
	}
	two := Options{Threads: 2}
	scaled := Options{Scaling: Scale(2, 0)}
	calls := []storm.Call{
		{Name: "MatMul/NN/20", Once: func() uint64 { return productBits(a20, a20) }},
		{Name: "MatMul/NT/20", Once: func() uint64 { return productBits(a20, a20.T()) }},
		{Name: "MatMul/TN/32", Once: func() uint64 { return productBits(a32.T(), a32) }},
		{Name: "MatMul/NT/32", Once: func() uint64 { return productBits(a32, a32.T()) }},
		{Name: "MatMul/column-major/8", Once: func() uint64 {
			return productBits(a8, layout.ColMajor(b8.Data, 8, 8))
		}},
		{Name: "MatMulOpt/scaled/NT", Once: func() uint64 {
			out := layout.New[float64](20, 20)
			MatMulOpt(scaled, out, a20, a20.T())
			return storm.Bits(out.Data)
		}},
		{Name: "MatMul/slices on the stack", Once: func() uint64 {
			var a, b, out [20 * 20]float64
			copy(a[:], a20.Data)
			copy(b[:], a20.Data)
			MatMul(layout.RowMajor(out[:], 20, 20), layout.RowMajor(a[:], 20, 20), layout.ColMajor(b[:], 20, 20))
			return storm.Bits(out[:])
		}},
		{Name: "BLAS64/NT", Once: func() uint64 {
			out := make([]float64, 400)
			BLAS64{}.Dgemm(blas.NoTrans, blas.Trans, 20, 20, 20, 1, a20.Data, 20, a20.Data, 20, 0, out, 20)
			return storm.Bits(out)
		}},
		{Name: "BLAS32/TT", Once: func() uint64 {
			out := make([]float32, 32*32)
			BLAS32{}.Sgemm(blas.Trans, blas.Trans, 32, 32, 32, 1, a32.Data, 32, a32.Data, 32, 0, out, 32)
			return storm.Bits(out)
		}},
		{Name: "MatMul/130x90x70", Once: func() uint64 { return productBits(x, y) }},
		{Name: "MatMul/two threads", Once: func() uint64 {
			out := layout.New[float32](200, 170)
			MatMulOpt(two, out, big, wide)
			return storm.Bits(out.Data)
		}},
		{Name: "MatMul/skinny", Once: func() uint64 { return productBits(big.Slice(0, 3, 0, 300), wide) }},
		{Name: "MatMul/strided", Once: func() uint64 { return productBits(xd.Slice(1, 91, 1, 41), yd.Slice(0, 70, 1, 41).T()) }},
		{Name: "MatMul/packed", Once: func() uint64 {
			out := layout.New[float32](130, 90)
			MatMulOpt(Options{B: packed}, out, x, y)
			return storm.Bits(out.Data)
		}},
		{Name: "Pack", Once: func() uint64 {
			out := layout.New[float32](130, 90)
			MatMulOpt(Options{B: Pack(y)}, out, x, y)
			return storm.Bits(out.Data)
		}},
		{Name: "MatMulBatch/NT", Once: func() uint64 { return batchBits(Options{Threads: 1}, batch) }},
		{Name: "MatMulBatch/NT/two threads", Once: func() uint64 { return batchBits(two, batch) }},
		{Name: "SpMM", Once: func() uint64 {
			out := layout.New[float32](130, 24)
			SpMM(out, s, k)
			return storm.Bits(out.Data)
		}},
		{Name: "SpMM/transposed/two threads", Once: func() uint64 {
			out := layout.New[float64](130, 24)
			SpMMOpt(two, out, sd, layout.ColMajor(qd.Data, 130, 24))
			return storm.Bits(out.Data)
		}},
		{Name: "SpMV", Once: func() uint64 {
			out := make([]float64, 130)
			SpMV(out, sd, vector)
			return storm.Bits(out)
		}},
		{Name: "SDDMM", Once: func() uint64 {
			out := make([]float32, s.NNZ())
			SDDMMInto(SDDMMOptions{}, out, s, q, k)
			return storm.Bits(out)
		}},
		{Name: "GraphAttention", Once: func() uint64 {
			out := layout.New[float32](130, 24)
			GraphAttention(AttentionOptions{}, out, s, q, k, q)
			return storm.Bits(out.Data)
		}},
		{Name: "BlockAttention", Once: func() uint64 {
			out := layout.New[float32](130, 24)
			BlockAttention(BlockAttentionOptions{}, out, window, q, k, q)
			return storm.Bits(out.Data)
		}},
		{Name: "MulRelations", Once: func() uint64 {
			out := layout.New[float32](300, 24)
			MulRelations(Options{}, out, relations, xr, wr)
			return storm.Bits(out.Data)
		}},
		{Name: "SpGEMM", Once: func() uint64 {
			c, _ := SpGEMMOpt(two, SpGEMMSpec[float64]{}, sd, sd)
			_, _, values := c.CSR()
			return storm.Bits(values)
		}},
		{Name: "SpGEMM/masked", Once: func() uint64 {
			c, _ := SpGEMMOpt(two, SpGEMMSpec[float32]{Mask: &s, Semiring: semiring.MinPlus[float32]()}, s, s)
			_, _, values := c.CSR()
			return storm.Bits(values)
		}},
		{Name: "SpGEMMPlan", Once: func() uint64 {
			c, _ := plan.Multiply(sd, sd)
			_, _, values := c.CSR()
			return storm.Bits(values)
		}},
		{Name: "SpMMBlocks", Once: func() uint64 {
			out := layout.New[float32](130, 24)
			SpMMBlocks(two, out, blocks, k)
			return storm.Bits(out.Data)
		}},
		{Name: "MulPruned", Once: func() uint64 {
			out := layout.New[float32](130, 24)
			MulPruned(two, out, pruned, k)
			return storm.Bits(out.Data)
		}},
	}
	for _, p := range mixedPairs() {
		calls = append(calls, p.storm(rng.IntN)...)
	}
	return calls
}

// productBits returns the bits of a*b.
func productBits[T dtype.Float](a, b layout.Matrix[T]) uint64 {
	out := layout.New[T](a.Rows, b.Cols)
	MatMul(out, a, b)
	return storm.Bits(out.Data)
}

// batchBits multiplies a hundred matrices with their transposes.
func batchBits(opt Options, x layout.Matrix[float64]) uint64 {
	out := make([]float64, 100*256)
	MatMulBatch(opt, Batch{Count: 100, Out: 256, A: 256, B: 256}, layout.RowMajor(out, 16, 16),
		layout.RowMajor(x.Data, 16, 16), layout.ColMajor(x.Data, 16, 16))
	return storm.Bits(out)
}
