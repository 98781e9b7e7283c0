package small

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

// The direct calls give the bits of the call with matrices: every sum goes along k in
// order, whichever kernel does it.
func TestSameBits(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	const count, n = 5, 23
	a, b := random(r, count*n*n), random(r, count*n*n)
	for _, isa := range run.PlainISAs() {
		opt := run.Options{ISA: isa}
		batch, one := make([]float32, count*n*n), make([]float32, n*n)
		SGEMM23BatchOpt(opt, dense.Batch{Count: count, Out: n * n, A: n * n, B: n * n}, batch, a, b)
		for p := range count {
			part := func(s []float32) layout.Matrix[float32] { return layout.RowMajor(s[p*n*n:(p+1)*n*n], n, n) }
			SGEMM23Opt(opt, layout.RowMajor(one, n, n), part(a), part(b))
			if !slices.Equal(one, part(batch).Data) {
				t.Errorf("%s: product %d of the batch differs from that of matrices", isa, p)
			}
		}
	}
	var out, again [n * n]float32
	SGEMM23Arrays(&out, (*[n * n]float32)(a), (*[n * n]float32)(b))
	SGEMM23(layout.RowMajor(again[:], n, n), layout.RowMajor(a[:n*n], n, n), layout.RowMajor(b[:n*n], n, n))
	if out != again {
		t.Error("the product of arrays differs from that of matrices")
	}
}

// Threads do not change a batch.
func TestBatchThreads(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	const count, n = 300, 32
	a, b := random(r, count*n*n), random(r, n*n)
	want, have := make([]float32, count*n*n), make([]float32, count*n*n)
	batch := dense.Batch{Count: count, Out: n * n, A: n * n} // one b for all
	SGEMM32BatchOpt(run.Options{Threads: 1}, batch, want, a, b)
	for _, threads := range []int{2, 3, 8} {
		clear(have)
		SGEMM32BatchOpt(run.Options{Threads: threads}, batch, have, a, b)
		if !slices.Equal(have, want) {
			t.Errorf("%d threads give another result", threads)
		}
	}
}

// Arrays on the stack stay there, and no call allocates.
func TestNoAllocation(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	out, a, b := make([]float32, 10*64), random(r, 10*64), random(r, 10*64)
	for _, c := range []struct {
		name string
		call func()
	}{
		{"arrays", func() {
			var out, a, b [64]float32
			a[0], b[0] = 1, 2
			SGEMM8Arrays(&out, &a, &b)
			if out[0] != 2 {
				t.Errorf("1*2 is %v", out[0])
			}
		}},
		{"batch", func() { SGEMM8Batch(out, a, b, 10) }},
		{"matrices", func() {
			SGEMM8(layout.RowMajor(out[:64], 8, 8), layout.RowMajor(a[:64], 8, 8), layout.RowMajor(b[:64], 8, 8))
		}},
	} {
		least := 1.0
		for range 5 { // the first calls fill pools
			least = min(least, testing.AllocsPerRun(20, c.call))
		}
		if least > 0 {
			t.Errorf("%s: %v allocations a call", c.name, least)
		}
	}
}

// TestCallerIsNamed: errors name the function that was called.
func TestCallerIsNamed(t *testing.T) {
	m := func(n int) layout.Matrix[float32] { return layout.New[float32](n, n) }
	short, whole := make([]float32, 63), make([]float32, 64)
	array := [64]float32{}
	for want, call := range map[string]func(){
		"small.SGEMM8: out is 8 x 8, a is 9 x 9, b is 8 x 8; want m x n, m x k, k x n":                                          func() { SGEMM8(m(8), m(9), m(8)) },
		"small.SGEMM8Opt: out is 8 x 8, a is 9 x 9, b is 8 x 8; want m x n, m x k, k x n":                                       func() { SGEMM8Opt(run.Options{}, m(8), m(9), m(8)) },
		"small.SGEMM8Batch: out has 63 elements, too few for 1 matrices of 64 elements, 64 apart":                               func() { SGEMM8Batch(short, whole, whole, 1) },
		"small.SGEMM8BatchOpt: out has 63 elements, too few for 1 matrices of 64 elements, 64 apart":                            func() { SGEMM8BatchOpt(run.Options{}, sGEMM8Fixed.Dense(1), short, whole, whole) },
		"small.SGEMM8BatchOpt: -1 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS": func() { SGEMM8BatchOpt(run.Options{Threads: -1}, sGEMM8Fixed.Dense(1), whole, whole, whole) },
		"small.SGEMM8Opt: -1 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS":      func() { SGEMM8Opt(run.Options{Threads: -1}, m(8), m(8), m(8)) },
		"small.SGEMM8: out shares memory with an operand; copy the operand first":                                               func() { SGEMM8Arrays(&array, &array, &array) },
		"small.SGEMM8Pack: b: 63 elements do not hold 8 x 8 with strides (8, 1); want at least 64": func() {
			SGEMM8Pack(layout.Matrix[float32]{Data: short, Rows: 8, Cols: 8, RowStride: 8, ColStride: 1})
		},
	} {
		func() {
			defer func() {
				if have := fmt.Sprint(recover()); have != want {
					t.Errorf("have %q, want %q", have, want)
				}
			}()
			call()
		}()
	}
}
