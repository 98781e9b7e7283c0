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
	if c.MR < 1 || c.NR < 1 || c.KC < 0 {
		t.Errorf("check: %s: MR=%d NR=%d KC=%d: MR and NR must be positive, KC not negative", c.Name, c.MR, c.NR, c.KC)
		return
	}
	r := &mixedRunner[A, B, Acc, Out]{c: c, kc: c.KC}
	if r.kc == 0 || r.kc > 4096 {
		r.kc = 256 // where the shapes turn
	}
	defer r.close(t)
	groups := []struct {
		name string
		run  func(TB)
	}{{"exact", r.exact}, {"layouts", r.layouts}, {"guard", r.guard}, {"big", r.big}, {"threads", r.threads}}
	if dtype.Of[Acc]() != dtype.I32 {
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
			t.Logf("%s: the kernel panicked: the checks from %s on are left out", c.Name, g.name)
			return
		}
		group(t, "check="+g.name, func(t TB) {
			r.failures = 0
			g.run(t)
		})
	}
}

// A mixedRunner calls the product under test and counts.
type mixedRunner[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem] struct {
	c        MixedCase[A, B, Acc, Out]
	kc       int
	ga       Guard[A]
	gb       Guard[B]
	gout     Guard[Out]
	turn     int // of layouts
	failures int
	dead     bool
}

// mixedProblem is one product before it is laid out: dense, row-major operands.
type mixedProblem[A, B dtype.Elem] struct {
	Shape
	a []A
	b []B
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
func (r *mixedRunner[A, B, Acc, Out]) next(at position) lay {
	n := len(Layouts)
	i := r.turn
	r.turn = (i + 31) % (n * n) // a prime above any factor of the total
	return lay{Layouts[i%n], Layouts[i/n%n], Layouts[(i%n+i/n%n)%n], at, i}
}

func (r *mixedRunner[A, B, Acc, Out]) done() bool { return r.dead || r.failures >= maxFailures }

// try lays p out, calls the product, checks that nothing but the elements of out has
// changed, and hands the dense result to compare.
func (r *mixedRunner[A, B, Acc, Out]) try(t TB, p *mixedProblem[A, B], l lay, threads int, compare func(have []Out) error) {
	t.Helper()
	err := r.call(p, l, threads, compare)
	if err != nil {
		r.failures++
		t.Errorf("%s %v %v: %v", r.c.Name, p.Shape, l, err)
	}
}

func (r *mixedRunner[A, B, Acc, Out]) call(p *mixedProblem[A, B], l lay, threads int, compare func(have []Out) error) error {
	a, err := r.ga.put(p.a, p.M, p.K, l.a, l.at, l.shift)
	if err != nil {
		return err
	}
	b, err := r.gb.put(p.b, p.K, p.N, l.b, l.at, l.shift*5)
	if err != nil {
		return err
	}
	out, err := r.gout.put(make([]Out, p.M*p.N), p.M, p.N, l.out, l.at, l.shift*11)
	if err != nil {
		return err
	}
	paint(out.Data)
	if err := r.catch(func() { r.c.Call(threads, out, a, b) }); err != nil {
		return err
	}
	have := make([]Out, p.M*p.N)
	if err := r.gout.take(have, out); err != nil {
		return fmt.Errorf("out: %w", err)
	}
	if err := untouched(&r.ga, a, p.a); err != nil {
		return fmt.Errorf("a: %w", err)
	}
	if err := untouched(&r.gb, b, p.b); err != nil {
		return fmt.Errorf("b: %w", err)
	}
	return compare(have)
}

// untouched checks that m, which put made of want, is as it was.
func untouched[T dtype.Elem](g *Guard[T], m layout.Matrix[T], want []T) error {
	have := make([]T, len(want))
	if err := g.take(have, m); err != nil {
		return err
	}
	for e, v := range have {
		if v == want[e] {
			continue
		}
		if x, y := Float64(v), Float64(want[e]); x != y && (x == x || y == y) {
			return fmt.Errorf("the kernel changed element (%d, %d): %v was %v", e/m.Cols, e%m.Cols, x, y)
		}
	}
	return nil
}

// catch calls f and turns a panic or a fault in this goroutine into an error.
func (r *mixedRunner[A, B, Acc, Out]) catch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		r.dead = true
		err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			for name, where := range map[string]string{"a": r.ga.where(fault.Addr()), "b": r.gb.where(fault.Addr()), "out": r.gout.where(fault.Addr())} {
				if where != "" {
					err = fmt.Errorf("fault: the kernel touched memory %s of %s", where, name)
				}
			}
		}
	}()
	f()
	return nil
}

func (r *mixedRunner[A, B, Acc, Out]) close(t TB) {
	closeGuard(t, &r.ga)
	closeGuard(t, &r.gb)
	closeGuard(t, &r.gout)
}

func closeGuard[T dtype.Elem](t TB, g *Guard[T]) {
	if g.mem == nil {
		return
	}
	if err := g.Close(); err != nil {
		t.Errorf("check: unmap: %v", err)
	}
}
