package equation

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
)

// Chain is a generated equation with products in it. Its operators work on matrices of the same
// rows and of several widths, which are its spaces; products lead from one space to another. It
// goes over blocks of rows, so that what a step makes for the next one stays in cache.
type Chain struct {
	Name string
	// Values are the parameters, Outs outputs and then operands, and what steps make.
	Values   []Value
	Outs     int
	Params   int
	Steps    []Step // by phase; in each those over columns first
	Variants []*Variant

	choice choose.Choice
}

// Value is something that there is an element of for each row, column, both or in all.
type Value struct {
	Bytes int // of an element
	Per   Per
	Space int  // of its columns
	Bits  bool // a matrix of bits
	// Whole says that a later phase needs it: all rows of it are kept. For parameters it has no
	// meaning.
	Whole bool
}

// Per says what there is one element for.
type Per uint8

// The values of Per.
const (
	PerElement Per = iota
	PerRow
	PerColumn
	PerCall
)

// byRows reports whether each row has its own.
func (v *Value) byRows() bool { return v.Per == PerElement || v.Per == PerRow }

// Step is a product or a stage. Those of one phase are done for a block of rows after another;
// a phase begins when all rows are through the one before.
type Step struct {
	Phase int
	Space int // of what it computes

	// For a product, Out = A*B or A*Bᵀ, of values. K is the space of A.
	Multiply  Multiply
	Out, A, B int
	Trans     bool
	K         int

	// For a stage: which kernel of a variant it is, and the values of its slots.
	Stage  *Stage
	Kernel int
	Slots  []int
}

// leastRows is how many rows a block has at least. A product reads the whole of its b for each block
// of rows, and does 288 operations for each element then, like dense products.
const leastRows = 144

// Run computes the chain of the operands and outputs in e, which are in the order of its
// values. There are m rows, and in each space so many columns.
func (q *Chain) Run(opt run.Options, e *epilogue.Epilogue, stream Stream, m int, cols ...int) {
	name := e.Name
	checkOptions(name, &opt, stream)
	e.CheckOverlap(epi.Memory{}, epi.Memory{})
	for o := range q.Outs {
		for i := q.Outs; i < q.Params; i++ {
			if x, y := &e.Slots[o], &e.Slots[i]; x.P != nil && x.P == y.P {
				check.Call(name).Refuse("output %d is the very same matrix as operand %d, and an equation with products reads it after some of the output is written; give it memory of its own", o+1, i-q.Outs+1)
			}
		}
	}
	variant := choose.Pick(&q.choice, name, q.Variants, func(v *Variant) string { return v.ISA }, opt.ISA)
	if !e.Writes() {
		return
	}
	rows := false
	for i := range q.Params {
		rows = rows || e.Slots[i].P != nil && q.Values[i].byRows()
	}
	refuseEndless(name, "rows", m, rows)
	c := chains.Get()
	c.chain, c.e, c.stream, c.variant = q, e.Fusion, stream, variant
	c.name, c.isa, c.m, c.cols = name, opt.ISA, m, append(c.cols[:0], cols...)
	c.run(opt.Threads)
	c.end()
	chains.Put(c)
}
