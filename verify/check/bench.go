package check

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Benchmark times f on square row-major matrices of random numbers as a
// sub-benchmark with key=value names, and reports GFLOP/s. The result is compared
// with the oracles first: a wrong kernel has no speed.
func Benchmark[T dtype.Float](b *testing.B, isa string, n int, f func(out, x, y layout.Matrix[T])) {
	benchmark(b, fmt.Sprintf("isa=%s/type=%v/n=%d", isa, dtype.Of[T](), n), Shape{n, n, n}, f)
}

func benchmark[T dtype.Float](b *testing.B, name string, s Shape, f func(out, x, y layout.Matrix[T])) {
	t := dtype.Of[T]()
	c := Case{A: t, B: t, Acc: t, Slots: []Slot{{Type: t, Out: true}}, Call: func(p *Problem) {
		f(Get[layout.Matrix[T]](p, 0), Get[layout.Matrix[T]](p, A), Get[layout.Matrix[T]](p, B))
	}}
	timed(b, name, c.TimedProduct(s, false, false))
}

// Bench times a case, an operation of the kind that its Op says, after it has compared it with the oracle. n is the size
// of a square product, or 0.
func Bench(b *testing.B, isa string, n int, c Case) {
	name := "isa=" + isa
	if n > 0 {
		name = fmt.Sprintf("%s/n=%d", name, n)
	}
	x, err := c.Timed(nil, n)
	if err != nil {
		b.Run(name, func(b *testing.B) { b.Skip(err) })
		return
	}
	timed(b, name, x)
}

// timed reports billions of operations a second, two for each multiply-add.
func timed(b *testing.B, name string, x *Timed) {
	b.Run(name, func(b *testing.B) {
		if err := x.Check(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			x.Call()
		}
		b.ReportMetric(2*float64(x.MACs)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
