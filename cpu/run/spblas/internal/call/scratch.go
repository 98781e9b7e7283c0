package call

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Scratch is what a worker needs: memory that assembly reads, and rows, blocks and panels that it works on.
type Scratch struct {
	Args                      kernel.SparseArgs
	Widening                  kernel.SparseArgs // of a second kernel, between calls of the first
	Dense                     kernel.Args
	Epi                       epi.Call
	EpiArgs                   kernel.EpiArgs // of an epilogue that is called some other way
	Range2                    [2]int32       // the pointers of a part of a row
	Sums                      mem.Buffer     // a vector an entry, or rows of a tile
	Scores, Weights           mem.Buffer     // one an entry
	Gathered, Result          mem.Buffer
	Pointers, Indices, Values mem.Buffer // of rows as a kernel reads them
	Own                       any        // what the package that was here last keeps
}

// Scratches keeps what workers need between calls.
var Scratches mem.Pool[Scratch]

// Release gives a scratch back, without the caller's memory.
func (w *Scratch) Release() {
	w.Args = kernel.SparseArgs{}
	w.Dense.A, w.Dense.B, w.Dense.C = nil, nil, nil
	w.Trim()
	Scratches.Put(w)
}

// Trim lets go of large buffers.
func (w *Scratch) Trim() {
	for _, b := range [...]*mem.Buffer{&w.Sums, &w.Scores, &w.Weights, &w.Gathered, &w.Result, &w.Pointers, &w.Indices, &w.Values} {
		b.Trim()
	}
}
