package cpu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Weights of which half is stored, of the layer of a network.
func ExampleMatMul24() {
	w, err := sparse24.Pack(layout.RowMajor([]float32{1, 0, 0, 2, 0, 3, 0, 4}, 2, 4))
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, float32(math.Inf(1)), 10, 100}, 4, 1)
	y := layout.New[float32](2, 1)
	cpu.MatMul24[float32](cpu.Options{}, y, w, x) // nothing is stored where x is infinite, in the first row
	fmt.Println(y)
	// Output:
	// [ 201]
	// [+Inf]
}

// matMul24 compares products of small integers, and of infinities and NaN, with the plain loop
// over what is stored.
func matMul24[Acc dtype.Sum, A sparse24.Elem, B, Out dtype.Elem](t *testing.T, a func(float64) A, b func(float64) B, out func(float64) Out) {
	t.Helper()
	rnd := rand.New(level.PCG(7, uint64(dtype.Of[A]())))
	integers := dtype.Of[Acc]() == dtype.I32
	for i := range level.Of(20, 60, 60) {
		m, n, k := rnd.IntN(40), rnd.IntN(40), rnd.IntN(70)
		x, y, z := layout.New[A](m, k), layout.New[B](k, n), layout.New[Out](m, n)
		for i := range x.Data {
			x.Data[i] = a(float64(rnd.IntN(5)))
		}
		for i := range y.Data {
			v := float64(rnd.IntN(7))
			if !integers && i%3 == 0 && rnd.IntN(60) == 0 {
				v = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[rnd.IntN(3)]
			}
			y.Data[i] = b(v)
		}
		if i%2 == 0 {
			yt := layout.New[B](n, k).T()
			for r := range k {
				for c := range n {
					yt.Set(r, c, y.At(r, c))
				}
			}
			y = yt
		}
		packed, err := sparse24.Pack(sparse24.Prune(x))
		if err != nil {
			t.Fatal(err)
		}
		opt, alpha, beta := cpu.Options{}, 1.0, 0.0
		if i%3 == 0 && !integers {
			alpha, beta = float64(rnd.IntN(3)-1), float64(rnd.IntN(3))
			opt.Scaling = cpu.Scale(alpha, beta)
		}
		if i%5 == 0 {
			opt.B = cpu.PackOf[Acc, A](y)
		}
		want := make([]float64, m*n)
		for r := range m {
			for c := range n {
				z.Set(r, c, out(float64(rnd.IntN(4))))
				sum := 0.0
				for p, v := range packed.Row(r) {
					sum += check.Float64(v) * check.Float64(y.At(p, c))
				}
				old := beta * check.Float64(z.At(r, c))
				if alpha == 0 {
					sum = 0
				}
				want[r*n+c] = alpha*sum + old
			}
		}
		cpu.MatMul24[Acc](opt, z, packed, y)
		for r := range m {
			for c := range n {
				have, want := check.Float64(z.At(r, c)), check.Float64(out(want[r*n+c]))
				if have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
					t.Fatalf("%d x %d x %d, alpha %v, beta %v: [%d,%d] is %v, want %v", m, n, k, alpha, beta, r, c, have, want)
				}
			}
		}
	}
}

func TestMatMul24(t *testing.T) {
	f32 := func(x float64) float32 { return float32(x) }
	f64 := func(x float64) float64 { return x }
	bf := func(x float64) dtype.BF16 { return dtype.ToBF16(x) }
	half := func(x float64) dtype.F16 { return dtype.ToF16(x) }
	matMul24[float32](t, f32, f32, f32)
	matMul24[float64](t, f32, f64, f64)
	matMul24[float32](t, bf, bf, bf)
	matMul24[float32](t, half, half, f32)
	matMul24[float32](t, bf, f32, half)
	matMul24[int32](t, func(x float64) int8 { return int8(x - 2) }, func(x float64) uint8 { return uint8(x) }, func(x float64) int32 { return int32(x) })
}

// What is wrong is refused before an element is written, where b has an infinity too.
func TestMatMul24Refused(t *testing.T) {
	w, err := sparse24.Pack(layout.RowMajor([]float32{1, 0, 0, 2, 0, 3, 0, 4}, 2, 4))
	if err != nil {
		t.Fatal(err)
	}
	inf := float32(math.Inf(1))
	x := layout.RowMajor([]float32{1, inf, 10, 100, 5, 6}, 6, 1)
	other := layout.RowMajor([]float32{1, inf, 10, 100}, 4, 1)
	for name, call := range map[string]func(out layout.Matrix[float32]){
		"nil": func(out layout.Matrix[float32]) {
			cpu.MatMul24[float32](cpu.Options{}, out, (*sparse24.Matrix[float32])(nil), other)
		},
		"depth": func(out layout.Matrix[float32]) { cpu.MatMul24[float32](cpu.Options{}, out, w, x.Slice(0, 3, 0, 1)) },
		"short": func(out layout.Matrix[float32]) {
			b := other
			b.Data = b.Data[:3]
			cpu.MatMul24[float32](cpu.Options{}, out, w, b)
		},
		"overlap": func(layout.Matrix[float32]) {
			cpu.MatMul24[float32](cpu.Options{}, x.Slice(4, 6, 0, 1), w, x.Slice(1, 5, 0, 1))
		},
		"packed": func(out layout.Matrix[float32]) {
			cpu.MatMul24[float32](cpu.Options{B: cpu.PackOf[float32, float32](x)}, out, w, other)
		},
		"threads": func(out layout.Matrix[float32]) { cpu.MatMul24[float32](cpu.Options{Threads: -1}, out, w, other) },
		"of types": func(layout.Matrix[float32]) {
			cpu.MatMul24[int32](cpu.Options{}, layout.New[int32](2, 1), w, layout.New[int8](4, 1))
		},
	} {
		func() {
			out := layout.RowMajor([]float32{7, 7}, 2, 1)
			defer func() {
				err, ok := recover().(error)
				if !ok || out.At(0, 0) != 7 || x.At(4, 0) != 5 {
					t.Errorf("%s: %v, out is %v", name, err, out)
				}
				if shape := (layout.ShapeError{}); name == "nil" && !errors.As(err, &shape) {
					t.Error(err)
				}
			}()
			call(out)
		}()
	}
}
