package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// skinny is the plan of a product with few rows or columns: small of them on one
// side, long on the other. Such a product reads one operand, the big one, once, and
// that is what takes the time; no element of it is worth packing. Which kernels read
// it depends on how it lies:
//
//	contiguous along the long side: axpy-form kernels, a few of its rows at a time
//	contiguous along k: dot kernels, a few of its columns at a time
//
// The long side is cut into chunks, which are the tasks.
type skinny struct {
	on, dot     bool
	columns     bool // the small side is n, and the big operand is a
	small, long int
	groups      mem.Split // of the small side
	chunk       int       // of the long side
	reduced     int       // of the long side, has one partial result of each reduction over it; chunks are a multiple
	kc          int
	// For dot kernels: this much of the long side is done for one k-block after another. As
	// much of the next is prefetched meanwhile, in the order of addresses, or lead further
	// along k.
	strip, lead int
	inOrder     bool
	copied      bool // of the small operand a copy is read, one k-block of it after another
	own         bool // each worker copies what it reads next: all of it is too much
}

const (
	page = 4096

	dotFrom = 128 // k; below, joining the partial sums takes too long

	// An axpy-form kernel reads so many bytes of a row of B, two pages at most, and a block
	// of about so many rows. The block and the next one, which is prefetched meanwhile,
	// stay in L2 together with the sums, and fetching and storing these costs little.
	axpyChunk = 2 * page
	axpyRows  = 64
	// The part of the small operand that dot kernels read again and again stays in L1, next
	// to a tile's rows of the big one. A load that misses waits until one of the few misses
	// that L1 has under way is done, and those are fetches from memory.
	dotBytes = 22 << 10
	// So many bytes of the big operand are done for all of k, and the next as many fetched
	// meanwhile: both stay in L2.
	dotStrip = 128 << 10
	dotChunk = 512 << 10 // whose sums are joined at once: many to a row

	// This much of the long side has one partial result. It is small enough that threads
	// share the work, and large enough that joining lanes takes little.
	skinnyReduced = 128
)

// maybeSkinny reports whether there are strides with which a product is skinny. It may
// then add in another order than others with such columns and such a k.
func maybeSkinny(m, n, k, size int) bool {
	return min(m, n) <= tiling.SkinnyMost && float64(max(m, n))*float64(k)*float64(size) >= tiling.SkinnyBytes
}

// planSkinny fills in the plan if the product is skinny enough to be done so. The
// shape and the strides decide, and nothing else.
func (p *product) planSkinny(pl *plan) {
	s := &pl.skinny
	*s = skinny{}
	if p.exists != 0 || p.as != 0 || p.at != 0 || p.bs != 0 || !p.kern.Joins() || p.ta.Size() != p.size || p.tb.Size() != p.size {
		return
	}
	var alongLong, alongK bool
	switch {
	case p.m <= tiling.SkinnyMost && p.m <= p.n:
		s.small, s.long = p.m, p.n
		alongLong, alongK = p.b.CS == p.size, p.b.RS == p.size
	case p.n <= tiling.SkinnyMost:
		s.small, s.long, s.columns = p.n, p.m, true
		alongLong, alongK = p.a.RS == p.size, p.a.CS == p.size
	default:
		return
	}
	vl, unit := p.kern.VL, 0
	switch {
	case float64(s.long)*float64(p.k)*float64(p.size) < tiling.SkinnyBytes:
	case alongLong && !alongK: // a single column is both
		s.on = true
		s.groups = mem.SplitUp(s.small, len(p.kern.Of(kernel.Axpy)))
		width := p.kern.Of(kernel.Axpy)[s.groups.Size-1].NV * vl
		unit = width
		chunks := mem.Ceil(s.long*p.size, axpyChunk)
		s.chunk = mem.Ceil(mem.Ceil(s.long, chunks), width) * width
		// A row is fetched while a tile goes down as many rows as there are tiles.
		tiles := s.chunk / width
		s.kc = max(1, axpyRows/tiles) * tiles
		if pl.threads > 1 {
			s.chunk = min(s.chunk, mem.Ceil(mem.Ceil(s.long, 4*pl.threads), 4*vl)*4*vl)
		}
	case alongK && p.k >= dotFrom:
		s.on, s.dot = true, true
		unit = p.planDots(pl) * vl
	}
	if s.on && p.fused.Reduced > 0 {
		s.reduced = mem.Ceil(skinnyReduced, unit) * unit
		s.chunk = mem.Ceil(s.chunk, s.reduced) * s.reduced
	}
}

// prepareSkinny makes the small operand of dot kernels contiguous along k. Rows that fall
// into the same sets of L1 are copied as well.
func (j *job) prepareSkinny() {
	s := &j.plan.skinny
	j.tasks.Begin(mem.Ceil(s.long, s.chunk))
	j.little = j.a
	if s.columns {
		j.little = mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	}
	if s.copied && !s.own {
		j.little = j.copyLittle(j.little)
	}
	j.self.pack.B, j.self.pack.C = nil, nil
}

// copyLittle copies the small operand, one k-block after another. What the kernels read
// again and again is then adjacent, and falls into all sets of L1 alike.
func (j *job) copyLittle(little mem.Operand) mem.Operand {
	s := &j.plan.skinny
	row := s.kc * j.size
	j.bbuf.Grow(mem.Ceil(j.k, s.kc) * s.small * row)
	for k := 0; k < j.k; k += s.kc {
		to := unsafe.Add(j.bbuf.P, k*s.small*j.size)
		j.copyRowsTo(&j.self, to, row, mem.Operand{P: little.At(0, k), RS: little.RS, CS: little.CS}, j.ta, s.small, min(s.kc, j.k-k), packersA(j.kern))
	}
	return mem.Operand{P: j.bbuf.P, RS: row, CS: j.size}
}

// workSkinny takes chunks of the long side until none is left.
func (j *part) workSkinny(w *worker) {
	s := &j.plan.skinny
	w.args.Next, w.args.NextStep = 0, 0
	for t, ok := j.tasks.Next(); ok; t, ok = j.tasks.Next() {
		from, to := t*s.chunk, min((t+1)*s.chunk, s.long)
		if s.dot {
			j.dotChunk(w, from, to)
		} else {
			j.axpyChunk(w, from, to)
		}
	}
	w.args.Fetch = nil // do not keep the caller's memory alive
}

// sumsOf returns where a chunk's sums go, and whether that is out itself; else they
// are rows x cols in the worker's memory.
func (j *part) sumsOf(w *worker, i, jj, rows, cols int, direct bool) (mem.Operand, bool) {
	if direct && !j.fused.On && j.c.CS == j.size {
		return mem.Operand{P: j.c.At(i, jj), RS: j.c.RS, CS: j.size}, true
	}
	ld := mem.Ceil(cols, j.kern.VL)*j.kern.VL*j.size + mem.Line
	w.sums.Grow(rows * ld)
	return mem.Operand{P: w.sums.P, RS: ld, CS: j.size}, false
}

// begin sets the mode of a chunk's sums for the k-block at k.
func (j *part) begin(args *kernel.Args, k int, direct bool) {
	args.Alpha, args.Beta, args.Mode = j.alpha, j.beta, j.mode
	switch {
	case j.fused.On:
		args.Alpha, args.Mode = j.one, kernel.ModeStore
	case !direct:
		args.Mode = kernel.ModeScale
	}
	if k > 0 {
		args.Beta, args.Mode = j.one, kernel.ModeUpdate
	}
}

// finishChunk hands finished sums to the epilogue or stores them into an out whose
// rows are not contiguous.
func (j *part) finishChunk(w *worker, sums mem.Operand, i, jj, rows, cols int) {
	if !j.fused.On {
		var beta old
		if j.mode == kernel.ModeUpdate {
			beta.bits = j.beta
		}
		j.scatter(j.c, i, jj, rows, cols, sums, beta)
		return
	}
	if sums.CS != j.size {
		ld := mem.Ceil(cols, j.kern.VL) * j.kern.VL * j.size
		w.scratch.Grow(rows * ld)
		to := mem.Operand{P: w.scratch.P, RS: ld, CS: j.size}
		j.scatter(to, 0, 0, rows, cols, sums, old{})
		sums = to
	}
	j.epilogue(w, sums, i, jj, rows, cols)
	w.epi.Forget()
}

// epilogue runs the epilogue on the sums of a chunk, at once or in the parts of the long
// side that have one partial result each.
func (j *part) epilogue(w *worker, sums mem.Operand, i, jj, rows, cols int) {
	s := &j.plan.skinny
	switch {
	case s.reduced == 0:
		j.fused.Run(&w.epi, sums, i, jj, rows, cols, 0, 0)
	case s.columns:
		for r := 0; r < rows; r += s.reduced {
			at := mem.Operand{P: sums.At(r, 0), RS: sums.RS, CS: sums.CS}
			j.fused.Run(&w.epi, at, i+r, jj, min(s.reduced, rows-r), cols, 0, (i+r)/s.reduced)
		}
	default:
		for c := 0; c < cols; c += s.reduced {
			at := mem.Operand{P: sums.At(0, c), RS: sums.RS, CS: sums.CS}
			j.fused.Run(&w.epi, at, i, jj+c, rows, min(s.reduced, cols-c), (jj+c)/s.reduced, 0)
		}
	}
}

// partials is how many partial results a reduction has. One of rows has one for each
// panel of columns, and one of columns has one for each tile.
func (p *plan) partials() (panels, tiles int) {
	s := &p.skinny
	switch {
	case !s.on:
		return p.vecs.Count, mem.Ceil(p.rows.Count, columnTiles)
	case s.columns:
		return 1, mem.Ceil(s.long, s.reduced)
	}
	return mem.Ceil(s.long, s.reduced), 1
}

// firstColumn is where a panel begins, and n where the last one ends.
func (p *plan) firstColumn(panel, n, vl int) int {
	s := &p.skinny
	switch {
	case !s.on:
		return min(p.vecs.At(panel)*vl, n)
	case s.columns:
		return panel * n
	}
	return min(panel*s.reduced, n)
}
