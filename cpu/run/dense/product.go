package dense

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// product is one call, c = alpha*a*b + beta*c. c has contiguous rows, or any strides
// and then goes through a scratch tile.
type product struct {
	kern             *kernel.Kernels
	size             int // bytes of an element of c, of a sum and of packed operands
	a, b, c          mem.Operand
	ta, tb           dtype.Type // of elements of a and b in memory
	m, n, k          int
	deep             int  // elements of k that one of k stands for, if more than one: see deepen
	elems            int  // of k, then
	integers         bool // sums are of int32
	alpha, beta, one uint64
	mode             int64
	pair             pairing // if the kernels multiply pairs; alpha and beta are there then
	joins            bool    // of a semiring: kernels join c with their sums, and know no alpha and beta
	fused            epi.Fusion
	pre              *run.Packed // b, packed beforehand; or nil
	source           source      // of packed panels of b, if they are more than copies of its elements; else nil
	little           mem.Operand // the small operand of a skinny product, small x k
	exists           Triangle    // the part of c that is computed: all of it if 0
	hermitian        bool        // across the diagonal of as or bs stand conjugates
	as, bs           Triangle    // what is stored of a or b if that is symmetric, else 0
	at               Triangle    // which triangle of a exists in a product with an epilogue; 0 for all of a
}

// part is the piece of a product that is done at once. It has some panels of columns
// and a slab of k, with B packed for both, and is cut into tasks.
type part struct {
	product
	plan   plan
	panels mem.Extent
	k0, k1 int // k0 <= k < k1
	tasks  work.Tasks
	groups int             // a task is one block of rows and one of so many groups of panels
	packed []atomic.Uint32 // by (k-block, panel)
	bbuf   mem.Buffer
	crew   work.Crew // if it failed, do not wait for what it was packing
}

// compute does the product on up to threads goroutines.
func (j *job) compute(threads int) {
	j.planned(threads, &j.plan)
	j.perform()
}

// perform does what is planned.
func (j *job) perform() {
	pl := &j.plan
	if pl.skinny.on {
		j.prepareSkinny()
		j.run(pl.threads)
		j.little.P = nil
		return
	}
	for p := 0; p < pl.vecs.Count; p += pl.panelsAtOnce {
		for k := 0; k == 0 || k < j.k; k += pl.slab {
			j.setup(mem.Extent{From: p, To: min(p+pl.panelsAtOnce, pl.vecs.Count)}, k, min(k+pl.slab, j.k))
			j.run(pl.threads)
		}
	}
}

// setup prepares a part. It keeps the memory that it needs for later calls.
func (j *part) setup(panels mem.Extent, k0, k1 int) {
	pl := &j.plan
	j.panels, j.k0, j.k1 = panels, k0, k1
	n := panels.To - panels.From
	blocks := mem.Ceil(pl.rows.Count, pl.tilesPerBlock)
	j.groups = 1
	if pl.threads > 1 { // enough tasks that the last ones even out
		j.groups = min(n, mem.Ceil(8*pl.threads, blocks))
	}
	j.tasks.Begin(blocks * j.groups)
	if !pl.packB || pl.deepB || j.ready() {
		return
	}
	states := mem.Ceil(k1-k0, pl.kc) * n
	if cap(j.packed) < states {
		j.packed = make([]atomic.Uint32, states)
	}
	j.packed = j.packed[:states]
	for i := range j.packed {
		j.packed[i].Store(unpacked)
	}
	j.bbuf.Grow((k1 - k0 + mem.Ceil(k1-k0, pl.kc)*j.head()) * (pl.vecs.At(panels.To) - pl.vecs.At(panels.From)) * j.kern.VL * j.size)
}

// work takes tasks until none is left. Any number of workers may do so at once.
func (j *part) work(w *worker) {
	pl := &j.plan
	if pl.skinny.on {
		j.workSkinny(w)
		w.args.A, w.args.B, w.args.C = nil, nil, nil
		return
	}
	n := j.panels.To - j.panels.From
	for t, ok := j.tasks.Next(); ok; t, ok = j.tasks.Next() {
		block, group := t/j.groups, t%j.groups
		tiles := mem.Extent{From: block * pl.tilesPerBlock, To: min((block+1)*pl.tilesPerBlock, pl.rows.Count)}
		panels := mem.Extent{From: j.panels.From + group*n/j.groups, To: j.panels.From + (group+1)*n/j.groups}
		switch {
		case tiles.From >= tiles.To:
		case j.fused.On:
			j.fuse(w, tiles, panels)
		default:
			for k := j.k0; k < j.k1; k += pl.kc {
				j.block(w, tiles, panels, k)
			}
		}
	}
	w.args.A, w.args.B, w.args.C = nil, nil, nil // do not keep the caller's memory alive
	w.pack.B, w.pack.C = nil, nil
}

// block computes tiles x panels for the k-block from k on. It reads A's rows in place
// or from the worker's copy. Each panel of B is packed by the first worker that needs
// it.
func (j *part) block(w *worker, tiles, panels mem.Extent, k int) {
	pl, vl := &j.plan, j.kern.VL
	kc := min(pl.kc, j.k1-k)
	i0, i1 := pl.rows.At(tiles.From), pl.rows.At(tiles.To)
	a := mem.Operand{P: j.a.At(i0, k), RS: j.a.RS, CS: j.a.CS}
	if j.as != 0 || pl.packA {
		a = j.copyBlock(w, a, i0, i1-i0, k, kc)
	}
	args := &w.args
	args.RsA, args.CsA, args.K = int64(a.RS), int64(a.CS), int64(kc)
	args.Alpha, args.Beta, args.Mode = j.factor(j.alpha), j.beta, j.mode
	if k > 0 { // C holds the sum so far
		args.Beta, args.Mode = j.one, kernel.ModeUpdate
	}
	if j.kern.Paired() {
		w.setPair(&j.pair, j.size, k > 0)
	}
	if pl.stream {
		args.Mode = kernel.ModeStream
	}
	n := panels.To - panels.From
	turn := tiles.From / pl.tilesPerBlock * 3 % n // workers start on different panels
	for x := range n {
		panel := panels.From + (x+turn)%n
		v0, v1 := pl.vecs.At(panel), pl.vecs.At(panel+1)
		cols := min(v1*vl, j.n) - v0*vl
		if has(j.exists, i0, i1, v0*vl, v0*vl+cols) == none {
			continue
		}
		args.B, args.LdB = j.panel(w, panel, k, kc, cols)
		args.Next, args.NextStep = 0, 0
		if (pl.packB || j.narrow()) && x+1 < n {
			j.fetch(args, j.packedAt(panels.From+(x+1+turn)%n, k, kc), tiles)
		}
		c := mem.Operand{P: j.c.At(i0, v0*vl), RS: j.c.RS, CS: j.c.CS}
		if j.exists == 0 {
			j.tiles(w, a, c, i0, tiles, cols)
		} else {
			j.existing(w, a, c, i0, tiles, v0*vl, cols)
		}
	}
}

// tiles calls the micro-kernels for one panel of cols columns: for tiles of full
// height, then for those one row lower. a and c begin at row i0, c at the panel.
func (j *part) tiles(w *worker, a, c mem.Operand, i0 int, tiles mem.Extent, cols int) {
	rows := &j.plan.rows
	cut := min(max(rows.Tall, tiles.From), tiles.To)
	j.equal(w, a, c, i0, mem.Extent{From: tiles.From, To: cut}, rows.Size, cols)
	j.equal(w, a, c, i0, mem.Extent{From: cut, To: tiles.To}, rows.Size-1, cols)
}

// equal is tiles for tiles that all have so many rows.
func (j *part) equal(w *worker, a, c mem.Operand, i0 int, tiles mem.Extent, rows, cols int) {
	if tiles.From >= tiles.To {
		return
	}
	kern, args := j.micro(), &w.args
	f := tileOf(args, kern, rows, cols, kern == j.kern.Widening)
	if c.CS != j.size {
		for t := tiles.From; t < tiles.To; t++ {
			row := j.plan.rows.At(t) - i0
			args.A = a.At(row, 0)
			j.throughScratch(w, f, c, row, rows, cols)
		}
		return
	}
	args.LdC = int64(c.RS)
	for t, n := tiles.From, 0; t < tiles.To; t += n {
		n = min(j.plan.tilesPerCall, tiles.To-t)
		row := j.plan.rows.At(t) - i0
		args.A, args.C, args.Tiles = a.At(row, 0), c.At(row, 0), int64(n)
		f(args)
		args.Next += int64(n) * args.K * args.NextStep
	}
}

// tileOf returns the kernel for a tile, which args are set to, but for whole vectors only where all
// kernels take lanes of the last one.
func tileOf(args *kernel.Args, kern *kernel.Table[kernel.Func[kernel.Args]], rows, cols int, lanes bool) kernel.Func[kernel.Args] {
	nv := mem.Ceil(cols, kern.VL)
	form := kernel.Panel
	if args.N = int64(cols - (nv-1)*kern.VL); int(args.N) < kern.VL && !lanes {
		form = kernel.Tail
	}
	args.Rows = int64(rows)
	return kern.Tile(form, rows, nv)
}

// throughScratch computes one tile into the worker's scratch tile and stores it
// element by element: the way for a C whose rows are not contiguous.
func (j *part) throughScratch(w *worker, f kernel.Func[kernel.Args], c mem.Operand, row, rows, cols int) {
	tile, beta := j.toScratch(w, f, c, row, rows, cols)
	j.scatter(c, row, 0, rows, cols, tile, beta)
}

// toScratch computes one tile into the worker's scratch tile: what is to be stored is it
// plus beta times what is there.
func (j *part) toScratch(w *worker, f kernel.Func[kernel.Args], c mem.Operand, row, rows, cols int) (tile mem.Operand, beta old) {
	args := &w.args
	ld := j.kern.NV * j.kern.VL * j.size
	w.scratch.Grow(j.kern.MR * ld)
	mode := args.Mode
	switch {
	case j.kern.Paired() && mode != withoutOld(mode):
		beta.pair = w.pair.Beta
	case mode == kernel.ModeUpdate:
		beta.bits = args.Beta
	}
	tile = mem.Operand{P: w.scratch.P, RS: ld, CS: j.size}
	args.Tiles, args.C, args.LdC, args.Mode = 1, w.scratch.P, int64(ld), kernel.ModeScale
	switch {
	case j.joins:
		if args.Mode, beta = mode, (old{}); mode == kernel.ModeUpdate {
			j.scatter(tile, 0, 0, rows, cols, mem.Operand{P: c.At(row, 0), RS: c.RS, CS: c.CS}, beta)
		}
	case j.kern.Paired():
		args.Mode = withoutOld(mode)
	}
	f(args)
	args.Mode = mode
	return tile, beta
}

// old is the factor of what C holds: of pairs, or else as bits of C's type.
type old struct {
	bits uint64
	pair complex128
}

// scatter stores tile + beta*c into rows x cols elements of c.
func (j *part) scatter(c mem.Operand, row, col, rows, cols int, tile mem.Operand, beta old) {
	switch {
	case j.kern.Paired() && j.size == singlePair:
		mem.ScatterBy(c, row, col, rows, cols, tile, complex64(beta.pair))
	case j.kern.Paired():
		mem.ScatterBy(c, row, col, rows, cols, tile, beta.pair)
	case j.integers:
		mem.Scatter[int32](c, row, col, rows, cols, tile, beta.bits)
	case j.size == 4:
		mem.Scatter[float32](c, row, col, rows, cols, tile, beta.bits)
	default:
		mem.Scatter[float64](c, row, col, rows, cols, tile, beta.bits)
	}
}
