package check

import (
	"fmt"
	"runtime/debug"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Denormals says what a product makes of denormal numbers among its operands and
// sums of float32. Sums of integers have none.
type Denormals uint8

const (
	// DenormalsKept: they are numbers like others. So it is where operands are widened
	// and multiplied by FMA.
	DenormalsKept Denormals = iota
	// DenormalsFlushed: operands that are denormal count as zeros, and a sum that is
	// becomes one after each addition, as VDPBF16PS has it.
	DenormalsFlushed
	// DenormalsEither: some are kept and some flushed, as where a variant has kernels of
	// both kinds and chooses by shape.
	DenormalsEither
)

// MixedCase is a product under test whose operands need not have the type of its
// sums: out = a*b.
type MixedCase[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem] struct {
	Name       string
	MR, NR, KC int // the tile, and the depth up to which sums are made in one go; KC 0: any
	Denormals  Denormals
	// Threads says that Call heeds its argument: any number must give the same bits.
	Threads bool
	// Call computes the product with so many threads.
	Call func(threads int, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B])
	// Store is what the product makes of a sum. It must not decrease where sums grow.
	Store func(sum Acc) Out
}

// Mixed checks a product at every edge of a tile and of a block of k, in all layouts, at
// inaccessible pages. It must match bit for bit on small integers, for which sums of floats
// are exact, and on integers of all sizes, whose sums wrap. On random floats the result must
// lie where a correct kernel's can. NaN and infinities must be where the plain loop has them,
// and denormal numbers as c.Denormals says.
func Mixed[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](t TB, c MixedCase[A, B, Acc, Out]) {
	t.Helper()
	ga, gb, gout := &guarded[A]{}, &guarded[B]{}, &guarded[Out]{}
	if c.MR < 1 || c.NR < 1 || c.KC < 0 {
		t.Errorf("check: %s: MR=%d NR=%d KC=%d: MR and NR must be positive, KC not negative", c.Name, c.MR, c.NR, c.KC)
		return
	}
	runMixed(t, &mixedRunner{
		name: c.Name, mr: c.MR, nr: c.NR, kc: c.KC, denormals: c.Denormals, many: c.Threads,
		acc: dtype.Of[Acc](), a: ga, b: gb, out: gout,
		multiply: func(threads int) { c.Call(threads, gout.m, ga.m, gb.m) },
		store:    func(sum float64) float64 { return Float64(c.Store(Acc(sum))) },
	})
}

// runMixed is Mixed without types, and so compiled once.
func runMixed(t TB, r *mixedRunner) {
	t.Helper()
	if r.kc == 0 || r.kc > 4096 {
		r.kc = 256 // where the shapes turn
	}
	defer r.close(t)
	groups := []struct {
		name string
		run  func(TB)
	}{{"exact", r.exact}, {"layouts", r.layouts}, {"guard", r.guard}, {"big", r.big}, {"threads", r.threads}}
	if r.acc != dtype.I32 {
		groups = append(groups, []struct {
			name string
			run  func(TB)
		}{{"nonfinite", r.nonfinite}, {"denormal", r.denormal}, {"interval", r.interval}}...)
	} else {
		groups = append(groups, struct {
			name string
			run  func(TB)
		}{"extremes", r.extremes})
	}
	for _, g := range groups {
		if r.dead {
			t.Logf("%s: the kernel panicked: the checks from %s on are left out", r.name, g.name)
			return
		}
		group(t, "check="+g.name, func(t TB) {
			r.failures = 0
			g.run(t)
		})
	}
}

// A mixedRunner calls the product under test and counts. Elements are float64 to it, which
// holds those of every type, and sums as well.
type mixedRunner struct {
	name       string
	mr, nr, kc int
	denormals  Denormals
	many       bool // any number of threads gives the same
	acc        dtype.Type
	a, b, out  guardedElems
	multiply   func(threads int) // what the guards hold
	store      func(sum float64) float64
	turn       int // of layouts
	failures   int
	dead       bool
}

// mixedProblem is one product before it is laid out: dense, row-major operands, whose
// elements their types have.
type mixedProblem struct {
	Shape
	a, b []float64
}

// lay is how the operands of a call lie.
type lay struct {
	a, b, out Layout
	at        position
	shift     int
}

func (l lay) String() string {
	return fmt.Sprintf("a=%s b=%s out=%s at=%v", l.a.Name, l.b.Name, l.out.Name, l.at)
}

// next goes through the layouts in an order that mixes them: a Latin square, in which
// every pair occurs.
func (r *mixedRunner) next(at position) lay {
	n := len(Layouts)
	i := r.turn
	r.turn = (i + 31) % (n * n) // a prime above any factor of the total
	return lay{Layouts[i%n], Layouts[i/n%n], Layouts[(i%n+i/n%n)%n], at, i}
}

func (r *mixedRunner) done() bool { return r.dead || r.failures >= maxFailures }

// try lays p out, calls the product, checks that nothing but the elements of out has
// changed, and hands the dense result to compare.
func (r *mixedRunner) try(t TB, p *mixedProblem, l lay, threads int, compare func(have []float64) error) {
	t.Helper()
	err := r.call(p, l, threads, compare)
	if err != nil {
		r.failures++
		t.Errorf("%s %v %v: %v", r.name, p.Shape, l, err)
	}
}

func (r *mixedRunner) call(p *mixedProblem, l lay, threads int, compare func(have []float64) error) error {
	if err := r.a.put(p.a, p.M, p.K, l.a, l.at, l.shift); err != nil {
		return err
	}
	if err := r.b.put(p.b, p.K, p.N, l.b, l.at, l.shift*5); err != nil {
		return err
	}
	if err := r.out.put(make([]float64, p.M*p.N), p.M, p.N, l.out, l.at, l.shift*11); err != nil {
		return err
	}
	r.out.paint()
	if err := r.catch(func() { r.multiply(threads) }); err != nil {
		return err
	}
	have, err := r.out.take()
	if err != nil {
		return fmt.Errorf("out: %w", err)
	}
	if err := untouched(r.a, p.a, p.K); err != nil {
		return fmt.Errorf("a: %w", err)
	}
	if err := untouched(r.b, p.b, p.N); err != nil {
		return fmt.Errorf("b: %w", err)
	}
	return compare(have)
}

// untouched checks that what a guard holds, made of want, is as it was.
func untouched(g guardedElems, want []float64, cols int) error {
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

// catch calls f and turns a panic or a fault in this goroutine into an error.
func (r *mixedRunner) catch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		r.dead = true
		err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			for name, where := range map[string]string{"a": r.a.where(fault.Addr()), "b": r.b.where(fault.Addr()), "out": r.out.where(fault.Addr())} {
				if where != "" {
					err = fmt.Errorf("fault: the kernel touched memory %s of %s", where, name)
				}
			}
		}
	}()
	f()
	return nil
}

func (r *mixedRunner) close(t TB) {
	for _, g := range []guardedElems{r.a, r.b, r.out} {
		if err := g.close(); err != nil {
			t.Errorf("check: unmap: %v", err)
		}
	}
}
