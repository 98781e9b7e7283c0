package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

func TestEdgeSoftmax(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testEdgeSoftmax[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testEdgeSoftmax[float64](t, isa) })
	})
}

func testEdgeSoftmax[T dtype.Float](t *testing.T, isa string) {
	long := sparse.NewBuilder[T](3, 20000) // a row that no call of a kernel takes, between others
	for j := range 20000 {
		long.Add(1, j, T(j%17)/3)
		if j%1000 == 0 {
			long.Add(0, j, T(j))
			long.Add(2, j, -T(j))
		}
	}
	m, err := long.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	all := structures[T]()
	all["long"] = m
	rng := rand.New(level.PCG(1, 2))
	for name, s := range all {
		opt := Options{ISA: isa, Threads: 2}
		out, dout := guarded[T](t, 1, s.NNZ()).Data, make([]T, s.NNZ())
		for e := range dout {
			dout[e] = T(rng.NormFloat64())
		}
		out = out[:s.NNZ()]
		EdgeSoftmax(opt, out, s)
		din := append([]T(nil), dout...)
		EdgeSoftmaxBack(opt, din, s, out, din)
		pointers, _, values := s.CSR()
		for i := range s.Rows() {
			row := values[pointers[i]:pointers[i+1]]
			top, sum, mean, size := math.Inf(-1), 0.0, 0.0, 0.0
			for _, x := range row {
				top = max(top, float64(x))
			}
			for _, x := range row {
				sum += math.Exp(float64(x) - top)
			}
			for n, x := range row {
				p := math.Exp(float64(x)-top) / sum * float64(dout[int(pointers[i])+n])
				mean, size = mean+p, size+math.Abs(p)
			}
			unit := map[dtype.Type]float64{dtype.F32: 0x1p-23, dtype.F64: 0x1p-52}[dtype.Of[T]()]
			for n, x := range row {
				e := int(pointers[i]) + n
				want := math.Exp(float64(x)-top) / sum
				if math.Abs(float64(out[e])-want) > unit*float64(len(row)+8)*want {
					t.Fatalf("%s: entry %d of row %d is %v, want %v", name, n, i, out[e], want)
				}
				back := want * (float64(dout[e]) - mean)
				if math.Abs(float64(din[e])-back) > unit*float64(4*len(row)+32)*want*(math.Abs(float64(dout[e]))+size) {
					t.Fatalf("%s: gradient %d of row %d is %v, want %v", name, n, i, din[e], back)
				}
			}
		}
	}
}

func TestEdgeSoftmaxExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	s, err := sparse.FromCOO(4, 2, []int{0, 0, 1, 1, 2, 2, 3, 3}, []int{0, 1, 0, 1, 0, 1, 0, 1}, []float32{1e38, -1e38, -inf, -inf, 0, nan, 5, -inf})
	if err != nil {
		t.Fatal(err)
	}
	eachISA(t, func(t *testing.T, isa string) {
		out := make([]float32, 8)
		EdgeSoftmax(Options{ISA: isa}, out, s)
		if have, want := fmt.Sprint(out), "[1 0 NaN NaN NaN NaN 1 0]"; have != want {
			t.Errorf("%s, want %s", have, want)
		}
	})
}

func TestEdgeSoftmaxRefuses(t *testing.T) {
	s := randomEntries[float64](rand.New(level.PCG(1, 1)), 6, 5, 1)
	n := s.NNZ()
	out := make([]float64, n)
	refuses(t, "cpu.EdgeSoftmax", fmt.Sprintf("out has 3 elements, s has %d entries; want one for each", n), func() { EdgeSoftmax(Options{}, out[:3], s) })
	refuses(t, "cpu.EdgeSoftmaxBack", "din shares memory with out; copy it first", func() { EdgeSoftmaxBack(Options{}, out, s, out, make([]float64, n)) })
	refuses(t, "cpu.EdgeSoftmaxBack", fmt.Sprintf("dout has 2 elements, s has %d entries; want one for each", n),
		func() { EdgeSoftmaxBack(Options{}, make([]float64, n), s, out, make([]float64, 2)) })
	refusesOption(t, "cpu.EdgeSoftmax", "a softmax has no alpha and no beta; leave Options.Scaling unset", func() { EdgeSoftmax(Options{Scaling: Scale(2, 0)}, out, s) })
}

func ExampleEdgeSoftmax() {
	s, err := sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 1}, []float64{0, math.Log(3), 7})
	if err != nil {
		panic(err)
	}
	weights := make([]float64, s.NNZ())
	EdgeSoftmax(Options{}, weights, s)
	fmt.Printf("%.2f\n", weights)
	// Output: [0.25 0.75 1.00]
}
