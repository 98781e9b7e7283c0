package equation

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/philox"
	"github.com/tilesmith/tilesmith/layout/reduce"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Variant is the stages of an equation for one ISA.
type Variant struct {
	ISA    string
	Stages []kernel.Func[kernel.EpiArgs]
}

// Stage is what a generated equation says of one of its kernels.
type Stage struct {
	Go      kernel.Func[kernel.EpiArgs] // in Go, for elements with any strides along columns
	Columns bool                        // it goes once over results of columns
	Chop    bool                        // columns have nothing to do with each other
	Temps   int                         // rows of temporaries
	Temp    int                         // bytes of the widest element in them
	Reduces []Reduction
}

// Reduction is a reduction of columns that a stage adds to.
type Reduction struct {
	Slot   int
	Op     reduce.Op
	Type   dtype.Type // float32 or float64, or int32 of Min
	Scalar bool       // it is of results of rows
}

// The reductions that there are, as package reduce describes them.
const (
	Sum  = reduce.Sum
	Max  = reduce.Max
	Min  = reduce.Min
	Prod = reduce.Prod
)

// Temp is what stages leave for later ones, in a slot after those of parameters. It has an
// element of so many bytes, or one for each column.
type Temp struct {
	Bytes  int
	Scalar bool
}

// Stream says which random words an equation takes. The first element takes word First, a multiple of
// 4, of the stream of that name in package rand. Element (i, j) has word First + r*i + j, where r is
// the number of columns rounded up to a multiple of 4. cpu.Dropout takes words without gaps.
type Stream struct{ Seed, Number, First uint64 }

// Equation is a generated equation.
type Equation struct {
	Name     string
	Stages   []Stage
	Temps    []Temp
	Variants []*Variant
	// Apart are outputs and operands, by slot, that must not be the same matrix: the
	// output is written before all of the operand is read.
	Apart [][2]int
	// Bits are slots of matrices of bits: Rs is from row to row, Cs from byte to byte.
	Bits []int
	// Random says that the equation has random words; each row's begin with a block.
	Random bool

	choice choose.Choice
}

// The most elements that one call does, so that it takes some 100 microseconds even for an
// operator with powers; and how many elements are worth a second goroutine.
const (
	atOnce   = 1 << 15
	threaded = 1 << 16
)

// mostParts is how many partial results a reduction of columns has at most.
const mostParts = 64

// checkOptions refuses what is for products of their own.
func checkOptions(name string, opt *run.Options, stream Stream) {
	run.CheckThreads(name, opt.Threads)
	refuse := func(option, why string) {
		panic(run.OptionError{What: name, Why: option + " is for products; " + why})
	}
	switch {
	case opt.Scaling != run.Scaling{}:
		refuse("Options.Scaling", "make the factors operands of the equation")
	case opt.B != nil:
		refuse("Options.B", "an equation has none; leave it nil")
	case opt.NoWrap:
		refuse("Options.NoWrap", "leave it unset")
	case stream.First%4 != 0:
		check.Call(name).RefuseOption("the stream begins at word %d; want a multiple of 4", stream.First)
	}
}

// Run computes the equation. e has its operands and outputs in the order of slots; the stream
// matters only if the equation has random words. Errors name the function that e does.
func (q *Equation) Run(opt run.Options, e *epilogue.Epilogue, stream Stream) {
	name := e.Name
	checkOptions(name, &opt, stream)
	e.CheckOverlap(epi.Memory{}, epi.Memory{})
	for _, a := range q.Apart {
		if x, y := &e.Slots[a[0]], &e.Slots[a[1]]; x.P != nil && x.P == y.P {
			check.Call(name).Refuse("output %d is the same matrix as operand %d, which is still read after some of the output is written; give it memory of its own", a[0]+1, a[1]+1)
		}
	}
	v := choose.Pick(&q.choice, name, q.Variants, func(v *Variant) string { return v.ISA }, opt.ISA)
	if !e.Writes() {
		return
	}
	if e.Rows == 0 || e.Cols == 0 {
		rows, cols := false, false
		for i := range e.N {
			s := &e.Slots[i]
			rows, cols = rows || s.P != nil && s.Rs != 0, cols || s.P != nil && s.Cs != 0
		}
		refuseEndless(name, "rows", e.Rows, rows)
		refuseEndless(name, "columns", e.Cols, cols)
	}
	c := calls.Get()
	c.equation, c.e, c.variant, c.stream = q, e.Fusion, v, stream
	c.m, c.n = e.Rows, e.Cols
	if !e.Contiguous {
		c.variant = nil
	}
	c.begin()
	threads := 1
	if e.Rows > 0 && e.Cols >= threaded/e.Rows {
		threads = work.Allowed(opt.Threads)
	}
	for i := range q.Stages {
		c.stage(i, threads)
	}
	c.end()
	calls.Put(c)
}

// mostEmpty is how many rows or columns without elements are gone through, in some milliseconds, where nothing in memory is as long.
const mostEmpty = 1 << 24

// refuseEndless refuses results of n rows or columns that are empty and take no memory: a step for each could
// take centuries.
func refuseEndless(name, what string, n int, memory bool) {
	if n > mostEmpty && !memory {
		check.Call(name).Refuse("matrices without elements have %d %s, and each takes a step; want at most %d", n, what, mostEmpty)
	}
}

var calls mem.Pool[call]

// LoadBit returns element (i, j) of a slot of bits, as 1 or 0.
func LoadBit[T dtype.Float](a *kernel.EpiArgs, slot, i, j int) T {
	return T(*bitByte(a, slot, i, j) >> (j % 8) & 1)
}

// StoreBit sets element (i, j) of a slot of bits, after those to the left of it in its byte. Those to the
// right become 0.
func StoreBit(a *kernel.EpiArgs, slot, i, j int, x bool) {
	p := bitByte(a, slot, i, j)
	if j%8 == 0 {
		*p = 0
	}
	if x {
		*p |= 1 << (j % 8)
	}
}

func bitByte(a *kernel.EpiArgs, slot, i, j int) *uint8 {
	s := &a.Slots[slot]
	return (*uint8)(unsafe.Add(s.P, i*int(s.Rs)+j/8*int(s.Cs)))
}

// Temporary returns element j of a row of temporaries.
func Temporary[T dtype.Elem](a *kernel.EpiArgs, row, j int) *T {
	var z T
	return (*T)(unsafe.Add(a.Tile, row*int(a.TileLd)+j*int(unsafe.Sizeof(z))))
}

// Count is the number of rows of the whole call, or of columns, that words hold.
func Count[T dtype.Float](of32, of64 uint64) T {
	if dtype.Of[T]() == dtype.F32 {
		return T(math.Float32frombits(uint32(of32)))
	}
	return T(math.Float64frombits(of64))
}

// Word is the random word of element (i, j).
func Word(a *kernel.EpiArgs, i, j int) int32 {
	n, number, key := uint64(a.Block)+uint64(i)*uint64(a.BlockLd)+uint64(j/4), uint64(a.Number), uint64(a.Key)
	w0, w1, w2, w3 := philox.Words(uint32(n), uint32(n>>32), uint32(number), uint32(number>>32), uint32(key), uint32(key>>32))
	return int32([4]uint32{w0, w1, w2, w3}[j%4])
}
