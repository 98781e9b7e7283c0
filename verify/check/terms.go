package check

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// A total is what is known of the sum of an element, of which oracles say the terms: two factors each.
type total struct {
	sum       float64
	abs       float64 // what the magnitudes of all that was added add up to
	roundings int
}

// fold adds up terms. Without x the second factors are the terms.
func (a *Arithmetic) fold(x, y []float64) total {
	t := total{sum: a.Zero, roundings: len(y)}
	if x != nil && a.Plus == nil && a.Times == nil {
		t.products(x, y)
		return t
	}
	for k, v := range y {
		switch {
		case x == nil:
		case a.Times != nil:
			v = a.Times(x[k], v)
		default:
			v *= x[k]
		}
		t.abs += math.Abs(v)
		if a.Plus == nil {
			t.sum += v
			continue
		}
		t.sum = a.Plus(t.sum, v)
		if a.Rounds && !math.IsInf(t.sum, 0) { // each step at the size of what it leaves: exp and log do not shrink
			t.abs += math.Abs(t.sum)
		}
	}
	if a.Rounds {
		t.roundings += int(math.Ceil(float64(len(y)) * a.StepULP))
	}
	return t
}

// products adds up products, four sums at a time: an addition waits for the one before.
func (t *total) products(x, y []float64) {
	var s, m [4]float64
	x = x[:len(y)]
	for len(y) >= 4 {
		v, w, u, z := x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
		s[0], s[1], s[2], s[3] = s[0]+v, s[1]+w, s[2]+u, s[3]+z
		m[0], m[1], m[2], m[3] = m[0]+math.Abs(v), m[1]+math.Abs(w), m[2]+math.Abs(u), m[3]+math.Abs(z)
		x, y = x[4:], y[4:]
	}
	for k, v := range y {
		s[k] += x[k] * v
		m[k] += math.Abs(x[k] * v)
	}
	t.sum, t.abs = s[0]+s[1]+(s[2]+s[3]), m[0]+m[1]+(m[2]+m[3])
}

// total adds up the terms of element (i, j).
func (c *Case) total(p *Problem, i, j int) total {
	if p.sums != nil {
		sum, abs, roundings := p.sums(i, j)
		return total{sum, abs, roundings}
	}
	if p.terms == nil {
		p.terms = c.products(p)
	}
	p.sum = c.Arithmetic.fold(p.terms(i, j))
	if p.end != nil {
		p.end(i, j, &p.sum)
	}
	return p.sum
}

// products gives the terms of a product of matrices.
func (c *Case) products(p *Problem) func(i, j int) (x, y []float64) {
	if p.rows == nil {
		p.factors()
	}
	za, zb := 0.0, 0.0
	if c.Zeros != nil {
		za, zb = c.Zeros(p)
	}
	triangular := c.Structure.A != 0 && !c.Structure.Symmetric
	return func(i, j int) (x, y []float64) {
		a, b := p.rows[i*p.K:][:p.K], p.cols[j*p.K:][:p.K]
		if za == 0 && zb == 0 && !triangular {
			return a, b
		}
		x, y = p.buffers(p.K)
		n := 0
		for k := range a {
			if triangular && i != k && !c.Structure.A.Has(i, k) {
				continue // not a zero: it is not multiplied
			}
			x[n], y[n] = a[k]-za, b[k]-zb
			n++
		}
		return x[:n], y[:n]
	}
}

// factors reads a and b once, as all elements of a row or column want them.
func (p *Problem) factors() {
	p.rows, p.cols = make([]float64, p.M*p.K), make([]float64, p.N*p.K)
	a, b := p.slots[A], p.slots[B]
	for i := range p.M {
		a.read(p.rows[i*p.K:][:p.K], i*a.rs, a.cs)
	}
	for j := range p.N {
		b.read(p.cols[j*p.K:][:p.K], j*b.cs, b.rs)
	}
}

// sparseRows gives the terms of a product of m and B: the entries of a row, and the elements of B that they meet.
func (p *Problem) sparseRows(m matrix, pattern bool) func(i, j int) (x, y []float64) {
	b, row := p.slots[B], -1
	var x, y []float64
	var ks []int
	return func(i, j int) ([]float64, []float64) {
		if i != row {
			x, ks, row = x[:0], ks[:0], i
			for k, v := range m.Row(i) {
				x, ks = append(x, v), append(ks, k)
			}
			y = slices.Grow(y[:0], len(ks))[:len(ks)]
		}
		for e, k := range ks {
			y[e] = b.at(k, j)
		}
		if pattern {
			return nil, y
		}
		return x, y
	}
}

// buffers are room for the factors of n terms, until the next call.
func (p *Problem) buffers(n int) (x, y []float64) {
	p.x, p.y = slices.Grow(p.x[:0], n)[:n], slices.Grow(p.y[:0], n)[:n]
	return p.x, p.y
}

// scaled is the end alpha*sum + beta*out, of what result 0 holds by now. With alpha == 0 the sum does not count, NaN or not.
func (p *Problem) scaled() func(i, j int, t *total) {
	if p.Beta == 0 {
		return p.scaledOf(nil)
	}
	out := p.slots[0]
	old := make([]float64, p.M*p.N)
	for i := range p.M {
		out.read(old[i*p.N:][:p.N], out.index(i, 0), out.cs)
	}
	return p.scaledOf(old)
}

// scaledOf is scaled, of old elements of out.
func (p *Problem) scaledOf(old []float64) func(i, j int, t *total) {
	alpha, beta := real(p.Alpha), real(p.Beta)
	return func(i, j int, t *total) {
		if alpha == 0 {
			t.sum, t.abs = 0, 0
		} else {
			t.sum, t.abs = alpha*t.sum, math.Abs(alpha)*t.abs
		}
		if beta != 0 {
			t.sum, t.abs = t.sum+beta*old[i*p.N+j], t.abs+math.Abs(beta*old[i*p.N+j])
		}
	}
}

// elements are all of a small result, else the first and the last of each row, and some between.
func (p *Problem) elements(small bool) iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		columns := upTo(p.N) // the last stands for the first
		for i := 0; p.N > 0 && i < p.M; i++ {
			if !small {
				columns = []int{0, p.N - 1, p.rng.IntN(p.N), p.rng.IntN(p.N), p.rng.IntN(p.N), p.rng.IntN(p.N)}
			}
			for _, j := range columns {
				if !yield(i, j%p.N) {
					return
				}
			}
		}
	}
}

// lookAt compares elements of a result: exactly, if the case has no epilogue and sums are exact.
func (c *Case) lookAt(p *Problem, exact bool, elements iter.Seq2[int, int]) error {
	look := c.element
	if c.Results == nil && p.exact && exact {
		look = c.same
	}
	return p.each(elements, look)
}

// each looks at elements.
func (p *Problem) each(elements iter.Seq2[int, int], look func(p *Problem, i, j int) error) error {
	for i, j := range elements {
		if err := look(p, i, j); err != nil {
			return err
		}
	}
	return nil
}

// near compares elements of result 0 with their sums, which may be off by a slack. With one below 0 bits must be the same.
func (c *Case) near(p *Problem, elements iter.Seq2[int, int], slack func(i, j int, t *total) float64) error {
	for i, j := range elements {
		t := c.total(p, i, j)
		s, have := slack(i, j, &t), p.Load(0, i, j)
		right := equal(have, t.sum) || math.Abs(have-t.sum) <= s
		if s < 0 {
			right = sameBits(have, t.sum)
		}
		if !right {
			return fmt.Errorf("element (%d, %d) is %v, want %v +- %v", i, j, have, t.sum, max(s, 0))
		}
	}
	return nil
}

// equal reports whether two numbers are equal, or both NaN.
func equal(x, y float64) bool { return x == y || x != x && y != y }

// sameBits reports whether x and y are equal bit for bit, NaN payloads apart.
func sameBits(x, y float64) bool {
	return x == y && math.Signbit(x) == math.Signbit(y) || x != x && y != y
}
