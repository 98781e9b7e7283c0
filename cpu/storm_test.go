package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/gen/examples/small"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestStorm calls every entry point from goroutines whose stacks grow and shrink while
// the collector runs, naturally and forced. Whoever holds the address of something on a
// stack where the runtime does not see it then reads or writes the memory of others;
// results that were right alone come out wrong, or the program dies. It takes 5
// seconds, with TILESMITH_LONG 30.
//
// The race detector and -d=checkptr change where stacks move, and hide such a fault: the
// storm counts most without them.
func TestStorm(t *testing.T) {
	last := 5 * time.Second
	if os.Getenv("TILESMITH_LONG") != "" {
		last = 30 * time.Second
	}
	if testing.Short() {
		last = time.Second
	}
	calls := stormCalls()
	for i := range calls {
		calls[i].want = calls[i].once()
	}

	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var wrong, done atomic.Int64
	var first sync.Map
	end := time.Now().Add(last)
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for n := 0; time.Now().Before(end); n++ {
				if n%25 == 0 { // grown here, taken back by the collector whenever it comes
					deepen(20 + rng.IntN(60))
				}
				c := &calls[rng.IntN(len(calls))]
				if rng.IntN(8) > 0 { // the cheap ones are those that work on the stack
					c = &calls[rng.IntN(cheapCalls)]
				}
				done.Add(1)
				if have := c.once(); have != c.want {
					wrong.Add(1)
					first.LoadOrStore(c.name, fmt.Sprintf("%x, want %x", have, c.want))
				}
			}
		})
	}
	for n := 0; time.Now().Before(end); n++ { // natural collections, more of them, and forced ones, in turn
		switch n % 3 {
		case 0:
			debug.SetGCPercent(100)
		case 1:
			debug.SetGCPercent(5)
		}
		for pause := time.Now().Add(last / 15); time.Now().Before(pause); time.Sleep(20 * time.Microsecond) {
			if n%3 == 2 {
				runtime.GC()
			}
			garbage.Store(make([]byte, 1<<16))
		}
	}
	all.Wait()
	first.Range(func(name, what any) bool {
		t.Errorf("%s: the bits of the result are %s", name, what)
		return true
	})
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d of %d results are wrong", n, done.Load())
	}
	t.Logf("%d calls", done.Load())
}

var garbage atomic.Value

// deepen uses n frames of more than 512 bytes.
//
//go:noinline
func deepen(n int) byte {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n > 0 {
		return deepen(n-1) + frame[(n+1)%512]
	}
	return frame[1]
}

// A stormCall is one entry point with operands that are shared and only read, and a
// result of its own each time; once returns a sum of the result's bits.
type stormCall struct {
	name string
	once func() uint64
	want uint64
}

// cheapCalls is how many calls at the front take some microseconds at most.
const cheapCalls = 13

func stormCalls() []stormCall {
	rng := rand.New(rand.NewPCG(7, 11))
	a20, a32 := normalDense[float64](rng, 20, 20), normalDense[float32](rng, 32, 32)
	a8, b8 := normalDense[float32](rng, 8, 8), normalDense[float32](rng, 8, 8)
	x, y := normalDense[float32](rng, 130, 70), normalDense[float32](rng, 70, 90)
	xd, yd := normalDense[float64](rng, 130, 70), normalDense[float64](rng, 70, 90)
	big, wide := normalDense[float32](rng, 200, 300), normalDense[float32](rng, 300, 170)
	batch := normalDense[float64](rng, 100*16, 16)
	bias, bias90 := normalDense[float32](rng, 1, 170).Data, normalDense[float32](rng, 1, 90).Data
	packed, gelu := Pack(y), fused.DenseGELUPack(wide)
	s, sd := randomEntries[float32](rng, 130, 130, .05), randomEntries[float64](rng, 130, 130, .05)
	q, k := normalDense[float32](rng, 130, 24), normalDense[float32](rng, 130, 24)
	relations := relationCases[float32](rng)["few"]
	xr, wr := normalDense[float32](rng, 200, 24), normalDense[float32](rng, 4*24, 24)
	window := mustMask(sparse.BandMask(130, 20, 1)).Causal()
	qd := normalDense[float64](rng, 130, 24)
	vector := normalDense[float64](rng, 1, 130).Data
	pruned := Prune(s)
	plan, err := PlanSpGEMM(Options{}, SpGEMMSpec[float64]{}, sd, sd)
	if err != nil {
		panic(err)
	}
	blocks, err := s.To(sparse.BSR(4))
	if err != nil {
		panic(err)
	}
	two := Options{Threads: 2}
	scaled := Options{Scaling: Scale(2, 0)}
	calls := []stormCall{
		{name: "MatMul/NN/20", once: func() uint64 { return productBits(a20, a20) }},
		{name: "MatMul/NT/20", once: func() uint64 { return productBits(a20, a20.T()) }},
		{name: "MatMul/TN/32", once: func() uint64 { return productBits(a32.T(), a32) }},
		{name: "MatMul/NT/32", once: func() uint64 { return productBits(a32, a32.T()) }},
		{name: "MatMul/column-major/8", once: func() uint64 {
			return productBits(a8, layout.ColMajor(b8.Data, 8, 8))
		}},
		{name: "MatMulOpt/scaled/NT", once: func() uint64 {
			out := layout.New[float64](20, 20)
			MatMulOpt(scaled, out, a20, a20.T())
			return bits(out.Data)
		}},
		{name: "MatMul/slices on the stack", once: func() uint64 {
			var a, b, out [20 * 20]float64
			copy(a[:], a20.Data)
			copy(b[:], a20.Data)
			MatMul(layout.RowMajor(out[:], 20, 20), layout.RowMajor(a[:], 20, 20), layout.ColMajor(b[:], 20, 20))
			return bits(out[:])
		}},
		{name: "BLAS64/NT", once: func() uint64 {
			out := make([]float64, 400)
			BLAS64{}.Dgemm(blas.NoTrans, blas.Trans, 20, 20, 20, 1, a20.Data, 20, a20.Data, 20, 0, out, 20)
			return bits(out)
		}},
		{name: "BLAS32/TT", once: func() uint64 {
			out := make([]float32, 32*32)
			BLAS32{}.Sgemm(blas.Trans, blas.Trans, 32, 32, 32, 1, a32.Data, 32, a32.Data, 32, 0, out, 32)
			return bits(out)
		}},
		{name: "Mul8Arrays, on the stack", once: func() uint64 {
			var out [64]float32
			x, y := [64]float32(a8.Data), [64]float32(b8.Data)
			small.Mul8Arrays(&out, &x, &y)
			return bits(out[:])
		}},
		{name: "Mul8", once: func() uint64 {
			out := layout.New[float32](8, 8)
			small.Mul8(out, a8, b8)
			return bits(out.Data)
		}},
		{name: "Dmul8Batch", once: func() uint64 {
			out := make([]float64, 10*64)
			small.Dmul8Batch(out, batch.Data[:640], batch.Data[640:1280], 10)
			return bits(out)
		}},
		{name: "Mul8/other strides", once: func() uint64 {
			out := layout.New[float32](8, 8)
			small.Mul8(out, a8.T(), b8)
			return bits(out.Data)
		}}, // the last of cheapCalls
		{name: "MatMul/130x90x70", once: func() uint64 { return productBits(x, y) }},
		{name: "MatMul/two threads", once: func() uint64 {
			out := layout.New[float32](200, 170)
			MatMulOpt(two, out, big, wide)
			return bits(out.Data)
		}},
		{name: "MatMul/skinny", once: func() uint64 { return productBits(big.Slice(0, 3, 0, 300), wide) }},
		{name: "MatMul/strided", once: func() uint64 { return productBits(xd.Slice(1, 91, 1, 41), yd.Slice(0, 70, 1, 41).T()) }},
		{name: "MatMul/packed", once: func() uint64 {
			out := layout.New[float32](130, 90)
			MatMulOpt(Options{B: packed}, out, x, y)
			return bits(out.Data)
		}},
		{name: "Pack", once: func() uint64 {
			out := layout.New[float32](130, 90)
			MatMulOpt(Options{B: Pack(y)}, out, x, y)
			return bits(out.Data)
		}},
		{name: "MatMulBatch/NT", once: func() uint64 { return batchBits(Options{Threads: 1}, batch) }},
		{name: "MatMulBatch/NT/two threads", once: func() uint64 { return batchBits(two, batch) }},
		{name: "DenseGELU", once: func() uint64 {
			out := layout.New[float32](130, 90)
			fused.DenseGELU(out, x, y, bias90)
			return bits(out.Data)
		}},
		{name: "DenseGELU/packed/two threads", once: func() uint64 {
			out, opt := layout.New[float32](200, 170), two
			opt.B = gelu
			fused.DenseGELUOpt(opt, out, big, wide, bias)
			return bits(out.Data)
		}},
		{name: "Logits", once: func() uint64 {
			out, peak, class, mass := layout.New[float32](130, 90), make([]float32, 130), make([]int32, 130), make([]float32, 90)
			fused.Logits(out, peak, class, mass, x, y, bias90)
			sum := bits(out.Data) + 3*bits(peak) + 5*bits(mass)
			for i, c := range class {
				sum += uint64(i+1) * uint64(c)
			}
			return sum
		}},
		{name: "Layer", once: func() uint64 {
			out := layout.New[float32](33, 40)
			small.Layer(out, wide.Slice(0, 33, 0, 32), big.Slice(0, 32, 0, 40), bias[:40])
			return bits(out.Data)
		}},
		{name: "Mul32Batch/two threads", once: func() uint64 {
			out := make([]float64, 6*1024)
			small.Dmul32BatchOpt(two, Batch{Count: 6, Out: 1024, A: 1024}, out, batch.Data[:6*1024], batch.Data[:1024])
			return bits(out)
		}},
		{name: "SpMM", once: func() uint64 {
			out := layout.New[float32](130, 24)
			SpMM(out, s, k)
			return bits(out.Data)
		}},
		{name: "SpMM/transposed/two threads", once: func() uint64 {
			out := layout.New[float64](130, 24)
			SpMMOpt(two, out, sd, layout.ColMajor(qd.Data, 130, 24))
			return bits(out.Data)
		}},
		{name: "SpMV", once: func() uint64 {
			out := make([]float64, 130)
			SpMV(out, sd, vector)
			return bits(out)
		}},
		{name: "SDDMM", once: func() uint64 {
			out := make([]float32, s.NNZ())
			SDDMMInto(SDDMMOptions{}, out, s, q, k)
			return bits(out)
		}},
		{name: "GraphAttention", once: func() uint64 {
			out := layout.New[float32](130, 24)
			GraphAttention(AttentionOptions{}, out, s, q, k, q)
			return bits(out.Data)
		}},
		{name: "BlockAttention", once: func() uint64 {
			out := layout.New[float32](130, 24)
			BlockAttention(BlockAttentionOptions{}, out, window, q, k, q)
			return bits(out.Data)
		}},
		{name: "MulRelations", once: func() uint64 {
			out := layout.New[float32](300, 24)
			MulRelations(Options{}, out, relations, xr, wr)
			return bits(out.Data)
		}},
		{name: "SpGEMM", once: func() uint64 {
			c, _ := SpGEMMOpt(two, SpGEMMSpec[float64]{}, sd, sd)
			_, _, values := c.CSR()
			return bits(values)
		}},
		{name: "SpGEMM/masked", once: func() uint64 {
			c, _ := SpGEMMOpt(two, SpGEMMSpec[float32]{Mask: &s, Semiring: semiring.MinPlus[float32]()}, s, s)
			_, _, values := c.CSR()
			return bits(values)
		}},
		{name: "SpGEMMPlan", once: func() uint64 {
			c, _ := plan.Multiply(sd, sd)
			_, _, values := c.CSR()
			return bits(values)
		}},
		{name: "SpMMBlocks", once: func() uint64 {
			out := layout.New[float32](130, 24)
			SpMMBlocks(two, out, blocks, k)
			return bits(out.Data)
		}},
		{name: "MulPruned", once: func() uint64 {
			out := layout.New[float32](130, 24)
			MulPruned(two, out, pruned, k)
			return bits(out.Data)
		}},
		{name: "Aggregate", once: func() uint64 {
			out := layout.New[float32](130, 128)
			graph.Aggregate(out, s, layout.RowMajor(big.Data, 130, 128), bias[:128])
			return bits(out.Data)
		}},
		{name: "Average", once: func() uint64 {
			out := layout.New[float64](130, 24)
			graph.Average(out, sd, qd)
			return bits(out.Data)
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
	return bits(out.Data)
}

// batchBits multiplies a hundred matrices with their transposes.
func batchBits(opt Options, x layout.Matrix[float64]) uint64 {
	out := make([]float64, 100*256)
	MatMulBatch(opt, Batch{Count: 100, Out: 256, A: 256, B: 256}, layout.RowMajor(out, 16, 16),
		layout.RowMajor(x.Data, 16, 16), layout.ColMajor(x.Data, 16, 16))
	return bits(out)
}

// bits depends on every bit of x and on their order.
func bits[T dtype.Float](x []T) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range x {
		h = (h ^ math.Float64bits(float64(v))) * 1099511628211
	}
	return h
}
