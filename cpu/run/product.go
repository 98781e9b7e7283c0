package run

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
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

func bitsOf[T dtype.Elem](x T) uint64 {
	switch v := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	}
	return 0
}

// product is one call: c = alpha*a*b + beta*c with the rows of c contiguous, or c
// with any strides, which then goes through a scratch tile.
type product struct {
	kern             *Kernels
	size             int // bytes of an element
	a, b, c          operand
	m, n, k          int
	alpha, beta, one uint64
	mode             int64
	// scatter stores a scratch tile where c's rows are not contiguous.
	scatter func(c operand, i0, j0, rows, cols int, src unsafe.Pointer, ld int, beta uint64)
	gather  func(dst, src unsafe.Pointer, k, cols, rs, cs, ld int)
}

// tileRange is a half-open range of rows, columns or tiles.
type tileRange struct{ from, to int }

// part is the part of one product that is done at once: the columns from j0 and
// the k range from k0, with B packed for all of it, cut into tasks.
type part struct {
	product
	plan   plan
	j0, n1 int // columns j0 <= j < j0+n1
	k0, k1 int // k0 <= k < k0+k1
	tasks  int
	groups int // a task is one block of rows and one of this many groups of panels
	panels int
	next   atomic.Int64
	packed []atomic.Uint32 // by (k-block, panel)
	bbuf   buffer
}

// run computes the product on up to threads goroutines.
func (p *product) run(threads int) {
	pl := p.plan(threads)
	j := getJob()
	for j0 := 0; j0 < p.n; j0 += pl.nc {
		for k0 := 0; k0 < p.k; k0 += pl.slab {
			j.setup(p, pl, j0, min(pl.nc, p.n-j0), k0, min(pl.slab, p.k-k0))
			j.run(pl.threads)
		}
	}
	putJob(j)
}

// setup prepares a part. What it needs of memory it keeps for later calls.
func (j *part) setup(p *product, pl plan, j0, n1, k0, k1 int) {
	j.product, j.plan = *p, pl
	j.j0, j.n1, j.k0, j.k1 = j0, n1, k0, k1
	nr := p.kern.NV * p.kern.VL
	j.panels = (n1 + nr - 1) / nr
	blocks := (pl.tiles + pl.tilesPerBlock - 1) / pl.tilesPerBlock
	j.groups = 1
	if pl.threads > 1 { // enough tasks that the last ones even out
		j.groups = min(j.panels, (8*pl.threads+blocks-1)/blocks)
	}
	j.tasks = blocks * j.groups
	j.next.Store(0)
	if !pl.packB {
		return
	}
	n := j.kblocks() * j.panels
	if cap(j.packed) < n {
		j.packed = make([]atomic.Uint32, n)
	}
	j.packed = j.packed[:n]
	for i := range j.packed {
		j.packed[i].Store(0)
	}
	j.bbuf.grow(k1 * j.panels * nr * p.size)
}

func (j *part) kblocks() int { return (j.k1 + j.plan.kc - 1) / j.plan.kc }

// work takes tasks until none is left. Any number of workers may do so at once.
func (j *part) work(w *worker) {
	for {
		t := int(j.next.Add(1)) - 1
		if t >= j.tasks {
			break
		}
		block, group := t/j.groups, t%j.groups
		pl := &j.plan
		tiles := tileRange{block * pl.tilesPerBlock, min((block+1)*pl.tilesPerBlock, pl.tiles)}
		panels := tileRange{group * j.panels / j.groups, (group + 1) * j.panels / j.groups}
		for kb := range j.kblocks() {
			j.block(w, tiles, panels, kb)
		}
	}
	w.args = Args{} // do not keep the caller's memory alive
}

// block computes tiles x panels for one k-block: A's rows are read in place or
// from the worker's copy, and every panel of B is packed by whoever needs it first.
func (j *part) block(w *worker, tiles, panels tileRange, kb int) {
	pl, kern := &j.plan, j.kern
	k := j.k0 + kb*pl.kc
	kc := min(pl.kc, j.k0+j.k1-k)
	i0, i1 := pl.row(tiles.from), pl.row(tiles.to)
	a := operand{j.a.at(i0, k), j.a.rs, j.a.cs}
	if pl.packA {
		a = w.copyA(a, i1-i0, kc, j.size)
	}
	nr := kern.NV * kern.VL
	args := &w.args
	args.RsA, args.CsA, args.K = int64(a.rs), int64(a.cs), int64(kc)
	args.Alpha, args.Beta, args.Mode = j.alpha, j.beta, j.mode
	if k > 0 { // C holds the sum so far
		args.Beta, args.Mode = j.one, tiling.ModeUpdate
	}
	n := panels.to - panels.from
	turn := tiles.from / pl.tilesPerBlock * 3 % n // workers start on different panels
	for x := range n {
		panel := panels.from + (x+turn)%n
		col := panel * nr
		cols := min(nr, j.n1-col)
		if pl.packB {
			args.B, args.LdB = j.packPanel(w, kb, panel, k, kc, cols)
		} else {
			args.B, args.LdB = j.b.at(k, j.j0+col), int64(j.b.rs)
		}
		j.tiles(w, a, i0, tiles, j.j0+col, cols)
	}
}

// tiles calls the micro-kernels for one panel: tiles of full height, then those
// one row lower.
func (j *part) tiles(w *worker, a operand, i0 int, tiles tileRange, col, cols int) {
	pl, kern, args := &j.plan, j.kern, &w.args
	nv := (cols + kern.VL - 1) / kern.VL
	args.N = int64(cols - (nv-1)*kern.VL)
	for _, run := range pl.runs(tiles) {
		if run.tiles == 0 {
			continue
		}
		f := kern.Tail[run.rows-1][nv-1]
		if cols == kern.NV*kern.VL {
			f = kern.Full[run.rows-1]
		}
		args.A = a.at(run.row-i0, 0)
		args.Tiles = int64(run.tiles)
		if j.c.cs == j.size {
			args.C, args.LdC = j.c.at(run.row, col), int64(j.c.rs)
			f(args)
		} else {
			j.throughScratch(w, f, run, col, cols)
		}
	}
}

// throughScratch computes one tile at a time into the worker's scratch tile and
// stores it element by element: the way for a C whose rows are not contiguous.
func (j *part) throughScratch(w *worker, f Kernel, r run, col, cols int) {
	args := &w.args
	ld := j.kern.NV * j.kern.VL * j.size
	w.scratch.grow(j.kern.MR * ld)
	mode, beta := args.Mode, args.Beta
	if mode != tiling.ModeUpdate {
		beta = 0
	}
	args.Tiles, args.C, args.LdC, args.Mode = 1, w.scratch.p, int64(ld), tiling.ModeScale
	for t := range r.tiles {
		f(args)
		args.A = unsafe.Add(args.A, r.rows*int(args.RsA))
		j.scatter(j.c, r.row+t*r.rows, col, r.rows, cols, w.scratch.p, ld, beta)
	}
	args.Mode = mode
}

// scatter stores c = src + beta*c for rows x cols elements of c from (i0, j0) on.
// src has rows of ld bytes; beta holds the bits of a T.
func scatter[T dtype.Elem](c operand, i0, j0, rows, cols int, src unsafe.Pointer, ld int, betaBits uint64) {
	beta := *(*T)(unsafe.Pointer(&betaBits))
	for i := range rows {
		row := unsafe.Slice((*T)(unsafe.Add(src, i*ld)), cols)
		for j, x := range row {
			dst := (*T)(c.at(i0+i, j0+j))
			if beta == 0 {
				*dst = x
			} else {
				*dst = beta**dst + x
			}
		}
	}
}
