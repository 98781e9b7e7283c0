package dense

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Dense products of a semiring. Every element is Plus, over k, of Times(a, b), from Zero
// on and in the order of k. Kernels sum blocks of k in that way and then join the blocks
// in their order, which is the same wherever Plus is exact. There is no alpha and no
// beta: nothing is done that the semiring does not say.

// checkSemiring refuses options and a structure that products of a semiring do not have.
func checkSemiring(name string, opt *run.Options, is Structure) {
	switch {
	case opt.Conj != 0:
		panic(run.OptionError{What: name, Why: "conjugates belong to sums of products, this is another semiring; leave Options.Conj unset"})
	case opt.Scaling.On():
		panic(run.OptionError{What: name, Why: "alpha and beta belong to sums of products, this is another semiring; leave Options.Scaling unset"})
	case is != (Structure{}):
		panic(run.OptionError{What: name, Why: "triangles belong to sums of products, this is another semiring; leave Call.Structure unset"})
	}
}

// semiringInGo is the product in plain Go. The rows of out are cut among the threads, or its
// columns if it has more of them.
func semiringInGo[T dtype.AnySum](g semiring.Semiring[T], threads int, out, a, b layout.Matrix[T]) {
	p := &semiringPart[T]{ring: g, out: out, a: a, b: b}
	muls := float64(a.Cols) * float64(out.Rows) * float64(out.Cols)
	if threads == 1 || muls < work.Threaded/32 {
		p.rectangle(out, a, b)
		return
	}
	p.piece = mem.Ceil(max(out.Rows, out.Cols), 4*threads)
	j := jobs.Get()
	j.do = p
	j.run(threads)
	putJob(j)
}

// semiringPart is a product cut into pieces, of which any number of workers take one
// after another.
type semiringPart[T dtype.AnySum] struct {
	ring      semiring.Semiring[T]
	out, a, b layout.Matrix[T]
	piece     int // rows or columns, of whichever out has more
	next      atomic.Int64
}

func (p *semiringPart[T]) work(*worker) {
	m, n, k := p.out.Rows, p.out.Cols, p.a.Cols
	for {
		from := int(p.next.Add(1)-1) * p.piece
		to := min(from+p.piece, max(m, n))
		switch {
		case from >= to:
			return
		case m >= n:
			p.rectangle(p.out.Slice(from, to, 0, n), p.a.Slice(from, to, 0, k), p.b)
		default:
			p.rectangle(p.out.Slice(0, m, from, to), p.a, p.b.Slice(0, k, from, to))
		}
	}
}

// rectangle computes some of out, a piece of a row at a time.
func (p *semiringPart[T]) rectangle(out, a, b layout.Matrix[T]) {
	var sums [genericRow]T
	zero := p.ring.Zero
	plus, times := p.ring.Plus, p.ring.Times
	for i := range out.Rows {
		for from := 0; from < out.Cols; from += len(sums) {
			acc := sums[:min(len(sums), out.Cols-from)]
			for j := range acc {
				acc[j] = zero
			}
			for k := range a.Cols {
				x, y := a.Data[i*a.RowStride+k*a.ColStride], b.Data[k*b.RowStride+from*b.ColStride:]
				for j := range acc {
					acc[j] = plus(acc[j], times(x, y[j*b.ColStride]))
				}
			}
			row := out.Data[i*out.RowStride+from*out.ColStride:]
			for j, x := range acc {
				row[j*out.ColStride] = x
			}
		}
	}
}
