package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// fusing is a task of a product with an epilogue: a block of rows times some panels, of which a group is done at once. Panels are
// counted from where the task begins.
type fusing struct {
	*part
	w        *worker
	panels   mem.Extent
	turn     int // the panel that comes first: workers start on different ones
	from     int // where the group begins
	group    int // and how many it has
	rows, ld int // that the sums of a panel have room for, and bytes from row to row
}

// fuse computes tiles x panels over the whole of k into the worker's sums and runs
// the epilogue on them. If k has one block, it does so on pieces that stay in L1, panel by panel. Otherwise
// it works on the whole block, k-block by k-block for as many panels as there is room for. A k-block of A
// comes from beyond L2 once for each such group then, and a panel of B once.
//
// A packed panel covers all of k, so a deep product goes another way. Each worker
// copies what it multiplies next, a k-block of its rows and of a panel.
func (j *part) fuse(w *worker, tiles, panels mem.Extent) {
	pl := &j.plan
	i0, i1 := pl.rows.At(tiles.From), pl.rows.At(tiles.To)
	a := mem.Operand{P: j.a.At(i0, 0), RS: j.a.RS, CS: j.a.CS}
	if pl.packA && !pl.deepA && j.k > 0 {
		a = j.copyBlock(w, a, i0, i1-i0, 0, j.k)
	}
	n, ld := panels.To-panels.From, j.kern.NV*j.kern.VL*j.size
	piece, most := tiles.To-tiles.From, 1
	if j.k <= pl.kc {
		piece = min(piece, max(1, epi.SumsInL1/(pl.rows.Size*ld)))
		if j.fused.ByColumn() && piece < tiles.To-tiles.From {
			piece = mem.Ceil(piece, columnTiles) * columnTiles
		}
	} else {
		most = min(n, max(1, sumsBudget/((i1-i0)*ld)))
	}
	f := fusing{part: j, w: w, panels: panels, turn: tiles.From / pl.tilesPerBlock * 3 % n, rows: piece * pl.rows.Size, ld: ld}
	w.sums.Grow(most * f.rows * ld)
	args := &w.args
	args.RsA, args.CsA, args.Alpha, args.Beta = int64(a.RS), int64(a.CS), j.factor(j.one), j.one
	for f.from = 0; f.from < n; f.from += most {
		f.group = min(most, n-f.from)
		for t := tiles.From; t < tiles.To; t += piece {
			some := mem.Extent{From: t, To: min(t+piece, tiles.To)}
			f.multiply(mem.Operand{P: a.At(pl.rows.At(t)-i0, 0), RS: a.RS, CS: a.CS}, some, t == tiles.From)
			for i := range f.group {
				f.finish(i, some)
			}
		}
	}
	w.epi.Forget()
}

// of returns panel i of the group, its first column and how many it has, and where its sums are.
func (f *fusing) of(i int) (panel, col, cols int, sums mem.Operand) {
	panel = f.panel(f.from + i)
	vecs, vl := &f.plan.vecs, f.kern.VL
	col = vecs.At(panel) * vl
	return panel, col, min(vecs.At(panel+1)*vl, f.n) - col, mem.Operand{P: unsafe.Add(f.w.sums.P, i*f.rows*f.ld), RS: f.ld, CS: f.size}
}

// panel is the one that the task does after i others.
func (f *fusing) panel(i int) int {
	return f.panels.From + (i+f.turn)%(f.panels.To-f.panels.From)
}

// multiply makes the sums of some tiles of rows, whose first element of A is a's, and the group.
func (f *fusing) multiply(a mem.Operand, tiles mem.Extent, first bool) {
	pl, args := &f.plan, &f.w.args
	row, end := pl.rows.At(tiles.From), pl.rows.At(tiles.To)
	f.w.sums.Holds(((f.group-1)*f.rows + end - row) * f.ld)
	for k := 0; k == 0 || k < f.k; k += pl.kc {
		kc := min(pl.kc, f.k-k)
		args.K, args.Mode = int64(kc), kernel.ModeStore
		if k > 0 {
			args.Mode = kernel.ModeUpdate
		}
		ak := mem.Operand{P: a.At(0, k), RS: a.RS, CS: a.CS}
		if pl.packA && pl.deepA {
			ak = f.copyBlock(f.w, ak, row, end-row, k, kc)
			args.RsA, args.CsA = int64(ak.RS), int64(ak.CS)
		}
		for i := range f.group {
			panel, col, cols, sums := f.of(i)
			if has(f.exists, row, end, col, col+cols) == none {
				continue
			}
			if kc == 0 || k == 0 && f.at != 0 { // triangular: some sums have no element of A
				clear(unsafe.Slice((*byte)(sums.P), (end-row)*f.ld))
			}
			if kc == 0 { // no product at all, and no B that a kernel could read start values of
				continue
			}
			args.Next, args.NextStep = 0, 0
			args.B, args.LdB = f.part.panel(f.w, panel, k, kc, cols)
			shared := pl.packB && (!pl.deepB || f.ready()) || !pl.packB && f.narrow()
			if next := f.from + i + 1; shared && first && next < f.panels.To-f.panels.From && (i+1 < f.group || kc == f.k) {
				f.fetch(args, f.packedAt(f.panel(next), k, kc), tiles)
			}
			if f.at == 0 {
				f.tiles(f.w, ak, sums, row, tiles, cols)
			} else {
				f.triangular(f.w, ak, sums, row, tiles, cols, k, kc)
			}
		}
	}
}

// finish runs the epilogue on the sums of some tiles of rows and panel i of the group.
func (f *fusing) finish(i int, tiles mem.Extent) {
	rows, call := &f.plan.rows, &f.w.epi
	panel, col, cols, sums := f.of(i)
	row, end := rows.At(tiles.From), rows.At(tiles.To)
	at := func(i int) mem.Operand { return mem.Operand{P: sums.At(i-row, 0), RS: sums.RS, CS: sums.CS} }
	switch {
	case has(f.exists, row, end, col, col+cols) == none:
	case f.exists != 0:
		for t := tiles.From; t < tiles.To; t++ {
			i, end := rows.At(t), rows.At(t+1)
			finishExisting(&f.fused, call, f.exists, at(i), i, col, end-i, cols, panel)
		}
	case f.fused.ByColumn():
		for t := tiles.From; t < tiles.To; t += columnTiles {
			i, end := rows.At(t), rows.At(min(t+columnTiles, tiles.To))
			f.fused.Run(call, at(i), i, col, end-i, cols, panel, t/columnTiles)
		}
	default:
		f.fused.Run(call, sums, row, col, end-row, cols, panel, 0)
	}
}
