package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// A Problem is one call of an operation: a shape, and an operand or a result for each slot. [Get]
// returns them as the types that the call wants.
type Problem struct {
	M, N, K int
	Stream  [3]uint64 // seed, number and first word of random ones
	// Alpha and Beta are the factors of alpha*a*b + beta*out, and ConjA and ConjB say whose conjugates are
	// meant, of operations that have some.
	Alpha, Beta  complex128
	ConjA, ConjB bool
	c            *Case
	rng          *rand.Rand
	slots        map[int]*operand

	exact   bool // small integers: every sum is exact
	wide    bool // larger ones
	strict  bool // results are to the bit, so that roundings of the epilogue may show
	guarded bool // operands lie between inaccessible pages
	turn    int  // chooses where between them
	pad     int  // beyond each row of matrices

	nudge  nudge    // what the oracle reads is moved by
	nudged uint64   // the slots that results depend on: a bit each
	again  []func() // makes results ready for another call
	intact []func() error
	free   []func()
	// terms gives the two factors of each term of element (i, j); without x the second are the terms. nil: those of a
	// product. They live until the next call. end makes of their sum what is compared, or an epilogue takes; nil: the sum.
	terms func(i, j int) (x, y []float64)
	end   func(i, j int, t *total)
	x, y  []float64 // room for terms
	sum   total     // of the element that is looked at
	out   *operand  // slot 0, once it was called
	one   [1]float64
	// sums, if not nil, replaces terms and end. It returns the sum, what its magnitudes add up to, and how many
	// roundings it has.
	sums       func(i, j int) (sum, abs float64, roundings int)
	absent     func(i, j int) bool // which elements of results there are not; nil: none
	rows, cols []float64           // a by rows and b by columns, made when they are first wanted
	// extent is how many elements a slot has, and place where that for (i, j) lies; nil: as
	// those of a product.
	extent func(s *Slot) (rows, cols int)
	place  func(s *Slot, i, j int) (row, col int)
	make   func(slot int) *operand // the memory of a slot; nil: as the case describes it
	look   func() error            // compares what a call left, if not as a product
	macs   int                     // multiply-adds
	// refused, if not nil, says that the call must panic, with an error that it accepts. A call sets declined if it does
	// not take such a matrix. once says that threads are not tried.
	refused               func(error) bool
	twice                 bool // the second call must give the same bits
	name                  string
	err                   error      // why it could not be made
	at                    position   // of operands
	beside                []*Problem // that are tried at the same time, so many rounds
	rounds                int
	near                  []func(addr uintptr) (where string, of []byte)
	declined, once, tried bool
	dead                  bool           // the call panicked or faulted
	before                map[int][]byte // what slots held before the call
	bytes                 int            // of what has no elements
}

// The slots of factors. Those of an epilogue count from 0.
const (
	A = -1 - iota
	B
	S // the sparse one, or the mask of attention
	V // the values that attention weighs
)

// A Slot is a result of an operation or an operand of its epilogue. An operand has an element for
// each row, each column, both or neither.
type Slot struct {
	Name     string
	Type     dtype.Type
	Row, Col bool
	Out      bool // a result for each element
	Unstored bool // one that is only reduced
	// Low and High are the ends of an operand's range: all its elements are of it, and so are those that the oracle
	// tries. Equal if it has none, infinite where a side is open.
	Low, High float64
	// Reduced says that it is a reduction of the result in slot Of: of each row or each column.
	Reduced bool
	Reduce  reduce.Op
	Of      int
}

// An operand is the memory of a slot, to code that is compiled once for all types: its elements are float64.
type operand struct {
	elems
	typ                dtype.Type
	rows, cols, rs, cs int
	per, gap           int   // if per is not 0, each so many rows are followed by a gap
	pairs              bool  // columns 2*j and 2*j+1 are the parts of column j
	views              []any // what [Get] chooses from
}

func (o *operand) at(i, j int) float64     { return o.load(o.number(i, j)) }
func (o *operand) set(i, j int, x float64) { o.store(o.number(i, j), x) }

// number is that of what is loaded for (i, j).
func (o *operand) number(i, j int) int {
	if o.pairs {
		return 2*o.index(i, j/2) + j%2
	}
	return o.index(i, j)
}

// index is where element (i, j) lies.
func (o *operand) index(i, j int) int {
	if o.per > 0 {
		return i*o.rs + i/o.per*o.gap + j*o.cs
	}
	return i*o.rs + j*o.cs
}

// Get returns an operand or a result as its call wants it: a layout.Matrix or a slice, and a sparse
// factor in its format.
func Get[S any](p *Problem, slot int) S {
	for _, v := range p.slot(slot).views {
		if s, ok := v.(S); ok {
			return s
		}
	}
	panic(fmt.Sprintf("check: slot %d is no %T", slot, *new(S)))
}

// Load returns an element of a slot.
func (p *Problem) Load(slot, i, j int) float64 {
	if slot == 0 && p.out != nil {
		return p.out.at(i, j)
	}
	return p.slot(slot).at(i, j)
}

// Store sets an element of a slot.
func (p *Problem) Store(slot, i, j int, x float64) { p.slot(slot).set(i, j, x) }

// At returns the operand of a slot for element (i, j), moved by as many units in the last place as
// the oracle is trying. The oracle evaluates the epilogue around its operands as well: code that fuses
// a multiplication with an addition rounds as if they were there.
func (p *Problem) At(slot, i, j int) float64 {
	s := &p.c.Slots[slot]
	if p.place != nil {
		i, j = p.place(s, i, j)
	} else {
		i, j = s.place(i, j)
	}
	x := p.slot(slot).at(i, j)
	if bits, _ := numberFormat(s.Type); bits == 0 {
		return x // integers are exact
	}
	if slot < 64 {
		p.nudged |= 1 << slot
	}
	if n := p.nudge.ulps; n != 0 && slot == p.nudge.slot {
		if moved := roundTo(s.Type, s.clamp(x+n*ulpOf(s.Type, x))); !s.ranged() || s.has(moved) {
			return moved
		}
	}
	return x
}

// place is where a slot of a product has its element for (i, j).
func (s *Slot) place(i, j int) (row, col int) {
	switch {
	case s.Row && s.Col:
		return i, j
	case s.Row:
		return 0, i
	case s.Col:
		return 0, j
	}
	return 0, 0
}

// A nudge is by how many units in the last place operands of a slot are moved.
type nudge struct {
	slot int
	ulps float64
}

// slot makes the memory of a slot when it is first wanted.
func (p *Problem) slot(n int) *operand {
	if o, ok := p.slots[n]; ok {
		return o
	}
	if p.make != nil {
		p.slots[n] = p.make(n)
		return p.slots[n]
	}
	s := &p.c.Slots[n]
	rows, cols := p.M, p.N
	if p.extent != nil && !s.Out && !s.Reduced {
		rows, cols = p.extent(s)
	}
	var o *operand
	switch {
	case s.Out || s.Unstored:
		o = p.result(n, p.matrix(s.Type, rows, cols))
	case s.Reduced:
		if s.Col {
			rows = cols
		}
		if o = p.memory(s.Type, 1, rows, rows, 1); rows > 0 {
			for i := range rows {
				o.set(0, i, -77)
			}
		}
	case s.Row && s.Col:
		o = p.telling(p.matrix(s.Type, rows, cols))
	case s.Row:
		o = p.telling(p.matrix(s.Type, 1, rows))
	case s.Col:
		o = p.telling(p.matrix(s.Type, 1, cols))
	default:
		n := 1
		if p.extent != nil {
			n = rows
		}
		o = p.scalar(s.Type, n)
	}
	if s.ranged() && !s.Out && !s.Unstored && !s.Reduced {
		p.drawWithin(s, o)
	}
	p.slots[n] = o
	return o
}

// result makes a matrix ready for a result: it begins as canaries, which nobody may read. The gaps between its elements, and
// what is not there, must be as they were after the call.
func (p *Problem) result(n int, o *operand) *operand {
	b, canary := o.raw(), o.canary()
	size := len(canary)
	o.paint()
	p.again = append(p.again, o.paint)
	p.intact = append(p.intact, func() error {
		if len(b)/size == o.rows*o.cols && p.absent == nil {
			return nil // there are no gaps
		}
		left := bytes.Clone(b)
		defer func() { copy(b, left) }()
		for i := range o.rows {
			for j := range o.cols {
				if p.absent == nil || !p.absent(i, j) {
					copy(b[o.index(i, j)*size:], canary)
				}
			}
		}
		if len(b) == 0 || bytes.Equal(b[:size], canary) && bytes.Equal(b[size:], b[:len(b)-size]) {
			return nil
		}
		for i := range len(b) / size {
			if !bytes.Equal(b[i*size:(i+1)*size], canary) {
				return fmt.Errorf("output %d: place %d of row %d, which is a gap or is not there, was written", n, i%max(o.rs, 1), i/max(o.rs, 1))
			}
		}
		return nil
	})
	return o
}

// paint covers all memory with canaries.
func (o *operand) paint() {
	b := o.raw()
	for n := copy(b, o.canary()); n < len(b) && n > 0; n *= 2 {
		copy(b[n:], b[:n])
	}
}

// lay makes the matrix of a slot with a layout. A result begins as canaries.
func (p *Problem) lay(slot int, t dtype.Type, rows, cols int, l arrangement) *operand {
	rs, cs := l.Strides(rows, cols)
	o := p.memory(t, rows, cols, rs, cs)
	if p.slots[slot] = o; slot >= 0 {
		p.result(slot, o)
	}
	return o
}

// fill sets all elements, row by row.
func (o *operand) fill(next func() float64) {
	for i := range o.rows {
		for j := range o.cols {
			o.set(i, j, next())
		}
	}
}

// matrix is a row-major matrix of random numbers, or small integers.
func (p *Problem) matrix(t dtype.Type, rows, cols int) *operand {
	ld := cols + p.pad
	o := p.memory(t, rows, cols, ld, 1)
	draw := p.draws(t)
	for i := range o.size() {
		o.store(i, draw())
	}
	return o
}

// factor makes the matrix of a factor, stored as the rows of its transpose if trans is set.
func (p *Problem) factor(slot int, t dtype.Type, rows, cols int, trans bool) *operand {
	if trans {
		rows, cols = cols, rows
	}
	o := p.matrix(t, rows, cols)
	if trans {
		o.rows, o.cols, o.rs, o.cs = cols, rows, 1, o.rs
		o.views = o.view(o)
	}
	p.slots[slot] = o
	return o
}

// hide makes rows NaN that no entry reads.
func (o *operand) hide(used []bool) {
	for i, u := range used {
		for j := range o.cols {
			if !u {
				o.set(i, j, nan)
			}
		}
	}
}

// memory is room for a matrix.
func (p *Problem) memory(t dtype.Type, rows, cols, rs, cs int) *operand {
	o := &operand{typ: t, rows: rows, cols: cols, rs: rs, cs: cs, pairs: t == dtype.C64 || t == dtype.C128}
	o.elems = alloc(p, t, extent(rows, cols, rs, cs))
	o.views = o.view(o)
	return o
}

// results are the slots that a call writes.
func (p *Problem) results() (list []int) {
	if p.make != nil {
		for n := range p.c.Op.(Equation).Outs {
			list = append(list, -1-n)
		}
	}
	for n, s := range p.c.Slots {
		if s.Out || s.Reduced {
			list = append(list, n)
		}
	}
	return list
}

// untouched reports what a call has written that no result lies in.
func (p *Problem) untouched() error {
	for _, f := range p.intact {
		if err := f(); err != nil {
			return err
		}
	}
	results := p.results()
	for n, b := range p.before {
		if !slices.Contains(results, n) && !bytes.Equal(b, p.slots[n].raw()) {
			return fmt.Errorf("the kernel changed the operand in slot %d, %s: %s", n, slotName(n), p.slots[n].changed(b))
		}
	}
	return nil
}

// fenced reports whether operands lie between inaccessible pages, and are kept to be compared. Those of a problem that is
// timed do not: they are large, and nothing frees them.
func (p *Problem) fenced() bool { return p.guarded && !p.c.timed }

// close frees the memory.
func (p *Problem) close() {
	for _, f := range p.free {
		f()
	}
	for _, q := range p.beside {
		q.close()
	}
}

// size is what a call reads and writes at least, in bytes.
func (p *Problem) size() int {
	n := p.bytes
	for _, o := range p.slots {
		if o.elems != nil {
			n += len(o.raw())
		}
	}
	return n
}
