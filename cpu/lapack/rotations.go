package lapack

import (
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
)

// rotations are sweeps of plane rotations that have yet to be applied to sets of vectors. A QR step finds its
// rotations from a few numbers, and rotating vectors of n elements takes n times as long. Applied one sweep at a time,
// each would go over all vectors with a stride. So some hundreds of sweeps are kept, and then applied to a panel of
// the elements of all vectors after the other, in a copy where those of each vector are together. (Van Zee, van de Geijn and Quintana-Ortí,
// "Restructuring the tridiagonal and bidiagonal QR algorithms for performance", ACM TOMS 40(3), 2014.)
type rotations struct {
	sets   []*vectorSet
	sweeps []sweep
	cs     []float64 // pairs of cosine and sine, each for the sets that say its number
	pairs  int       // of each plane
	most   int       // length of cs from which on they are applied
}

// A sweep is of planes (first, first+1) to (first+count-1, first+count), in this order or the other.
type sweep struct {
	first, count, at int // at is where its numbers begin in cs
	down             bool
}

// A vectorSet is n vectors: element i of vector j is data[i*step+j*apart].
type vectorSet struct {
	data              []float64
	size, step, apart int // size is how many elements each has
	pair              int // which of the pairs of numbers of a plane rotates them
}

// columns are the columns of a matrix of that many rows.
func columns(a []float64, lda, rows, pair int) *vectorSet { return &vectorSet{a, rows, lda, 1, pair} }

// rows are the rows of a matrix of that many columns.
func rows(a []float64, lda, cols, pair int) *vectorSet { return &vectorSet{a, cols, 1, lda, pair} }

// newRotations is for sets of n vectors, with so many pairs of numbers a plane.
func newRotations(n, pairs int, sets ...*vectorSet) *rotations {
	return &rotations{sets: sets, pairs: pairs, most: 64 * 2 * pairs * n}
}

// begin begins a sweep. For each plane follows one call of add, in the order of planes that is given here.
func (r *rotations) begin(first, count int, down bool) {
	if len(r.cs) >= r.most {
		r.apply()
	}
	r.sweeps = append(r.sweeps, sweep{first, count, len(r.cs), down})
}

// add adds the rotation of the next plane: pairs of a cosine and a sine, by which (x, y) becomes (c*x + s*y, c*y - s*x).
func (r *rotations) add(cs ...float64) { r.cs = append(r.cs, cs...) }

// apply applies what was added, and forgets it.
func (r *rotations) apply() {
	if len(r.sweeps) == 0 {
		return
	}
	low, high := r.sweeps[0].first, 0
	for _, s := range r.sweeps {
		low, high = min(low, s.first), max(high, s.first+s.count)
	}
	for _, set := range r.sets {
		if set.size == 0 {
			continue
		}
		p := panels{rotations: r, set: set, low: low, n: high - low + 1}
		p.width = panelWidth
		p.count = int64((set.size + p.width - 1) / p.width)
		vectors.Share(&p, min(vectors.Allowed(), int(p.count)))
	}
	r.sweeps, r.cs = r.sweeps[:0], r.cs[:0]
}

// panelWidth is how many elements of each vector a panel has, two of which stay in L1 from one rotation to the next. A call of drot
// takes as long as some thirty elements. Fewer, of which all vectors are in L2, were slower: 64 by a third.
const panelWidth = 256

// panels are of elements i0 <= i < i0+width of vectors low to low+n-1.
type panels struct {
	*rotations
	set           *vectorSet
	low, n, width int
	count         int64
	next          atomic.Int64
}

// Work takes panels until there are no more.
func (p *panels) Work(bool) {
	buf := make([]float64, p.n*p.width)
	for at := p.next.Add(1) - 1; at < p.count; at = p.next.Add(1) - 1 {
		i0 := int(at) * p.width
		width := min(p.width, p.set.size-i0)
		p.move(buf, i0, width, true)
		p.rotate(buf, width)
		p.move(buf, i0, width, false)
	}
}

// move copies a panel to buf, where the elements of each vector lie together, or back.
func (p *panels) move(buf []float64, i0, width int, in bool) {
	s := p.set
	data := s.data[i0*s.step+p.low*s.apart:]
	if s.step == 1 {
		for j := range p.n {
			if there, here := data[j*s.apart:][:width], buf[j*width:][:width]; in {
				copy(here, there)
			} else {
				copy(there, here)
			}
		}
		return
	}
	for i := range width {
		there := data[i*s.step:][:p.n]
		if in {
			for j, x := range there {
				buf[j*width+i] = x
			}
		} else {
			for j := range there {
				there[j] = buf[j*width+i]
			}
		}
	}
}

// rotate applies all sweeps to a panel.
func (p *panels) rotate(buf []float64, width int) {
	blas, two := blas64.Implementation(), 2*p.pairs
	for _, s := range p.sweeps {
		at := s.at + 2*p.set.pair
		for k := range s.count {
			j := s.first + k
			if s.down {
				j = s.first + s.count - 1 - k
			}
			x := buf[(j-p.low)*width:][:2*width]
			blas.Drot(width, x[:width], 1, x[width:], 1, p.cs[at], p.cs[at+1])
			at += two
		}
	}
}
