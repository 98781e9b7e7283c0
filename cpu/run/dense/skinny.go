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
	// Of dot kernels: so much of the long side is done for one k-block after another, and
	// the next as much fetched meanwhile, in the order of addresses, or lead further along k.
	strip, lead int
	inOrder     bool
	copied      bool // of the small operand a copy is read, one k-block of it after another
	own         bool // each worker copies what it reads next: all of it is too much
}

const (
	page = 4096

	dotFrom = 128 // k; below, joining the partial sums takes too long

	// An axpy-form kernel reads so many bytes of a row of B, two pages at most, and a block
	// of about so many rows: it and the next one, which is fetched meanwhile, stay in L2
	// beside the sums, and fetching and storing these costs little.
	axpyChunk = 2 * page
	axpyRows  = 64
	// What dot kernels read of the small operand again and again stays in L1, beside a
	// tile's rows of the big one. A load that misses waits until one of the few misses that
	// L1 has under way is done, and those are fetches from memory.
	dotBytes = 22 << 10
	// So many bytes of the big operand are done for all of k, and the next as many fetched
	// meanwhile: both stay in L2.
	dotStrip = 128 << 10
	dotChunk = 512 << 10 // whose sums are joined at once: many to a row
)

// planSkinny fills in the plan if the product is skinny enough to be done so. The
// shape and the strides decide, and nothing else.
func (p *product) planSkinny(pl *plan) {
	s := &pl.skinny
	*s = skinny{}
	if !p.kern.Joins() || p.ta.Size() != p.size || p.tb.Size() != p.size {
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
	if p.fused.Reduced > 0 && (!s.columns || p.fused.ByColumn()) { // but what is of rows that one call has all of
		*s = skinny{}
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
		p.planDots(pl)
	}
}

// planDots cuts a product of dot kernels.
func (p *product) planDots(pl *plan) {
	s, vl := &pl.skinny, p.kern.VL
	s.groups = dotGroups(p.kern, s.small)
	deep := dotBytes / (s.small * p.size)
	s.kc = mem.Ceil(mem.Ceil(p.k, mem.Ceil(p.k, deep)), vl) * vl
	long, _ := p.kern.Dots(s.groups.Size, true)
	tile, row := long.MR, p.k*p.size
	little, big := p.a, mem.Operand{RS: p.b.CS}
	if s.columns {
		little, big = mem.Operand{RS: p.b.CS, CS: p.b.RS}, p.a
	}
	s.copied = p.k > 1 && (little.CS != p.size || little.RS%page == 0)
	s.own = s.copied && mem.Volume(s.small, p.k, p.size) > panelBudget
	s.strip, s.lead = tile*max(1, dotStrip/(tile*row)), p.k
	switch {
	case s.own: // what is copied is for many rows
		s.strip, s.lead = tile*max(1, dotChunk/(tile*s.kc*p.size)), s.kc
	case tile*row > 2*dotStrip:
		s.lead = mem.Ceil(dotStrip/(tile*p.size), s.kc) * s.kc
	}
	s.inOrder = s.lead == p.k && big.RS >= 0 && big.RS <= row+row/4
	s.chunk = s.strip * max(1, dotChunk/(s.strip*row))
	if pl.threads > 1 {
		s.chunk = min(s.chunk, mem.Ceil(mem.Ceil(s.long, 4*pl.threads), tile)*tile)
	}
}

// dotGroups cuts the small side for dot kernels, into equal groups if it can: those with
// the fewest loads for each multiply-add.
func dotGroups(kern *run.Kernels, small int) mem.Split {
	best := mem.SplitUp(small, kern.DotMost())
	loads := func(n int) float64 {
		long, _ := kern.Dots(n, true)
		return 1/float64(n) + 1/float64(long.MR)
	}
	for n := kern.DotMost(); n > 1; n-- {
		if small%n == 0 && loads(n) < loads(best.Size) {
			best = mem.SplitUp(small, n)
		}
	}
	return best
}

// prepareSkinny makes the small operand of dot kernels contiguous along k. Rows that fall
// into the same sets of L1 are copied as well.
func (j *job) prepareSkinny() {
	s := &j.plan.skinny
	j.tasks = mem.Ceil(s.long, s.chunk)
	j.next.Store(0)
	j.little = j.a
	if s.columns {
		j.little = mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	}
	if s.copied && !s.own {
		j.little = j.copyLittle(j.little)
	}
	j.self.pack.B, j.self.pack.C = nil, nil
}

// copyLittle copies the small operand, one k-block after another: what the kernels read
// again and again lies side by side, so that it falls into all sets of L1 alike.
func (j *job) copyLittle(little mem.Operand) mem.Operand {
	s := &j.plan.skinny
	row := s.kc * j.size
	j.bbuf.Grow(mem.Ceil(j.k, s.kc) * s.small * row)
	for k := 0; k < j.k; k += s.kc {
		to := unsafe.Add(j.bbuf.P, k*s.small*j.size)
		j.copyRowsTo(&j.self, to, row, mem.Operand{P: little.At(0, k), RS: little.RS, CS: little.CS}, j.ta, s.small, min(s.kc, j.k-k), j.kern.PackRowsA, j.kern.PackColsA)
	}
	return mem.Operand{P: j.bbuf.P, RS: row, CS: j.size}
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
// columns from to to: vectors of partial sums a strip at a time, then their joins.
func (j *part) dotChunk(w *worker, from, to int) {
	s, kern, args := &j.plan.skinny, j.kern, &w.args
	i0, j0, rows, cols := 0, from, s.small, to-from
	if s.columns {
		i0, j0, rows, cols = from, 0, to-from, s.small
	}
	vec := kern.VL * j.size
	w.parts.Grow((rows*cols + kern.VL) * vec) // joins read whole vectors of them
	parts := mem.Operand{P: w.parts.P, RS: cols * vec, CS: vec}
	var equal [2]sweep // by the size of groups
	for i := range equal {
		x := &equal[i]
		if x.count = s.groups.Tall; i > 0 {
			x.count = s.groups.Count - x.count
		}
		x.n, x.at, x.fetches = s.groups.Size-i, i*s.groups.Tall*s.groups.Size, i == 0
		x.long, x.one = kern.Dots(x.n, s.columns)
	}
	for strip := from; strip < to; strip += s.strip {
		for i := range equal {
			if x := &equal[i]; x.count > 0 {
				x.first, x.from, x.to = from, strip, min(strip+s.strip, to)
				j.dotStrip(w, parts, x)
			}
		}
	}
	c, direct := j.sumsOf(w, i0, j0, rows, cols, true)
	j.begin(args, 0, direct)
	args.A, args.RsA, args.C, args.LdC = parts.P, int64(parts.RS), c.P, int64(c.RS)
	if c.RS == cols*j.size {
		rows, cols = 1, rows*cols
	}
	args.Tiles, args.K, args.N = int64(rows), int64(cols/kern.VL), int64(cols%kern.VL)
	kern.Of(kernel.Join)[0].F(args)
	if !direct {
		rows, cols = s.small, to-from
		if s.columns {
			rows, cols = cols, rows
		}
		j.finishChunk(w, c, i0, j0, rows, cols)
	}
}

// sweep is what dot kernels do of a strip with groups of one size: rows from to to of the
// big operand, whose partial sums are those of a chunk that begins at first.
type sweep struct {
	first, from, to int
	at, n, count    int // of the groups: where they begin in the small operand, how large, how many
	long, one       *run.Tile
	fetches         bool
}

// dotStrip computes partial sums with one k-block after another. All groups read a tile's
// rows while these are in L1.
func (j *part) dotStrip(w *worker, parts mem.Operand, x *sweep) {
	s, args := &j.plan.skinny, &w.args
	big := j.a
	if !s.columns {
		big = mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	}
	args.LdC = int64(parts.RS)
	tile := x.long.Other(x.n)
	tiles := (x.to - x.from) / tile
	for k := 0; k < j.k; k += s.kc {
		args.K, args.Mode = int64(min(s.kc, j.k-k)), kernel.ModeUpdate
		if k == 0 {
			args.Mode = kernel.ModeStore
		}
		block := mem.Operand{P: j.little.At(x.at, k), RS: j.little.RS, CS: j.little.CS}
		switch {
		case s.own:
			block = j.copyRows(w, &w.abuf, block, j.ta, x.n*x.count, int(args.K), j.kern.PackRowsA, j.kern.PackColsA)
		case s.copied:
			block.P = unsafe.Add(j.little.P, k*s.small*j.size+x.at*j.little.RS)
		}
		j.ahead(args, big, x, k, tile)
		if tiles > 0 {
			j.dotTiles(args, big, block, parts, x, k, x.from, tile, tiles, x.long)
		}
		if rest := x.from + tiles*tile; rest < x.to {
			args.Span, args.NextStep = 0, 0
			j.dotTiles(args, big, block, parts, x, k, rest, 1, x.to-rest, x.one)
		}
	}
}

// dotTiles runs a dot kernel on so many tiles of the big operand, from a row on: one with
// all groups at a time, or all with the one group.
func (j *part) dotTiles(args *run.Args, big, block, parts mem.Operand, x *sweep, k, row, tile, tiles int, f *run.Tile) {
	bigStep, littleStep := tile, 0
	calls, each := 1, tiles
	if x.count > 1 {
		bigStep, littleStep = 0, x.n
		calls, each = tiles, x.count
	}
	args.Tiles = int64(each)
	next, ahead := &args.A, int(args.NextStep)*each
	step, stepC := tile*big.RS, tile*parts.RS
	if j.plan.skinny.columns {
		args.A, args.RsA, args.B, args.LdB = big.At(row, k), int64(big.RS), block.P, int64(block.RS)
		args.StepA, args.StepB = int64(bigStep*big.RS), int64(littleStep*block.RS)
		args.C, args.StepC = parts.At(row-x.first, x.at), int64(bigStep*parts.RS+littleStep*parts.CS)
	} else {
		next, stepC = &args.B, tile*parts.CS
		args.A, args.RsA, args.B, args.LdB = block.P, int64(block.RS), big.At(row, k), int64(big.RS)
		args.StepA, args.StepB = int64(littleStep*block.RS), int64(bigStep*big.RS)
		args.C, args.StepC = parts.At(x.at, row-x.first), int64(littleStep*parts.RS+bigStep*parts.CS)
	}
	for i := range calls {
		f.F(args)
		if i+1 < calls {
			*next, args.C, args.Fetch = unsafe.Add(*next, step), unsafe.Add(args.C, stepC), unsafe.Add(args.Fetch, ahead)
		}
	}
}

// ahead sets what dot kernels fetch while they compute the k-block at k of a strip: of as
// many rows that come next, as much as they read.
func (j *part) ahead(args *run.Args, big mem.Operand, x *sweep, k, tile int) {
	s := &j.plan.skinny
	lines := min(tile, x.n, 3) // that a kernel fetches in a step
	row, at := x.to, k
	if at+s.lead < j.k {
		row, at = x.from, k+s.lead
	} else {
		at = (k + s.lead) % j.k / s.kc * s.kc
	}
	switch {
	case !x.fetches || row+x.to-x.from > s.long: // nothing new
		args.Fetch, args.LdF, args.Span, args.NextStep = big.At(x.from, k), 0, 0, 0
	case s.inOrder:
		args.Fetch = unsafe.Add(big.At(row, 0), (x.to-x.from)/tile*tile*k*j.size)
		args.NextStep = int64(tile*int(args.K)*j.size) / int64(x.count)
		args.Span = int64(tile*mem.Line) / int64(x.count)
		args.LdF = args.Span / int64(lines)
	default:
		args.Fetch, args.LdF, args.Span = big.At(row, at), int64(big.RS), mem.Line
		args.NextStep = int64(tile*big.RS) / int64(x.count)
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
	ld := p.copiedRow(k)
	buf.Grow(rows * ld)
	p.copyRowsTo(w, buf.P, ld, a, t, rows, k, byRow, byCol)
	return mem.Operand{P: buf.P, RS: ld, CS: p.size}
}

// copyRowsTo is copyRows to rows that are ld bytes apart.
func (p *product) copyRowsTo(w *worker, out unsafe.Pointer, ld int, a mem.Operand, t dtype.Type, rows, k int, byRow []run.Kernel, byCol run.Kernel) {
	vl := p.kern.VL
	args := &w.pack
	switch {
	case a.CS == t.Size():
		args.K = int64(rows)
		strip := p.kern.NV * vl
		for x := 0; x < k; x += strip {
			packRows(args, byRow, vl, unsafe.Add(a.P, x*a.CS), a.RS, unsafe.Add(out, x*p.size), ld, min(strip, k-x))
		}
	case a.RS == t.Size():
		args.K, args.LdB, args.LdC = int64(rows), int64(a.CS), int64(ld)
		for x := 0; x < k; x += vl {
			args.B, args.C, args.N = unsafe.Add(a.P, x*a.CS), unsafe.Add(out, x*p.size), int64(min(vl, k-x))
			byCol(args)
		}
	default:
		for i := range rows {
			gatherRow(unsafe.Add(out, i*ld), unsafe.Add(a.P, i*a.RS), k, a.CS, t)
		}
	}
}
