package check

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/layout/triangle"
)

// A Case describes an operation under test: its terms, the arithmetic of their sums, and the end, which is
// what it makes of a sum. Without an Op it is a product out = epilogue(a*b).
type Case struct {
	Name       string
	A, B, Acc  dtype.Type // of the factors and the sums
	Slots      []Slot     // results, operands of the epilogue, reductions
	MR, NR, KC int        // the tile, and the depth up to which sums are made in one go
	Only       Shape      // the dimensions that are fixed; 0 is any
	Op         Operation
	// Structure says which elements there are of the matrices, if not all.
	Structure triangle.Structure
	// Blocks says how the factors lie in blocks, if they do.
	Blocks BlockShape
	// Zeros returns the zero points of A and B, which are taken from their elements; nil: 0.
	Zeros func(p *Problem) (a, b float64)
	// Arithmetic is that of the sums, if it is not that of sums of products.
	Arithmetic Arithmetic
	// Flushes says that sums may be of an instruction that takes denormal numbers for
	// zeros and makes none, as VDPBF16PS.
	Flushes bool
	// Odd says that sums may be of an instruction that rounds to odd, once for a pair of products
	// and once for adding it (BFMMLA of arm64). An error is then twice as large, of half as many.
	Odd bool

	// Results applies the epilogue's Go function to a sum, which is of type Acc and belongs to
	// element (i, j), and returns the results. Operands are those of [Problem.At]. nil: the
	// result is the sum.
	Results func(p *Problem, sum float64, i, j int) []float64
	// ULP is the error of the epilogue's functions, in units of the result's last
	// place.
	ULP float64
	// Strict says that each operation of the epilogue's function rounds on its own, as
	// where no product may be contracted with a sum. Results are then the function's to
	// the bit wherever sums are exact, as those of integers are.
	Strict bool
	// Call makes one call, of operands by [Get].
	Call func(p *Problem)

	timed    bool // of problems that are timed
	failures int  // in this group
	dead     bool // the call panicked or faulted
	pool     pool // memory for problems
}

// An Arithmetic is a semiring: sums are Plus, from Zero on, of what Times makes of two factors.
type Arithmetic struct {
	Zero        float64
	Plus, Times func(x, y float64) float64
	// Rounds says that Plus does, so that the sum depends on the order of terms and is
	// compared with bounds. StepULP is the error of the math functions in a step, in
	// units of the sum's last place.
	Rounds  bool
	StepULP float64
	pair    func(x, y complex128) complex128 // Times of pairs of numbers
}

// An Operation makes problems of a case other than a product of matrices.
type Operation interface {
	// problems are all that the case is tried with.
	problems(c *Case, yield func(name string, p *Problem, err error) bool)
}

// timedOperation is an operation that may be timed.
type timedOperation interface {
	// timed is a problem of random numbers, or exact: of a matrix or a mask, with size columns. nil: one for benchmarks.
	timed(c *Case, of any, size int, exact bool) (*Problem, error)
}

// operation is that of the case: a product, if it says none.
func (c *Case) operation() Operation {
	if c.Op == nil {
		return products{}
	}
	return c.Op
}

// outs are how many results there are.
func (c *Case) outs() int {
	for o, s := range c.Slots {
		if !s.Out && !s.Unstored {
			return o
		}
	}
	return len(c.Slots)
}

func (c *Case) ulp(o int, x float64) float64 { return ulpOf(c.Slots[o].Type, x) }

// results applies the epilogue to a sum.
func (c *Case) results(p *Problem, sum float64, i, j int) []float64 {
	if c.Results == nil {
		return []float64{c.rounded(sum)}
	}
	return c.Results(p, toSum(c.Acc, sum), i, j)
}

// rounded is a sum as result 0 stores it.
func (c *Case) rounded(sum float64) float64 { return roundTo(c.Slots[0].Type, toSum(c.Acc, sum)) }

// problem is one of a shape, with a generator for what its operands hold.
func (c *Case) problem(s Shape, salt uint64, exact bool) *Problem {
	return &Problem{M: s.M, N: s.N, K: s.K, c: c, exact: exact, slots: map[int]*operand{}, rng: source(s, salt)}
}

// operands makes the factors of a product.
func (c *Case) operands(p *Problem, transA, transB bool) *Problem {
	p.factor(A, c.A, p.M, p.K, transA)
	p.factor(B, c.B, p.K, p.N, transB)
	p.structured(c.Structure)
	if c.Blocks.LdB > 0 {
		p.cut(c.Blocks)
	}
	return p
}

// Run checks an operation. First it tries small integers, where sums are exact and the result is the
// function's, to its stated error. Then it tries random numbers. There the result must lie in the hull of
// what the function gives over the interval that the sum can be in. All operands lie at inaccessible pages,
// and nothing but results may be written. The bits must be the same for any number of threads, with which
// Run calls of.
func Run(t TB, of func(threads int) Case) {
	t.Helper()
	c := of(1)
	op := c.operation()
	made := 0
	c.pool = pool{}
	defer c.pool.close(t)
	problems := func(yield func(name string, try func(t TB, name string)) bool) {
		op.problems(&c, func(name string, p *Problem, err error) bool {
			try := func(t TB, name string) { t.Logf("%s %s: %v", c.Name, name, err) } // the format does not hold such a matrix
			if err == nil {
				defer p.close()
				made++
				try = func(t TB, name string) {
					err := c.tryBeside(p)
					c.dead = c.dead || p.dead
					if err == nil {
						err = sameAgain(of, p)
					}
					if err != nil {
						c.failures++
						t.Errorf("%s %s: %v", c.Name, name, err)
					}
				}
			}
			return yield(name, try) && c.failures < maxFailures
		})
	}
	grouped(t, problems)
	if made == 0 {
		t.Errorf("%s: no problem was made", c.Name)
	}
}

// maxFailures is after how many failures problems are no longer tried: the first few say what
// is wrong, and a broken kernel should not cost minutes.
const maxFailures = 3

// tryBeside tries a problem, at the same time as others if there are some, and then several times.
func (c *Case) tryBeside(p *Problem) error {
	if p.beside == nil {
		return c.try(p)
	}
	all := append(p.beside, p)
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, q := range all {
		wg.Go(func() {
			for n := 0; n < p.rounds && errs[i] == nil; n++ {
				if err := c.try(q); err != nil {
					errs[i] = fmt.Errorf("%s, %d callers at once: %w", q.name, len(all), err)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// try makes one call and looks at all that it left.
func (c *Case) try(p *Problem) error {
	if p.err != nil {
		return p.err
	}
	if p.fenced() {
		for _, n := range p.results() {
			p.slot(n)
		}
	}
	if p.tried { // on the same memory
		for _, f := range p.again {
			f()
		}
	}
	if p.tried = true; p.err != nil { // a slot has no memory
		return p.err
	}
	err := p.caught(func() {
		if p.fenced() { // small
			p.before = map[int][]byte{}
			for n, o := range p.slots {
				if o.elems != nil {
					p.before[n] = bytes.Clone(o.raw())
				}
			}
		}
		c.Call(p)
	})
	if p.refused != nil {
		return p.refusal(err)
	}
	if err != nil {
		p.dead = true
		return err
	}
	if p.declined {
		return nil
	}
	if err := p.untouched(); err != nil {
		return err
	}
	p.out = p.slots[0]
	look := p.look
	if look == nil {
		look = func() error { return c.compare(p) }
	}
	if err := look(); err != nil {
		return err
	}
	return c.reduced(p)
}

// refusal wants a call to have ended with a panic of the right kind before it wrote.
func (p *Problem) refusal(err error) error {
	switch {
	case err == nil:
		err = fmt.Errorf("no panic")
	case !p.refused(err):
		err = fmt.Errorf("not a refusal but a %w", err)
	default:
		err = nil
	}
	for n, b := range p.before {
		if where := p.slots[n].changed(b); where != "" {
			err = errors.Join(err, fmt.Errorf("%s was written before the panic: %s", slotName(n), where))
		}
	}
	return err
}

// wrongShape accepts the refusal of operands that do not fit.
func wrongShape(err error) bool { return errors.As(err, new(layout.ShapeError)) }

// sameAgain calls the kernel again: for several numbers of threads, or once more. It wants the same bits each time, and
// nothing else to be written.
func sameAgain(of func(threads int) Case, p *Problem) error {
	if p.refused != nil || p.declined || p.once && !p.twice {
		return nil
	}
	counts := []int{2, 3, 4}
	if p.twice {
		counts = []int{1}
	}
	want := map[int][]byte{}
	for _, n := range p.results() {
		want[n] = bytes.Clone(p.slots[n].raw())
	}
	for _, threads := range counts {
		for n := range want { // which may be read, too
			copy(p.slots[n].raw(), p.before[n])
		}
		err := p.caught(func() { of(threads).Call(p) })
		if err == nil {
			err = p.untouched()
		}
		if err != nil {
			return fmt.Errorf("with %d threads: %w", threads, err)
		}
		for n, b := range want {
			switch where := p.slots[n].changed(b); {
			case where != "" && p.twice:
				return fmt.Errorf("a second call with the same operands has another result: %s", where)
			case where != "":
				return fmt.Errorf("with %d threads the result is not that of one: %s", threads, where)
			}
		}
	}
	return nil
}

// products is the operation of matrices.
type products struct{}

func (products) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	for turn, s := range some(onlyShapes(fusedShapes(c.MR, c.NR, c.KC), c.Only)) {
		for _, exact := range []bool{true, false} {
			s := squared(c.Structure, s)
			p := c.problem(s, 77, exact)
			p.pad, p.guarded, p.turn = (s.M+s.N)%3, true, 2*turn
			if exact {
				p.turn++
			}
			c.operands(p, s.M%2 == 0, s.M%2 == 0) // column-major operands half of the time
			if !yield(fmt.Sprintf("m=%d n=%d k=%d exact=%v", s.M, s.N, s.K, exact), p, nil) {
				return
			}
		}
	}
}

func (products) timed(c *Case, _ any, n int, exact bool) (*Problem, error) {
	s := squared(c.Structure, Shape{n, n, n}.only(c.Only))
	p := c.operands(c.problem(s, 78, exact), false, false)
	p.macs = s.MACs()
	return p, nil
}

// fusedShapes has every edge of tiles and of k-blocks, in few calls.
func fusedShapes(mr, nr, kc int) []Shape {
	var s []Shape
	for _, m := range []int{1, mr - 1, mr, mr + 1, 2*mr + 3} {
		for _, n := range []int{1, nr/2 + 1, nr - 1, nr, nr + 1, 2*nr + 5} {
			if m > 0 && n > 0 {
				s = append(s, Shape{m, n, 3}, Shape{m, n, 17})
			}
		}
	}
	for _, k := range []int{0, 1, kc - 1, kc, kc + 1, 3*kc + 5} {
		s = append(s, Shape{mr + 2, nr + 3, k})
	}
	return append(s, Shape{13 * mr, 5*nr + 7, 64}, Shape{200, 3, 70}, Shape{3, 400, 70})
}

// compare looks at every element of small results and at a sample of large ones.
func (c *Case) compare(p *Problem) error {
	all := p.M*p.N*max(p.K, 1) < 200_000
	n := min(p.M*p.N, 3000)
	if !all {
		n = min(n, 401)
	}
	return c.sample(p, n, all, c.element)
}

// sample looks at n elements, all of them or corners and edges more than the rest.
func (c *Case) sample(p *Problem, n int, all bool, look func(p *Problem, i, j int) error) error {
	for e := range n {
		i, j := e/p.N, e%p.N
		if !all {
			i, j = p.rng.IntN(p.M), p.rng.IntN(p.N)
			switch e % 8 {
			case 0:
				j = p.N - 1
			case 1:
				i = p.M - 1
			case 2:
				i, j = e/8%2*(p.M-1), e/16%2*(p.N-1)
			}
		}
		if err := look(p, i, j); err != nil {
			return err
		}
	}
	return nil
}

// A Timed problem is one that a case made ready: to be checked, and then timed on the
// same memory.
type Timed struct {
	*Problem
	// Check calls the kernel on small integers and on random numbers and compares;
	// large results are sampled. The error says which element is wrong, or that the
	// kernel panicked.
	Check func() error
	Call  func()
	With  func(call func(p *Problem)) error // is Check of another way to compute the same
	MACs  int                               // multiply-adds of the product
	// Bytes is what a call reads and writes at least, every operand and result once.
	// It is known after a call.
	Bytes func() int
}

// Timed makes a problem ready: an operation of a sparse matrix or a mask, with size columns, or a square product without
// one. The error says that the format of the case does not hold the matrix.
func (c *Case) Timed(of any, size int) (*Timed, error) {
	op, ok := c.operation().(timedOperation)
	if !ok {
		return nil, fmt.Errorf("check: operations of %T are not timed", c.Op)
	}
	timed := *c
	c, timed.timed = &timed, true
	p, err := op.timed(c, of, size, false)
	if err != nil {
		return nil, err
	}
	return c.ready(p, func() (*Problem, error) { return op.timed(c, of, size, true) }, func() (*Problem, error) { return p, nil }), nil
}

// ready is p, and how it is checked: on small integers and on random numbers.
func (c *Case) ready(p *Problem, integers, random func() (*Problem, error)) *Timed {
	t := &Timed{Problem: p, MACs: p.macs, Call: func() { c.Call(p) }, Bytes: p.size}
	t.With = func(call func(p *Problem)) error {
		c := *c
		c.Call = call
		for _, x := range []struct {
			what string
			of   func() (*Problem, error)
		}{{"small integers", integers}, {"random numbers", random}} {
			p, err := x.of()
			if err == nil {
				err = c.try(p)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", x.what, err)
			}
		}
		return nil
	}
	t.Check = func() error { return t.With(c.Call) }
	return t
}

// ArithmeticOf is that of a semiring.Semiring, whose functions have an error of so many units in the last place.
func ArithmeticOf(s any, ulp float64) Arithmetic {
	switch s := s.(type) {
	case semiring.Semiring[float32]:
		return arithmetic(s, ulp)
	case semiring.Semiring[float64]:
		return arithmetic(s, ulp)
	case semiring.Semiring[complex64]:
		return Arithmetic{pair: func(x, y complex128) complex128 { return complex128(s.Times(complex64(x), complex64(y))) }}
	case semiring.Semiring[complex128]:
		return Arithmetic{pair: s.Times}
	}
	panic(fmt.Sprintf("check: %T is no semiring of an oracle", s))
}

func arithmetic[T dtype.Float](s semiring.Semiring[T], ulp float64) Arithmetic {
	return Arithmetic{Zero: float64(s.Zero), Rounds: !s.Laws.Exact, StepULP: ulp,
		Plus:  func(x, y float64) float64 { return float64(s.Plus(T(x), T(y))) },
		Times: func(x, y float64) float64 { return float64(s.Times(T(x), T(y))) }}
}
