package check

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A call is how one problem is handed to the kernel.
type call struct {
	la, lb, lo  Layout
	alpha, beta float64
	at          position
	shift       int // of the alignment, if at is middle
}

// A runner calls the kernel under test and counts.
type runner[T dtype.Float] struct {
	f          Gemm[T]
	o          Options
	a, b, out  Guard[T]
	dense      []T // the result, row-major
	operand    []T // scratch to compare operands after the call
	calls, mac int
	failures   int  // in this group
	dead       bool // the kernel panicked or faulted, it is not called again
}

// maxFailures is after how many failures a group stops: the first few say what
// is wrong, and a broken kernel should not cost minutes.
const maxFailures = 3

// done reports whether the group must stop.
func (r *runner[T]) done() bool { return r.dead || r.failures >= maxFailures }

// try lays p out as c says, calls the kernel, checks that nothing but the elements
// of out has changed, and hands the result to compare, dense and row-major. It
// reports whether all was right.
func (r *runner[T]) try(t TB, p *problem[T], c call, compare func(have []T) error) bool {
	t.Helper()
	ma, mb, mo, err := r.guarded(p, c)
	if err != nil {
		t.Errorf("%v", err)
		r.dead = true
		return false
	}
	r.calls++
	r.mac += p.MACs()
	err = r.catch(func() { r.f(T(c.alpha), ma, mb, T(c.beta), mo) })
	if err == nil {
		err = r.collect(p, ma, mb, mo)
	}
	if err == nil {
		err = compare(r.dense)
	}
	if err == nil {
		return true
	}
	r.failures++
	t.Errorf("%v alpha=%v beta=%v a=%s b=%s out=%s at=%v: %v", p.Shape, c.alpha, c.beta,
		describe(c.la, ma), describe(c.lb, mb), describe(c.lo, mo), c.at, err)
	return false
}

func describe[T dtype.Float](l Layout, m layout.Matrix[T]) string {
	return fmt.Sprintf("%s(%d,%d)", l.Name, m.RowStride, m.ColStride)
}

// guarded puts the operands into their guards. If beta is 0, out holds signalling NaNs
// only: they must not be read.
func (r *runner[T]) guarded(p *problem[T], c call) (a, b, out layout.Matrix[T], err error) {
	if a, err = r.a.put(p.a, p.M, p.K, c.la, c.at, c.shift); err != nil {
		return
	}
	if b, err = r.b.put(p.b, p.K, p.N, c.lb, c.at, c.shift*5); err != nil {
		return
	}
	if out, err = r.out.put(p.c, p.M, p.N, c.lo, c.at, c.shift*11); err != nil {
		return
	}
	if c.beta == 0 {
		paint(out.Data)
	}
	return
}

// collect gathers the result into r.dense and checks canaries and operands.
func (r *runner[T]) collect(p *problem[T], a, b, out layout.Matrix[T]) error {
	r.dense = grow(r.dense, len(p.c))
	if err := r.out.take(r.dense, out); err != nil {
		return fmt.Errorf("out: %w", err)
	}
	for _, x := range [...]struct {
		name string
		g    *Guard[T]
		m    layout.Matrix[T]
		want []T
	}{{"a", &r.a, a, p.a}, {"b", &r.b, b, p.b}} {
		r.operand = grow(r.operand, len(x.want))
		if err := x.g.take(r.operand, x.m); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		for e, v := range r.operand {
			if w := x.want[e]; v != w && (v == v || w == w) {
				return fmt.Errorf("the kernel changed %s, element (%d, %d): %v was %v",
					x.name, e/x.m.Cols, e%x.m.Cols, v, w)
			}
		}
	}
	return nil
}

func grow[T dtype.Float](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// catch calls f and turns a panic or a fault into an error. It can do so in the
// calling goroutine only: a fault in a worker of the kernel stops the program,
// which is as visible.
func (r *runner[T]) catch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		r.dead = true
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			for _, g := range [...]struct {
				name string
				g    *Guard[T]
			}{{"a", &r.a}, {"b", &r.b}, {"out", &r.out}} {
				if where := g.g.where(fault.Addr()); where != "" {
					err = fmt.Errorf("fault: the kernel touched memory %s of %s", where, g.name)
					return
				}
			}
		}
		err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
	}()
	f()
	return nil
}

func (r *runner[T]) close(t TB) {
	for _, g := range []*Guard[T]{&r.a, &r.b, &r.out} {
		if g.mem == nil {
			continue
		}
		if err := g.Close(); err != nil {
			t.Errorf("check: unmap: %v", err)
		}
	}
}

// combos goes through all combinations of layouts, alpha and beta in an order that
// mixes them, endlessly. A few calls for each of many shapes then see all of them. The
// layouts of a, b and out form a Latin square, so that every pair occurs.
type combos struct {
	o *Options
	i int
}

func (c *combos) total() int {
	return len(Layouts) * len(Layouts) * len(c.o.Alphas) * len(c.o.Betas)
}

func (c *combos) next() call {
	n := len(Layouts)
	i := c.i
	c.i = (c.i + 1009) % c.total() // a prime above any factor of the total
	la, lb := i%n, i/n%n
	i /= n * n
	return call{
		la: Layouts[la], lb: Layouts[lb], lo: Layouts[(la+lb)%n],
		alpha: c.o.Alphas[i%len(c.o.Alphas)],
		beta:  c.o.Betas[i/len(c.o.Alphas)],
		shift: c.i,
	}
}

// sameBits reports whether x and y are equal bit for bit, NaN payloads apart.
func sameBits[T dtype.Float](x, y T) bool {
	return x == y && math.Signbit(float64(x)) == math.Signbit(float64(y)) || x != x && y != y
}

// caught calls f and turns a panic or a fault into an error.
func caught(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	f()
	return nil
}

// guardRows moves a matrix between inaccessible pages.
func guardRows[T dtype.Float](g *Guard[T], m *layout.Matrix[T], right bool) error {
	if g.mem == nil || g.Cap() < len(m.Data) {
		bigger, err := NewGuard[T](max(1<<16, 2*len(m.Data)))
		if err != nil {
			return err
		}
		if g.mem != nil {
			g.Close()
		}
		*g = *bigger
	}
	data := g.Left(len(m.Data))
	if right {
		data = g.Right(len(m.Data))
	}
	copy(data, m.Data)
	m.Data = data
	return nil
}
