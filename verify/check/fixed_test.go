package check

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// plain is a right kernel for one shape, in plain Go, and what the wrong ones are made
// from: hooks replace its parts.
type plain[T dtype.Float] struct {
	s       Shape
	depth   func(k int) int     // how many k are summed
	strides func(n Batch) Batch // what a batch believes its strides to be
	last    func(out, a, b []T) // after each product
	lax     bool                // checks nothing
	any     bool                // takes any shape of matrices
	loose   bool                // checks lengths of a batch by a product that overflows
}

func (p plain[T]) refuse(when bool, why string) {
	if when && !p.lax {
		panic(layout.ShapeError{What: "plain", Why: why})
	}
}

func (p plain[T]) gemm(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	if have := (Shape{out.Rows, out.Cols, a.Cols}); !p.any && have != have.only(p.s) {
		panic(layout.ShapeError{What: "plain", Why: "another shape"})
	}
	checked(alpha, a, b, beta, out)
}

func (p plain[T]) arrays(out, a, b []T) {
	p.refuse(meet(out, a) || meet(out, b), "out shares memory with an operand")
	k := p.s.K
	if p.depth != nil {
		k = p.depth(k)
	}
	for i := range p.s.M {
		for j := range p.s.N {
			var sum T
			for l := range k {
				sum += a[i*p.s.K+l] * b[l*p.s.N+j]
			}
			out[i*p.s.N+j] = sum
		}
	}
	if p.last != nil {
		p.last(out, a, b)
	}
}

func meet[T dtype.Float](x, y []T) bool {
	at := func(s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
	size := unsafe.Sizeof(x[0])
	return at(x) < at(y)+size*uintptr(len(y)) && at(y) < at(x)+size*uintptr(len(x))
}

func (p plain[T]) batch(n Batch, out, a, b []T) {
	s := p.s
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	p.refuse(n.Count < 0 || n.Out < 0 || n.A < 0 || n.B < 0, "negative")
	if n.Count <= 0 {
		return
	}
	fits := func(have, size, stride int) bool {
		if p.loose {
			return have >= size+(n.Count-1)*stride
		}
		return have >= size && (n.Count == 1 || stride == 0 || (have-size)/stride >= n.Count-1)
	}
	p.refuse(!fits(len(out), so, n.Out) || !fits(len(a), sa, n.A) || !fits(len(b), sb, n.B), "too short")
	p.refuse(n.Count > 1 && n.Out < so, "results share places")
	if p.strides != nil {
		n = p.strides(n)
	}
	for i := range n.Count {
		for j := range n.Count {
			p.refuse(meet(out[i*n.Out:][:so], a[j*n.A:][:sa]) || meet(out[i*n.Out:][:so], b[j*n.B:][:sb]), "out shares memory with an operand")
			if n.Count > 50 {
				break
			}
		}
	}
	inner := p
	inner.lax = true
	for i := range n.Count {
		inner.arrays(out[i*n.Out:][:so], a[i*n.A:][:sa], b[i*n.B:][:sb])
	}
}

func (p plain[T]) put(t TB) {
	c := FixedCase[T]{Only: p.s, MR: 4, NR: 8, KC: 64, Gemm: p.gemm}
	if p.s.MACs() > 0 {
		c.Arrays, c.Batch = p.arrays, p.batch
	}
	Fixed(t, c)
}

// A right kernel passes, with all, some and one of its dimensions fixed.
func TestFixedPasses(t *testing.T) {
	for i, s := range []Shape{{5, 6, 7}, {0, 6, 7}, {3, 0, 0}, {0, 0, 9}} {
		if level.Of(i == 0, i%2 == 0, true) {
			plain[float32]{s: s}.put(t)
		}
		if level.Of(false, i%2 == 1, true) {
			plain[float64]{s: s}.put(t)
		}
	}
}

// Wrong kernels are caught, by the group that is for them.
func TestFixedCatches(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	s := Shape{5, 6, 7}
	beyond := func(x []float32, i int) *float32 {
		return (*float32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), 4*i))
	}
	all := []struct {
		what, group string
		p           plain[float32]
	}{
		{"the last k is left out", "check=arrays", plain[float32]{depth: func(k int) int { return k - 1 }}},
		{"a write past the end", "check=arrays", plain[float32]{last: func(out, _, _ []float32) { *beyond(out, len(out)) = 1 }}},
		{"a write before the start", "check=arrays", plain[float32]{last: func(out, _, _ []float32) { *beyond(out, -1) = 1 }}},
		{"an operand is changed", "check=arrays", plain[float32]{last: func(_, a, _ []float32) { a[3]++ }}},
		{"the stride of b is taken for that of a", "check=batch", plain[float32]{strides: func(n Batch) Batch { n.B = n.A; return n }}},
		{"one product less", "check=batch", plain[float32]{strides: func(n Batch) Batch { n.Count--; return n }}},
		{"nothing is checked", "check=arrays", plain[float32]{lax: true}},
		{"the check of a batch overflows", "check=batcherror", plain[float32]{loose: true}},
		{"any shape is taken", "check=refused", plain[float32]{any: true}},
	}
	picked := level.Pick(len(all), 0, 4)
	t.Logf("mutants tried %d of %d", len(picked), len(all))
	for _, i := range picked {
		c := all[i]
		c.p.s = s
		r := &Recorder{}
		c.p.put(r)
		if !r.Failed() || !strings.Contains(r.String(), c.group) {
			t.Errorf("%s: want a failure of %s, have %q", c.what, c.group, r.Failures)
		}
	}
}

// What fixes nothing is no case.
func TestFixedCase(t *testing.T) {
	r := &Recorder{}
	Fixed(r, FixedCase[float32]{MR: 1, NR: 1, KC: 1})
	if len(r.Failures) != 1 {
		t.Errorf("have %q, want one failure", r.Failures)
	}
}
