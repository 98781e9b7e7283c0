package spgemm

import (
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Plan is the structure of a product of two sparse matrices. It computes products
// of others with the same structure, such as those of the next step of a simulation,
// without finding anything again. It cannot be changed; any number of goroutines may use
// it at once.
type Plan[T dtype.Value] struct {
	how       Spec[T]
	opt       run.Options
	a, b      call.Arrays[T] // without values
	structure sparse.Matrix[T]
}

// Plan returns the structure of a*b, at the cost of one product. Errors are those of
// [Spec.Multiply].
func (s *Spec[T]) Plan(opt run.Options, a, b sparse.Matrix[T]) (*Plan[T], error) {
	x, y := FactorOf(a), FactorOf(b)
	c, err := s.call(opt, &x.arrays, &y.arrays)
	if err != nil {
		return nil, err
	}
	p := &Plan[T]{how: *s, opt: opt, a: c.a, b: c.b}
	p.a.Values, p.b.Values = nil, nil
	p.structure, err = c.result()
	return p, err
}

// NNZ returns how many entries the products have.
func (p *Plan[T]) NNZ() int { return p.structure.NNZ() }

// Multiply returns a*b, with the bits that [Spec.Multiply] has. Products share their
// structure. It is an error of the kind [sparse.ErrShape] if a or b, when canonical, has
// another structure than the one that the plan is of.
func (p *Plan[T]) Multiply(a, b sparse.Matrix[T]) (sparse.Matrix[T], error) {
	const name = "spgemm.Plan.Multiply"
	x, y := FactorOf(a), FactorOf(b)
	c := p.how.newCall(p.opt, name, &x.arrays, &y.arrays)
	for _, x := range []struct {
		name       string
		have, want *call.Arrays[T]
	}{{"a", &c.a, &p.a}, {"b", &c.b, &p.b}} {
		if why := differs(x.have, x.want); why != "" {
			return sparse.Matrix[T]{}, &sparse.Error{Kind: sparse.ErrShape, Where: name, What: x.name + why, Right: "want the structure that was planned; make a plan of this one"}
		}
	}
	known := call.ArraysOf(p.structure)
	c.known, c.mask, c.masked = true, known, p.how.Mask != nil || p.how.MaskPattern != nil
	c.pointers, c.indices, c.values = known.Pointers, known.Indices, make([]T, len(known.Indices))
	c.weigh()
	c.cut()
	c.run()
	return sparse.Trusted(c.a.Rows, c.b.Cols, c.pointers, c.indices, c.values, p.structure.Sorted()), nil
}

// known computes the values of row i of a known structure. It uses a sum for each
// column if that is the way for the row, or else takes the structure for the mask.
func (r *worker[T]) known(i int) {
	c := r.c
	columns, factors := c.a.Row(i)
	at, end := int(c.pointers[i]), int(c.pointers[i+1])
	if at == end {
		return
	}
	if !c.masked {
		if _, _, _, dense := r.plan(columns); dense {
			r.room()
			r.scatter(r.sums, columns, factors)
			r.gather(at, end-at)
			return
		}
	}
	if c.open && !r.searches(c.indices[at:end], columns, c.rowFlops(i)) {
		r.openKnown(at, end, columns, factors)
		return
	}
	copy(c.values[at:end], r.maskedSums(c.indices[at:end], columns, factors))
	r.leave(c.indices[at:end])
}

// differs says how the structure of m differs from that of o, "" if it does not.
func differs[T dtype.Value](m, o *call.Arrays[T]) string {
	switch {
	case m.Rows != o.Rows || m.Cols != o.Cols:
		return " has another size than the one that was planned"
	case !same(m.Pointers, o.Pointers):
		return " has rows with more or fewer entries than were planned"
	case !same(m.Indices, o.Indices):
		return " has entries elsewhere than was planned"
	}
	return ""
}

// same reports whether two slices are equal; one and the same is without a look.
func same(x, y []int32) bool {
	return len(x) == len(y) && (unsafe.SliceData(x) == unsafe.SliceData(y) || slices.Equal(x, y))
}
