package check

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A runner calls a dense product under test and counts. It is compiled once: elements are float64,
// which holds those of every type, and sums as well. The product is out = alpha*a*b + beta*out, or what
// store makes of the sums of a*b.
type runner struct {
	name          string
	mr, nr, kc    int // the tile, and the depth of a k-block; 0: any
	alphas, betas []float64
	acc           dtype.Type // of the sums
	store         func(sum float64) float64
	flushes       bool // denormal numbers
	mayFlush      bool
	many          bool           // any number of threads gives the same
	fresh         func() *runner // another for a caller at the same time; nil: there are none
	refused       func(t TB)     // hands over operands that do not fit; nil: they are not checked
	call          func(c call)   // the kernel, on what the guards hold
	a, b, out     guardedElems
	turn          combos
	calls, mac    int
	failures      int     // in this group
	worst         float64 // error of an accumulator, as a part of its bound
	dead          bool    // the kernel panicked or faulted, it is not called again
}

// A problem is one product before it is laid out: dense, row-major operands, whose elements their types have.
type problem struct {
	Shape
	a, b, c []float64
	flushed bool // every sum is, to zero
}

func newProblem(s Shape) *problem {
	return &problem{Shape: s, a: make([]float64, s.M*s.K), b: make([]float64, s.K*s.N), c: make([]float64, s.M*s.N)}
}

// A call is how one problem is handed to the kernel.
type call struct {
	la, lb, lo  arrangement
	alpha, beta float64
	at          position
	shift       int // of the alignment, if at is middle
	threads     int
}

func (c call) String() string {
	return fmt.Sprintf("alpha=%v beta=%v a=%s b=%s out=%s at=%v threads=%d", c.alpha, c.beta, c.la.Name, c.lb.Name, c.lo.Name, c.at, c.threads)
}

// run is all groups, in the order of what one wants to know first.
func (r *runner) run(t TB) {
	t.Helper()
	if r.mr < 1 || r.nr < 1 || r.kc < 0 {
		t.Errorf("check: %sMR=%d NR=%d KC=%d: MR and NR must be positive, KC not negative", r.name, r.mr, r.nr, r.kc)
		return
	}
	defer r.close(t)
	r.groups(t, []checks{
		{"exact", r.exact}, {"layouts", r.layouts}, {"guard", r.guard}, {"repeated", r.repeated}, {"nonfinite", r.nonfinite},
		{"denormal", r.denormal}, {"interval", r.interval}, {"big", r.big}, {"extremes", r.extremes},
		{"shapeerror", func(t TB) {
			if r.refused != nil {
				r.refused(t)
			}
		}}, {"threads", r.threads},
	})
}

// checks are a group of them.
type checks struct {
	name string
	run  func(TB)
}

func (r *runner) groups(t TB, list []checks) {
	for _, g := range list {
		if r.dead {
			t.Logf("%sthe kernel panicked: the checks from %s on are left out", r.name, g.name)
			return
		}
		group(t, "check="+g.name, func(t TB) {
			r.failures, r.calls, r.mac, r.turn = 0, 0, 0, combos{alphas: r.alphas, betas: r.betas}
			g.run(t)
			t.Logf("%d calls, %.1f million multiply-adds", r.calls, float64(r.mac)/1e6)
		})
	}
}

// depth is where the shapes turn around k-blocks.
func (r *runner) depth() int {
	if r.kc == 0 || r.kc > 4096 {
		return 256
	}
	return r.kc
}

// maxFailures is after how many failures a group stops: the first few say what
// is wrong, and a broken kernel should not cost minutes.
const maxFailures = 3

// done reports whether the group must stop.
func (r *runner) done() bool { return r.dead || r.failures >= maxFailures }

// try lays p out as c says, calls the kernel, checks that nothing but the elements
// of out has changed, and hands the result to compare, dense and row-major. It
// reports whether all was right.
func (r *runner) try(t TB, p *problem, c call, compare func(have []float64) error) bool {
	t.Helper()
	err := r.attempt(p, c, compare)
	if err != nil {
		r.failures++
		t.Errorf("%s%v %v: %v", r.name, p.Shape, c, err)
	}
	return err == nil
}

func (r *runner) attempt(p *problem, c call, compare func(have []float64) error) error {
	for _, x := range []struct {
		g          guardedElems
		vals       []float64
		rows, cols int
		l          arrangement
		shift      int
	}{{r.a, p.a, p.M, p.K, c.la, c.shift}, {r.b, p.b, p.K, p.N, c.lb, c.shift * 5}, {r.out, p.c, p.M, p.N, c.lo, c.shift * 11}} {
		if err := x.g.put(x.vals, x.rows, x.cols, x.l, c.at, x.shift); err != nil {
			r.dead = true
			return err
		}
	}
	if c.beta == 0 { // then out must not be read
		r.out.paint()
	}
	r.calls++
	r.mac += p.MACs()
	if err := r.catch(func() { r.call(c) }); err != nil {
		return err
	}
	have, err := r.out.take()
	if err != nil {
		return fmt.Errorf("out: %w", err)
	}
	if err := unchanged(r.a, p.a, p.K); err != nil {
		return fmt.Errorf("a: %w", err)
	}
	if err := unchanged(r.b, p.b, p.N); err != nil {
		return fmt.Errorf("b: %w", err)
	}
	return compare(have)
}

// unchanged checks that what a guard holds, made of want, is as it was.
func unchanged(g guardedElems, want []float64, cols int) error {
	have, err := g.changed()
	if err != nil {
		return err
	}
	for e, x := range have {
		if y := want[e]; x != y && (x == x || y == y) {
			return fmt.Errorf("the kernel changed element (%d, %d): %v was %v", e/cols, e%cols, x, y)
		}
	}
	return nil
}

// catch calls f and turns a panic or a fault into an error. It can do so in the
// calling goroutine only: a fault in a worker of the kernel stops the program,
// which is as visible.
func (r *runner) catch(f func()) error {
	fault, err := faulted(f)
	r.dead = r.dead || err != nil
	for name, g := range map[string]guardedElems{"a": r.a, "b": r.b, "out": r.out} {
		if where := g.Where(fault); where != "" {
			return fmt.Errorf("fault: the kernel touched memory %s of %s", where, name)
		}
	}
	return err
}

// caught calls f and turns a panic or a fault into an error.
func caught(f func()) error {
	_, err := faulted(f)
	return err
}

// faulted is caught, and the address of a fault.
func faulted(f func()) (addr uintptr, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		if cause, ok := e.(error); ok {
			err = fmt.Errorf("panic: %w\n%s", cause, debug.Stack())
		} else {
			err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		}
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			addr = fault.Addr()
		}
	}()
	f()
	return 0, nil
}

func (r *runner) close(t TB) {
	for _, g := range []guardedElems{r.a, r.b, r.out} {
		if err := g.close(); err != nil {
			t.Errorf("check: unmap: %v", err)
		}
	}
}

// combos goes through all combinations of layouts, alpha and beta in an order that
// mixes them, endlessly. A few calls for each of many shapes then see all of them. The
// layouts of a, b and out form a Latin square, so that every pair occurs.
type combos struct {
	alphas, betas []float64
	i             int
}

func (c *combos) total() int {
	return len(arrangements) * len(arrangements) * len(c.alphas) * len(c.betas)
}

func (c *combos) next() call {
	n := len(arrangements)
	i := c.i
	c.i = (c.i + 1009) % c.total() // a prime above any factor of the total
	la, lb := i%n, i/n%n
	i /= n * n
	return call{
		la: arrangements[la], lb: arrangements[lb], lo: arrangements[(la+lb)%n],
		alpha: c.alphas[i%len(c.alphas)],
		beta:  c.betas[i/len(c.alphas)],
		shift: c.i, threads: 1,
	}
}

// end is what the product makes of a sum, and of the c that out holds.
func (r *runner) end(sum, c, alpha, beta float64) float64 {
	switch {
	case r.store != nil:
		return r.store(toWrapped(r.acc, sum))
	case beta == 0:
		return alpha * sum
	}
	return alpha*sum + beta*c
}

// toWrapped is an exact sum as its type has it: int32's wrap.
func toWrapped(t dtype.Type, sum float64) float64 {
	if t == dtype.I32 {
		return float64(int32(int64(sum)))
	}
	return sum
}

// mismatch is one wrong element.
type mismatch struct {
	i, j       int
	have, want float64
	why        string // a bound or a class, or empty
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("element (%d, %d): have %v, want %v%s", m.i, m.j, m.have, m.want, m.why)
}

// sameBits reports whether x and y are equal bit for bit, NaN payloads apart.
func sameBits(x, y float64) bool {
	return x == y && math.Signbit(x) == math.Signbit(y) || x != x && y != y
}
