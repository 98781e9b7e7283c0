package runs

import (
	"runtime"
	"sync"
)

// piece is a part of a run that goes to a group.
type piece struct{ group, row, first, last int32 }

// Dealer collects the pieces of one chunk of runs.
type Dealer struct {
	pieces []piece
	row    int32
}

// Put gives entries first to last-1 of the current run to a group.
func (d *Dealer) Put(group int, first, last int32) {
	if first < last {
		d.pieces = append(d.pieces, piece{int32(group), d.row, first, last})
	}
}

// dealers keeps their memory, which would be half of what a conversion takes.
var dealers = sync.Pool{New: func() any { return new(Dealer) }}

// Deal cuts every run into pieces and deals those that are not empty to groups,
// without copying an entry. cut puts the pieces of run r, in ascending order; it is
// called from several goroutines. The result does not depend on how many there are.
func (s Set) Deal(groups int, cut func(r int, d *Dealer)) []Set {
	chunks := Workers(len(s.First), 1<<12)
	type count struct{ runs, entries int }
	counts := make([]count, chunks*groups)
	dealt := make([]*Dealer, chunks)
	Parallel(len(s.First), chunks, func(c, lo, hi int) {
		d := dealers.Get().(*Dealer)
		d.pieces = d.pieces[:0]
		for r := lo; r < hi; r++ {
			d.row = int32(s.Row(r))
			cut(r, d)
		}
		mine := counts[c*groups : (c+1)*groups]
		for _, p := range d.pieces {
			mine[p.group].runs++
			mine[p.group].entries += int(p.last - p.first)
		}
		dealt[c] = d
	})
	out := make([]Set, groups)
	for g := range out {
		runs, nnz := 0, 0
		for c := range chunks {
			x := &counts[c*groups+g]
			nnz += x.entries
			runs, x.runs = runs+x.runs, runs // from here on it is where the chunk writes
		}
		all := make([]int32, 3*runs)
		out[g] = Set{M: s.M, N: s.N, NNZ: nnz, Columns: s.Columns, From: s.From, Of: s.Of,
			Rows: all[:runs:runs], First: all[runs : 2*runs : 2*runs], Last: all[2*runs:]}
	}
	Parallel(chunks, chunks, func(c, _, _ int) {
		mine := counts[c*groups : (c+1)*groups]
		for _, p := range dealt[c].pieces {
			at, o := mine[p.group].runs, &out[p.group]
			o.Rows[at], o.First[at], o.Last[at] = p.row, p.first, p.last
			mine[p.group].runs++
		}
		dealers.Put(dealt[c])
	})
	return out
}

// Workers returns how many goroutines n units of work are worth, of which grain pay
// for one.
func Workers(n, grain int) int {
	return max(1, min(runtime.GOMAXPROCS(0), n/grain))
}

// Parallel runs do on chunks of 0 ... n-1 at once, which differ in length by at most
// one, and returns when all are done.
func Parallel(n, chunks int, do func(chunk, lo, hi int)) {
	if chunks == 1 {
		do(0, 0, n)
		return
	}
	var all sync.WaitGroup
	for c := range chunks {
		at := func(c int) int { return int(int64(c) * int64(n) / int64(chunks)) }
		all.Go(func() { do(c, at(c), at(c+1)) })
	}
	all.Wait()
}
