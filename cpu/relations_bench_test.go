package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// wholeRelations is the plain way: all rows of a relation gathered, multiplied by MatMul,
// and added where they belong.
func wholeRelations(opt Options, out layout.Matrix[float32], rel []sparse.Matrix[float32], x, w, rows, products layout.Matrix[float32]) {
	clear(out.Data)
	k, l := x.Cols, out.Cols
	for r, m := range rel {
		_, indices, _ := m.CSR()
		n := len(indices)
		for p, j := range indices {
			copy(rows.Data[p*k:p*k+k], x.Data[int(j)*k:])
		}
		MatMulOpt(opt, products.Slice(0, n, 0, l), rows.Slice(0, n, 0, k), w.Slice(r*k, (r+1)*k, 0, l))
		p := 0
		for e := range m.All() {
			to, from := out.Data[e.I*l:][:l], products.Data[p*l:][:l]
			for c := range to {
				to[c] += from[c]
			}
			p++
		}
	}
}

func BenchmarkRelations(b *testing.B) {
	rng := rand.New(level.PCG(1, 2))
	const k = 64
	graph := func(nodes, count, edges int) sparse.Relations[float32] {
		var i, j, kind []int32
		for range edges {
			i, j, kind = append(i, int32(rng.IntN(nodes))), append(j, int32(rng.IntN(nodes))), append(kind, int32(rng.IntN(count)))
		}
		a, err := sparse.RelationsOf[float32](nodes, nodes, count, i, j, kind, nil)
		if err != nil {
			b.Fatal(err)
		}
		return a
	}
	// A surface in a grid, as a laser sees it, in the order of a scan.
	var points, offsets [][3]int32
	for x := int32(0); len(points) < 100_000; x++ {
		for y := int32(0); y < 316 && len(points) < 100_000; y++ {
			points = append(points, [3]int32{x, y, (x*x/40+y*3)/16%50 + int32(rng.IntN(2))})
		}
	}
	for n := range int32(27) {
		offsets = append(offsets, [3]int32{n/9 - 1, n/3%3 - 1, n%3 - 1})
	}
	cloud, err := sparse.Convolution[float32](points, offsets)
	if err != nil {
		b.Fatal(err)
	}
	opt := Options{Threads: 1}
	for _, c := range []struct {
		name string
		a    sparse.Relations[float32]
	}{{"rgcn-100k", graph(100_000, 16, 1_000_000)}, {"rgcn-10k", graph(10_000, 16, 1_000_000)}, {"cloud", cloud}} {
		x, w, out := normalDense[float32](rng, c.a.Cols(), k), normalDense[float32](rng, c.a.Count()*k, k), layout.New[float32](c.a.Rows(), k)
		most := 0
		rel := make([]sparse.Matrix[float32], c.a.Count())
		for r := range rel {
			rel[r] = c.a.Matrix(r)
			most = max(most, rel[r].NNZ())
		}
		rows, products := layout.New[float32](most, k), layout.New[float32](most, k)
		flops := 2 * float64(c.a.NNZ()) * k * k
		MulRelations(opt, out, c.a, x, w)
		whole := layout.New[float32](out.Rows, k)
		wholeRelations(opt, whole, rel, x, w, rows, products)
		for i, want := range whole.Data { // right first
			if have := out.Data[i]; have-want > 1e-2 || want-have > 1e-2 {
				b.Fatalf("%s: element %d is %v, want %v", c.name, i, have, want)
			}
		}
		rate := func(b *testing.B) { b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GF/s") }
		for range 2 {
			b.Run(c.name+"/ours", func(b *testing.B) {
				for b.Loop() {
					MulRelations(opt, out, c.a, x, w)
				}
				rate(b)
			})
			b.Run(c.name+"/whole", func(b *testing.B) {
				for b.Loop() {
					wholeRelations(opt, out, rel, x, w, rows, products)
				}
				rate(b)
			})
		}
		b.Run(c.name+"/gemm", func(b *testing.B) { // the products alone, of what is gathered
			for b.Loop() {
				for r, m := range rel {
					n := m.NNZ()
					MatMulOpt(opt, products.Slice(0, n, 0, k), rows.Slice(0, n, 0, k), w.Slice(r*k, (r+1)*k, 0, k))
				}
			}
			rate(b)
		})
	}
}
