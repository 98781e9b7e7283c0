package spblas

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
)

// SampledSet is all variants of the sampled product of two dense matrices. A
// package-level variable holds one for each element type.
type SampledSet[T dtype.Float] struct {
	Name     string
	Variants []*run.SampledKernels // best first; none without assembly

	choice choose.Choice
}

// pick returns the variant to run, nil for the portable code.
func (set *SampledSet[T]) pick(isa string) *run.SampledKernels {
	return choose.Pick(&set.choice, set.Name, set.Variants, func(k *run.SampledKernels) string { return k.ISA }, isa)
}

// SDDMM computes out[k] = the product of row i of a with row j of b, for every entry
// k = (i, j) of s in the order of s.All; if weigh is set, times the entry's value.
// With opt.Scaled it is Alpha times that plus Beta*out[k]. s is m x n, a is m x f, b
// is n x f, with any strides.
//
// An element's sum over f is made in an order that depends on f and the variant
// only. Assembly fuses each product with its addition, the portable code rounds it
// first. The sum of no features is 0, which values and Alpha multiply as they do any
// other sum: 0*Inf is NaN. Nothing is multiplied if Alpha is 0. Beta = 0 does not read out.
// Copies of a and b, which it needs if rows are not contiguous, take no more memory than
// they or 64 MB each. SDDMM panics with a [layout.ShapeError] before
// any element is read if shapes do not agree, a slice is too short, or out shares
// memory with a or b.
func (set *SampledSet[T]) SDDMM(opt run.Options, weigh bool, out []T, s sparse.Matrix[T], a, b layout.Matrix[T]) {
	checkSampled(set.Name, opt, out, s, &a, &b)
	kern := set.pick(opt.ISA)
	alpha, beta := T(1), T(0)
	if opt.Scaled {
		alpha, beta = T(opt.Alpha), T(opt.Beta)
	}
	if len(out) == 0 {
		return
	}
	if alpha == 0 {
		for k := range out {
			if beta == 0 {
				out[k] = 0
			} else {
				out[k] *= beta
			}
		}
		return
	}
	var task work.Task
	if kern == nil || a.Cols == 0 || !copies(a, b) { // no sums are 0, and huge ones read a and b where they lie
		task = &sampledPortable[T]{weigh: weigh, alpha: alpha, beta: beta, out: out, raw: s.Raw(), a: a, b: b}
	} else {
		d := sampledCalls.Get()
		defer func() { *d = sampled{}; sampledCalls.Put(d) }()
		*d = sampled{raw: s.Raw(), pointers: rowPointers(s.Raw()), kern: kern, size: int(unsafe.Sizeof(alpha)), features: a.Cols, weigh: weigh,
			out: unsafe.Pointer(unsafe.SliceData(out)), alpha: mem.BitsOf(alpha), beta: mem.BitsOf(beta)}
		a, b = contiguousRows(a), contiguousRows(b)
		d.a, d.b = mem.OperandOf(a), mem.OperandOf(b)
		d.panels = mem.SplitUp(mem.Ceil(a.Cols, kern.VL), len(kern.First))
		d.mode = storeMode(alpha, beta)
		if float64(b.Rows)*float64(a.Cols*d.size) > float64(tiling.MachineCaches().L2/2) {
			d.ahead = fetchDistance(a.Cols * d.size)
		}
		task = d
	}
	work.Run(task, sparseThreads(opt, float64(len(out))*float64(a.Cols)))
}

func checkSampled[T dtype.Float](name string, opt run.Options, out []T, s sparse.Matrix[T], a, b *layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(format, args...)})
	}
	switch {
	case opt.B != nil:
		fail("Options.B is for dense products; this one has no use for a packed b")
	case a.Rows != s.Rows() || b.Rows != s.Cols() || a.Cols != b.Cols:
		fail("s is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x f, n x f", s.Rows(), s.Cols(), a.Rows, a.Cols, b.Rows, b.Cols)
	case len(out) != s.NNZ():
		fail("out has %d values, s has %d entries", len(out), s.NNZ())
	}
	if err := a.Check("a"); err != nil {
		fail("%v", err)
	}
	if err := b.Check("b"); err != nil {
		fail("%v", err)
	}
	if mem.Touch(out, a.Data) || mem.Touch(out, b.Data) {
		fail("out shares memory with an operand; copy the operand first")
	}
}

// sparseWork is how many multiply-adds on a sparse operand pay for a second thread
// being woken.
const sparseWork = 1 << 20

func sparseThreads(opt run.Options, muls float64) int {
	if muls < sparseWork {
		return 1
	}
	return work.Allowed(opt.Threads)
}

// rowPointers returns the row pointers of a matrix.
func rowPointers(r sparse.Raw) []int32 { return unsafe.Slice((*int32)(r.Pointers), r.Rows+1) }

// entryRow returns the row that entry k is in.
func entryRow(pointers []int32, k int) int {
	i, _ := slices.BinarySearch(pointers[1:], int32(k)+1)
	return i
}

// rowsEnd returns the end of the rows from row on that hold all entries before to.
// It is made for an end that is near.
func rowsEnd(pointers []int32, row, to int) int {
	last, step := len(pointers)-1, 1
	for row+step < last && int(pointers[row+step]) < to {
		step *= 2
	}
	from := row + step/2 + 1
	i, _ := slices.BinarySearch(pointers[from:min(row+step, last)+1], int32(to))
	return from + i
}

// sampled is one call on assembly.
type sampled struct {
	raw         sparse.Raw
	pointers    []int32
	kern        *run.SampledKernels
	size        int
	features    int
	panels      mem.Split
	weigh       bool
	a, b        mem.Operand
	out         unsafe.Pointer
	alpha, beta uint64
	mode        int64
	ahead       int // entries
	next        atomic.Int64
}

const (
	// sampledChunk is how many entries have their partial sums in L1 at once: 16 KB.
	sampledChunk = 256
	// sampledTask is what a worker takes at once, in chunks.
	sampledTask = 16
	// sampledRows is how many rows one call passes, since it cannot be preempted.
	sampledRows = 4096
)

// fetchDistance returns how many entries before its use a row of so many bytes is
// fetched.
func fetchDistance(bytes int) int { return min(max(aheadBytes/max(bytes, 1), 8), 64) }

// sampledCalls keeps calls, so that one allocates nothing.
var sampledCalls mem.Pool[sampled]

// sampler is what a worker needs for sampled products.
type sampler struct {
	args run.SparseArgs
	sums mem.Buffer // a vector an entry
	// Of attention, one an entry:
	scores, weights mem.Buffer
	range2          [2]int32 // the pointers of a part of a row
}

var samplers mem.Pool[sampler]

func (d *sampled) Work(bool) {
	w := samplers.Get()
	defer samplers.Put(w)
	w.sums.Grow(sampledChunk * d.kern.VL * d.size)
	for {
		from := int(d.next.Add(1)-1) * sampledChunk * sampledTask
		if from >= d.raw.NNZ {
			break
		}
		row := entryRow(d.pointers, from)
		for k := from; k < min(from+sampledChunk*sampledTask, d.raw.NNZ); k += sampledChunk {
			row = d.chunk(w, row, k, min(k+sampledChunk, d.raw.NNZ))
		}
	}
	w.args = run.SparseArgs{}
}

// chunk computes entries from to to-1, the first of which is in row; it returns the
// row of entry to.
func (d *sampled) chunk(w *sampler, row, from, to int) int {
	end := rowsEnd(d.pointers, row, to)
	d.partialSums(w, row, end, from, to)
	var values unsafe.Pointer
	if d.weigh {
		values = unsafe.Add(d.raw.Values, from*d.size)
	}
	d.reduce(w, unsafe.Add(d.out, from*d.size), values, to-from)
	return end - 1
}

// reduce turns n vectors of sums into values at c, times those at values if that is
// not nil.
func (d *sampled) reduce(w *sampler, c, values unsafe.Pointer, n int) {
	a := &w.args
	a.A, a.C, a.Values = w.sums.P, c, values
	a.K, a.N = int64(n/d.kern.VL), int64(n%d.kern.VL)
	a.Alpha, a.Beta, a.Mode = d.alpha, d.beta, d.mode
	if values != nil {
		d.kern.Weigh(a)
	} else {
		d.kern.Reduce(a)
	}
}

// partialSums leaves a vector of sums for each of the entries from to to-1, which
// are in rows row to end-1.
func (d *sampled) partialSums(w *sampler, row, end, from, to int) {
	sums := w.sums.P
	for end-row > sampledRows { // most are empty
		stop := row + sampledRows
		if next := min(int(d.pointers[stop]), to); next > from {
			d.rowSums(w, row, stop, from, next, sums)
			sums = unsafe.Add(sums, (next-from)*d.kern.VL*d.size)
			from = next
		}
		row = rowsEnd(d.pointers, stop, from+1) - 1
	}
	d.rowSums(w, row, end, from, to, sums)
}

// rowSums is partialSums of rows that one call does.
func (d *sampled) rowSums(w *sampler, row, end, from, to int, sums unsafe.Pointer) {
	a, vl := &w.args, d.kern.VL
	a.Pointers, a.Indices = unsafe.Add(d.raw.Pointers, row*4), d.raw.Indices
	a.LdA, a.LdB, a.C = int64(d.a.RS), int64(d.b.RS), sums
	a.Rows, a.Place, a.Limit = int64(end-row), int64(from), int64(to)
	a.Ahead = 0
	if to+d.ahead <= d.raw.NNZ {
		a.Ahead = int64(4 * d.ahead)
	}
	for p := range d.panels.Count {
		v0, v1 := d.panels.At(p), d.panels.At(p+1)
		a.N = int64(min(v1*vl, d.features) - (v1-1)*vl)
		a.A, a.B = d.a.At(row, v0*vl), unsafe.Add(d.b.P, v0*vl*d.size)
		list := d.kern.First
		switch tail := int(a.N) < vl; {
		case p > 0 && tail:
			list = d.kern.MoreTail
		case p > 0:
			list = d.kern.More
		case tail && d.ahead == 0 && v1-v0 <= len(d.kern.NearTail):
			list = d.kern.NearTail
		case tail:
			list = d.kern.FirstTail
		case d.ahead == 0 && v1-v0 <= len(d.kern.Near):
			list = d.kern.Near
		}
		list[v1-v0-1](a)
	}
}
