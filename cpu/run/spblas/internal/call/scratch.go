package call

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// Step is what the tasks of a call are at the moment.
type Step uint8

// The steps of calls.
const (
	PackStep  Step = iota // copies b
	SumStep               // multiplies by kernels
	PlainStep             // multiplies in Go
	HeadStep              // does all of a head
)

// Scratch is what a worker needs: memory that assembly reads, and rows, blocks and panels that it works on.
type Scratch struct {
	Args             run.SparseArgs
	Dense            run.Args
	Sums             mem.Buffer // a vector an entry, or rows of a tile
	Scores, Weights  mem.Buffer // one an entry
	Gathered, Result mem.Buffer
	Epi              epi.Call
	Range2           [2]int32 // the pointers of a part of a row
}

// Scratches keeps what workers need between calls.
var Scratches mem.Pool[Scratch]
