package run

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// operand is a matrix without its element type: kernels count in bytes.
type operand struct {
	p      unsafe.Pointer
	rs, cs int // bytes
}

func operandOf[T dtype.Elem](m layout.Matrix[T]) operand {
	size := int(unsafe.Sizeof(m.Data[0]))
	return operand{unsafe.Pointer(unsafe.SliceData(m.Data)), m.RowStride * size, m.ColStride * size}
}

// at returns the address of element (i, j).
func (o operand) at(i, j int) unsafe.Pointer { return unsafe.Add(o.p, i*o.rs+j*o.cs) }

// bitsOf returns the bits of a scalar, low bytes first.
func bitsOf[T dtype.Float](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}

// product is one call: c = alpha*a*b + beta*c with the rows of c contiguous, or c
// with any strides, which then goes through a scratch tile.
type product struct {
	kern             *Kernels
	size             int // bytes of an element of c, of a sum and of packed operands
	a, b, c          operand
	ta, tb           dtype.Type // of elements of a and b in memory
	m, n, k          int
	alpha, beta, one uint64
	mode             int64
	joins            bool // of a semiring: kernels join c with their sums, and know no alpha and beta
	fused            fusion
	pre              *Packed // b, packed beforehand; or nil
	little           operand // the small operand of a skinny product, small x k
}

// extent is a half-open range of tiles or panels.
type extent struct{ from, to int }

// part is the piece of a product that is done at once: some panels of columns and
// a slab of k, with B packed for both, cut into tasks.
type part struct {
	product
	plan   plan
	panels extent
	k0, k1 int // k0 <= k < k1
	tasks  int
	groups int // a task is one block of rows and one of so many groups of panels
	next   atomic.Int64
	packed []atomic.Uint32 // by (k-block, panel)
	bbuf   buffer
	failed atomic.Bool // a worker panicked: do not wait for what it was packing
}

// compute does the product on up to threads goroutines.
func (j *job) compute(threads int) {
	pl := &j.plan
	j.product.plan(threads, pl)
	if pl.skinny.on {
		j.prepareSkinny()
		j.run(pl.threads)
		j.little.p = nil
		return
	}
	for p := 0; p < pl.vecs.count; p += pl.panelsAtOnce {
		for k := 0; k == 0 || k < j.k; k += pl.slab {
			j.setup(extent{p, min(p+pl.panelsAtOnce, pl.vecs.count)}, k, min(k+pl.slab, j.k))
			j.run(pl.threads)
		}
	}
}

// setup prepares a part. What it needs of memory it keeps for later calls.
func (j *part) setup(panels extent, k0, k1 int) {
	pl := &j.plan
	j.panels, j.k0, j.k1 = panels, k0, k1
	n := panels.to - panels.from
	blocks := ceil(pl.rows.count, pl.tilesPerBlock)
	j.groups = 1
	if pl.threads > 1 { // enough tasks that the last ones even out
		j.groups = min(n, ceil(8*pl.threads, blocks))
	}
	j.tasks = blocks * j.groups
	j.next.Store(0)
	if !pl.packB || pl.deepB || j.pre != nil {
		return
	}
	states := ceil(k1-k0, pl.kc) * n
	if cap(j.packed) < states {
		j.packed = make([]atomic.Uint32, states)
	}
	j.packed = j.packed[:states]
	for i := range j.packed {
		j.packed[i].Store(unpacked)
	}
	j.bbuf.grow((k1 - k0) * (pl.vecs.at(panels.to) - pl.vecs.at(panels.from)) * j.kern.VL * j.size)
}

// work takes tasks until none is left. Any number of workers may do so at once.
func (j *part) work(w *worker) {
	pl := &j.plan
	if pl.skinny.on {
		j.workSkinny(w)
		w.args.A, w.args.B, w.args.C = nil, nil, nil
		return
	}
	n := j.panels.to - j.panels.from
	for {
		t := int(j.next.Add(1)) - 1
		if t >= j.tasks {
			break
		}
		block, group := t/j.groups, t%j.groups
		tiles := extent{block * pl.tilesPerBlock, min((block+1)*pl.tilesPerBlock, pl.rows.count)}
		panels := extent{j.panels.from + group*n/j.groups, j.panels.from + (group+1)*n/j.groups}
		switch {
		case tiles.from >= tiles.to:
		case j.fused.on:
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

// block computes tiles x panels for the k-block from k on: A's rows are read in
// place or from the worker's copy, and every panel of B is packed by whoever needs
// it first.
func (j *part) block(w *worker, tiles, panels extent, k int) {
	pl, vl := &j.plan, j.kern.VL
	kc := min(pl.kc, j.k1-k)
	i0, i1 := pl.rows.at(tiles.from), pl.rows.at(tiles.to)
	a := operand{j.a.at(i0, k), j.a.rs, j.a.cs}
	if pl.packA {
		a = j.copyA(w, a, i1-i0, kc)
	}
	args := &w.args
	args.RsA, args.CsA, args.K = int64(a.rs), int64(a.cs), int64(kc)
	args.Alpha, args.Beta, args.Mode = j.alpha, j.beta, j.mode
	if k > 0 { // C holds the sum so far
		args.Beta, args.Mode = j.one, kernel.ModeUpdate
	}
	n := panels.to - panels.from
	turn := tiles.from / pl.tilesPerBlock * 3 % n // workers start on different panels
	for x := range n {
		panel := panels.from + (x+turn)%n
		v0, v1 := pl.vecs.at(panel), pl.vecs.at(panel+1)
		cols := min(v1*vl, j.n) - v0*vl
		if pl.packB {
			args.B, args.LdB = j.packPanel(w, panel, k, kc, cols)
		} else {
			args.B, args.LdB = j.b.at(k, v0*vl), int64(j.b.rs)
		}
		c := operand{j.c.at(i0, v0*vl), j.c.rs, j.c.cs}
		j.tiles(w, a, c, i0, tiles, cols)
	}
}

// tiles calls the micro-kernels for one panel of cols columns: for tiles of full
// height, then for those one row lower. a and c begin at row i0, c at the panel.
func (j *part) tiles(w *worker, a, c operand, i0 int, tiles extent, cols int) {
	rows := &j.plan.rows
	cut := min(max(rows.tall, tiles.from), tiles.to)
	j.equal(w, a, c, i0, extent{tiles.from, cut}, rows.size, cols)
	j.equal(w, a, c, i0, extent{cut, tiles.to}, rows.size-1, cols)
}

// equal is tiles for tiles that all have so many rows.
func (j *part) equal(w *worker, a, c operand, i0 int, tiles extent, rows, cols int) {
	if tiles.from >= tiles.to {
		return
	}
	kern, args := j.kern, &w.args
	nv := ceil(cols, kern.VL)
	args.N = int64(cols - (nv-1)*kern.VL)
	f := kern.Full[rows-1][nv-1]
	if int(args.N) < kern.VL {
		f = kern.Tail[rows-1][nv-1]
	}
	if c.cs != j.size {
		for t := tiles.from; t < tiles.to; t++ {
			row := j.plan.rows.at(t) - i0
			args.A = a.at(row, 0)
			j.throughScratch(w, f, c, row, rows, cols)
		}
		return
	}
	args.LdC = int64(c.rs)
	for t, n := tiles.from, 0; t < tiles.to; t += n {
		n = min(j.plan.tilesPerCall, tiles.to-t)
		row := j.plan.rows.at(t) - i0
		args.A, args.C, args.Tiles = a.at(row, 0), c.at(row, 0), int64(n)
		f(args)
	}
}

// throughScratch computes one tile into the worker's scratch tile and stores it
// element by element: the way for a C whose rows are not contiguous.
func (j *part) throughScratch(w *worker, f Kernel, c operand, row, rows, cols int) {
	args := &w.args
	ld := j.kern.NV * j.kern.VL * j.size
	w.scratch.grow(j.kern.MR * ld)
	mode, beta := args.Mode, args.Beta
	if mode != kernel.ModeUpdate {
		beta = 0
	}
	tile := operand{w.scratch.p, ld, j.size}
	args.Tiles, args.C, args.LdC, args.Mode = 1, w.scratch.p, int64(ld), kernel.ModeScale
	if j.joins {
		if args.Mode, beta = mode, 0; mode == kernel.ModeUpdate {
			old := operand{c.at(row, 0), c.rs, c.cs}
			if j.size == 4 {
				scatter[float32](tile, 0, 0, rows, cols, old, 0)
			} else {
				scatter[float64](tile, 0, 0, rows, cols, old, 0)
			}
		}
	}
	f(args)
	args.Mode = mode
	if j.size == 4 {
		scatter[float32](c, row, 0, rows, cols, tile, beta)
	} else {
		scatter[float64](c, row, 0, rows, cols, tile, beta)
	}
}

// scatter stores c = src + beta*c for rows x cols elements of c from (i0, j0) on;
// beta holds the bits of a T.
func scatter[T dtype.Float](c operand, i0, j0, rows, cols int, src operand, betaBits uint64) {
	beta := *(*T)(unsafe.Pointer(&betaBits))
	for i := range rows {
		for j := range cols { // an address beyond the last element would not be one
			from, to := src.at(i, j), c.at(i0+i, j0+j)
			x := *(*T)(from)
			if beta != 0 {
				x += beta * *(*T)(to)
			}
			*(*T)(to) = x
		}
	}
}
