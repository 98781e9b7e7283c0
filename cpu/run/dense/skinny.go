package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
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
	kc          int
	own         bool // each worker copies of the small operand what it reads next: all of it is too much
}

const (
	page = 4096

	dotFrom = 128 // k; below, joining the partial sums takes too long

	// An axpy-form kernel reads so many bytes of a row of B, two pages at most, and a block
	// of about so many rows: it and the next one, which is fetched meanwhile, stay in L2
	// beside the sums, and fetching and storing these costs little.
	axpyChunk = 2 * page
	axpyRows  = 64
	// What a dot kernel reads of the small operand again and again stays in L1.
	dotBytes = 32 << 10
	dotChunk = 512 << 10 // bytes of the big operand that stay in L2 for all of the small one
	dotAhead = 8         // tiles
)

// planSkinny fills in the plan if the product is skinny enough to be done so. The
// shape and the strides decide, and nothing else.
func (p *product) planSkinny(pl *plan) {
	s := &pl.skinny
	*s = skinny{}
	if !p.kern.Joins() || p.ta.Size() != p.size || p.tb.Size() != p.size || p.fused.Reduced > 0 {
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
	vl := p.kern.VL
	switch {
	case float64(s.long)*float64(p.k)*float64(p.size) < tiling.SkinnyBytes:
	case alongLong && !alongK: // a single column is both
		s.on = true
		s.groups = mem.SplitUp(s.small, len(p.kern.Of(kernel.Axpy)))
		width := p.kern.Of(kernel.Axpy)[s.groups.Size-1].NV * vl
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
		s.groups = mem.SplitUp(s.small, p.kern.DotMost())
		deep := dotBytes / (s.groups.Size * p.size)
		s.kc = mem.Ceil(mem.Ceil(p.k, mem.Ceil(p.k, deep)), vl) * vl
		long, _ := p.kern.Dots(s.groups.Size, true)
		s.chunk = long.MR * max(1, dotChunk/(s.groups.Count*long.MR*s.kc*p.size))
		if pl.threads > 1 {
			s.chunk = min(s.chunk, max(1, mem.Ceil(s.long, 4*pl.threads)))
		}
	}
}

// copiesLittle reports whether dot kernels read a copy of the small operand.
func (p *product) copiesLittle(little mem.Operand) bool {
	return p.k > 1 && (little.CS != p.size || little.RS%page == 0)
}

// prepareSkinny makes the small operand of dot kernels contiguous along k. Rows that fall
// into the same sets of L1 are copied as well.
func (j *job) prepareSkinny() {
	pl := &j.plan
	s := &pl.skinny
	j.tasks = mem.Ceil(s.long, s.chunk)
	j.next.Store(0)
	j.little = j.a
	if s.columns {
		j.little = mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	}
	s.own = false
	if s.dot && j.copiesLittle(j.little) {
		if s.own = mem.Volume(s.small, j.k, j.size) > panelBudget; s.own {
			return
		}
		j.little = j.copyRows(&j.self, &j.bbuf, j.little, j.ta, s.small, j.k, j.kern.PackRowsA, j.kern.PackColsA)
		j.self.pack.B, j.self.pack.C = nil, nil
	}
}

// workSkinny takes chunks of the long side until none is left.
func (j *part) workSkinny(w *worker) {
	s := &j.plan.skinny
	w.args.Next, w.args.NextStep = 0, 0
	for {
		t := int(j.next.Add(1)) - 1
		if t >= j.tasks {
			w.args.Fetch = nil // do not keep the caller's memory alive
			return
		}
		from, to := t*s.chunk, min((t+1)*s.chunk, s.long)
		if s.dot {
			j.dotChunk(w, from, to)
		} else {
			j.axpyChunk(w, from, to)
		}
	}
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
func (j *part) begin(args *run.Args, k int, direct bool) {
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

// axpyChunk computes columns from to to of the product, or of its transpose if the
// small side is n: the small operand times the big one, whose rows are contiguous.
func (j *part) axpyChunk(w *worker, from, to int) {
	s, kern, args := &j.plan.skinny, j.kern, &w.args
	tiles := kern.Of(kernel.Axpy)
	big := j.b
	if s.columns {
		big = mem.Operand{P: j.a.P, RS: j.a.CS, CS: j.a.RS}
	}
	c, direct := j.sumsOf(w, 0, from, s.small, to-from, !s.columns)
	args.LdB, args.LdC = int64(big.RS), int64(c.RS)
	for k := 0; k < j.k; k += s.kc {
		args.K = int64(min(s.kc, j.k-k))
		j.begin(args, k, direct)
		next := big.At(k, from) // the block after this one; the last fetches itself
		switch {
		case k+s.kc < j.k:
			next = big.At(k+s.kc, from)
		case to < s.long:
			next = big.At(0, to)
		}
		for g := range s.groups.Count {
			row := s.groups.At(g)
			rows := s.groups.At(g+1) - row
			a := j.side(w, mem.Operand{P: j.little.At(row, k), RS: j.little.RS, CS: j.little.CS}, rows, int(args.K))
			args.A, args.RsA, args.CsA = a.P, int64(a.RS), int64(a.CS)
			tile := &tiles[rows-1]
			width := tile.NV * kern.VL
			col := from
			if n := (to - from) / width; n > 0 {
				args.B, args.C, args.Tiles = big.At(k, col), c.At(row, 0), int64(n)
				args.Fetch, args.LdF, args.Span = next, int64(big.RS), int64(mem.Ceil(to-from, width))
				tile.F(args)
				col += n * width
			}
			next = big.At(k, from)
			args.Tiles = 1
			for col < to {
				cols := min(to-col, kern.NV*kern.VL)
				nv := mem.Ceil(cols, kern.VL)
				form := kernel.Panel
				if args.N = int64(cols - (nv-1)*kern.VL); int(args.N) < kern.VL {
					form = kernel.Tail
				}
				args.B, args.C = big.At(k, col), c.At(row, col-from)
				kern.Tile(form, rows, nv)(args)
				col += cols
			}
		}
	}
	switch {
	case direct:
	case s.columns:
		j.finishChunk(w, mem.Operand{P: c.P, RS: c.CS, CS: c.RS}, from, 0, to-from, s.small)
	default:
		j.finishChunk(w, c, 0, from, s.small, to-from)
	}
}

// side returns rows x k of the small operand with the elements of one k side by side, as
// they lie or copied.
func (j *part) side(w *worker, a mem.Operand, rows, k int) mem.Operand {
	if a.RS == j.size {
		return a
	}
	vl := j.kern.VL
	ld := mem.Ceil(rows, vl) * vl * j.size
	w.abuf.Grow(k * ld)
	to := mem.Operand{P: w.abuf.P, RS: j.size, CS: ld}
	if a.CS != j.size {
		for i := range k {
			gatherRow(to.At(0, i), a.At(0, i), rows, a.RS, j.ta)
		}
		return to
	}
	args := &w.pack
	args.K, args.LdB, args.LdC = int64(k), int64(a.RS), int64(ld)
	for i := 0; i < rows; i += vl {
		args.B, args.C, args.N = a.At(i, 0), to.At(i, 0), int64(min(vl, rows-i))
		j.kern.PackColsA(args)
	}
	args.B, args.C = nil, nil
	return to
}

// dotChunk computes rows from to to of the product if the small side is n, else its
// columns from to to.
func (j *part) dotChunk(w *worker, from, to int) {
	s, kern, args := &j.plan.skinny, j.kern, &w.args
	i0, j0, rows, cols := 0, from, s.small, to-from
	big := mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	if s.columns {
		i0, j0, rows, cols = from, 0, to-from, s.small
		big = j.a
	}
	c, direct := j.sumsOf(w, i0, j0, rows, cols, true)
	args.LdC = int64(c.RS)
	for k := 0; k < j.k; k += s.kc {
		args.K = int64(min(s.kc, j.k-k))
		j.begin(args, k, direct)
		block := mem.Operand{P: j.little.At(0, k), RS: j.little.RS, CS: j.little.CS}
		if s.own {
			block = j.copyRows(w, &w.abuf, block, j.ta, s.small, int(args.K), j.kern.PackRowsA, j.kern.PackColsA)
		}
		for g := range s.groups.Count {
			at := s.groups.At(g)
			n := s.groups.At(g+1) - at
			little := block.At(at, 0)
			long, one := kern.Dots(n, s.columns)
			tile := long.NV
			if s.columns {
				tile = long.MR
			}
			if s.columns {
				args.B, args.LdB, args.RsA = little, int64(block.RS), int64(big.RS)
			} else {
				args.A, args.RsA, args.LdB = little, int64(block.RS), int64(big.RS)
			}
			// What comes after this block; the last fetches itself, as do all groups but the first.
			row, at0 := from, k
			switch {
			case g > 0:
			case k+s.kc < j.k:
				at0 = k + s.kc
			case to < s.long:
				row, at0 = to, 0
			}
			args.LdF = int64(big.RS)
			run := func(f *run.Tile, first, tiles, step int, fetch unsafe.Pointer) {
				if s.columns {
					args.A, args.C = big.At(first, k), c.At(first-from, at)
					args.StepA, args.StepB, args.StepC = int64(step*big.RS), 0, int64(step*c.RS)
				} else {
					args.B, args.C = big.At(first, k), c.At(at, first-from)
					args.StepA, args.StepB, args.StepC = 0, int64(step*big.RS), int64(step*j.size)
				}
				args.Tiles, args.Fetch = int64(tiles), fetch
				f.F(args)
			}
			tiles := (to - from) / tile
			last := min(tiles, dotAhead)
			if n := tiles - last; n > 0 {
				run(long, from, n, tile, big.At(from+last*tile, k))
			}
			if last > 0 {
				run(long, from+(tiles-last)*tile, last, tile, big.At(row, at0))
			}
			if rest := (to - from) % tile; rest > 0 {
				run(one, to-rest, rest, 1, big.At(to-rest, k))
			}
		}
	}
	if !direct {
		j.finishChunk(w, c, i0, j0, rows, cols)
	}
}

// finishChunk hands finished sums to the epilogue or stores them into an out whose
// rows are not contiguous.
func (j *part) finishChunk(w *worker, sums mem.Operand, i, jj, rows, cols int) {
	if !j.fused.On {
		beta := j.beta
		if j.mode != kernel.ModeUpdate {
			beta = 0
		}
		if j.size == 4 {
			mem.Scatter[float32](j.c, i, jj, rows, cols, sums, beta)
		} else {
			mem.Scatter[float64](j.c, i, jj, rows, cols, sums, beta)
		}
		return
	}
	if sums.CS != j.size {
		ld := mem.Ceil(cols, j.kern.VL) * j.kern.VL * j.size
		w.scratch.Grow(rows * ld)
		to := mem.Operand{P: w.scratch.P, RS: ld, CS: j.size}
		if j.size == 4 {
			mem.Scatter[float32](to, 0, 0, rows, cols, sums, 0)
		} else {
			mem.Scatter[float64](to, 0, 0, rows, cols, sums, 0)
		}
		sums = to
	}
	j.fused.Run(&w.epi, sums, i, jj, rows, cols, 0, 0)
	w.epi.Forget()
}

// copyRows copies rows x k elements, narrow ones widened, to contiguous rows in buf.
func (p *product) copyRows(w *worker, buf *mem.Buffer, a mem.Operand, t dtype.Type, rows, k int, byRow []run.Kernel, byCol run.Kernel) mem.Operand {
	vl := p.kern.VL
	ld := p.copiedRow(k)
	buf.Grow(rows * ld)
	args := &w.pack
	switch {
	case a.CS == t.Size():
		args.K = int64(rows)
		strip := p.kern.NV * vl
		for x := 0; x < k; x += strip {
			packRows(args, byRow, vl, unsafe.Add(a.P, x*a.CS), a.RS, unsafe.Add(buf.P, x*p.size), ld, min(strip, k-x))
		}
	case a.RS == t.Size():
		args.K, args.LdB, args.LdC = int64(rows), int64(a.CS), int64(ld)
		for x := 0; x < k; x += vl {
			args.B, args.C, args.N = unsafe.Add(a.P, x*a.CS), unsafe.Add(buf.P, x*p.size), int64(min(vl, k-x))
			byCol(args)
		}
	default:
		for i := range rows {
			gatherRow(unsafe.Add(buf.P, i*ld), unsafe.Add(a.P, i*a.RS), k, a.CS, t)
		}
	}
	return mem.Operand{P: buf.P, RS: ld, CS: p.size}
}
