package epi

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SumsInL1 is room for sums whose epilogue follows soon.
const SumsInL1 = 16 << 10

// Fusion is the epilogue of one call.
type Fusion struct {
	On         bool
	Portable   kernel.Func[kernel.EpiArgs]
	Asm        kernel.Func[kernel.EpiArgs] // nil if a stride keeps assembly from being used
	N          int
	Slots      [kernel.MaxSlots]kernel.Slot
	Scalars    [kernel.MaxSlots]uint64
	Contiguous bool // outputs and full operands are so along columns

	ZeroA, ZeroB Zero // of integers

	reducers *reducers // nil if there are no reductions
	reduces  [kernel.MaxSlots]reduction
	Reduced  int
	lanes    int // of vectors of the kernel
	rowBytes int // that a row leaves before they are joined
	m, Cols  int // the product's shape
}

// Zero is the zero point of an operand, and the slot of what it takes from sums.
type Zero struct {
	On    bool
	Value int32
	Slot  int
}

// AddZero adds the slot of a zero point, which the product gives its place.
func (e *Epilogue) AddZero(z *Zero, value int32) {
	*z = Zero{true, value, e.N}
	e.Add(kernel.Slot{}, Memory{})
}

// Epilogue is what package run collects of one call, and says more about.
type Epilogue struct {
	Fusion
	Name       string
	Rows, Cols int  // of the product
	Shaped     bool // there is none, and parameters have shapes of their own
	spans      [kernel.MaxSlots]Memory
}

// Memory is what a matrix spans.
type Memory struct {
	Name    string
	P       unsafe.Pointer
	Size    uintptr // bytes
	m       mem.Operand
	written bool
	full    bool
	// For a matrix: the bytes from the beginning of the first element of a row, and of a column, to the end of
	// the last.
	width, height int
}

// New begins the epilogue of a call whose result is rows x cols.
func New(name string, rows, cols int) Epilogue {
	return Epilogue{Name: name, Rows: rows, Cols: cols, Fusion: Fusion{On: true, Contiguous: true}}
}

// Add adds a slot, and what memory it spans.
func (e *Epilogue) Add(s kernel.Slot, u Memory) {
	e.Slots[e.N], e.spans[e.N] = s, u
	e.N++
}

// AddMatrix adds an output or an operand with an element for each of the result's.
func AddMatrix[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T], written bool) {
	if x.Rows != e.Rows || x.Cols != e.Cols {
		e.refuseShape(name, x.Rows, x.Cols)
	}
	addChecked(e, name, x, written)
}

// refuseShape and refuseLength are compiled once, and not for each element type.
//
//go:noinline
func (e *Epilogue) refuseShape(name string, rows, cols int) {
	format := "%s is %d x %d, the product is %d x %d"
	if e.Shaped {
		format = "%s is %d x %d; want %d x %d, like the other matrices of the equation"
	}
	check.Call(e.Name).Refuse(format, name, rows, cols, e.Rows, e.Cols)
}

//go:noinline
func (e *Epilogue) refuseLength(name string, have, want int, what string) {
	format := "%s has %d elements, the product has %d %s"
	if e.Shaped {
		format = "%s has %d elements; want %d, one for each of the %s of the other matrices of the equation"
	}
	check.Call(e.Name).Refuse(format, name, have, want, what)
}

// AddBits adds an output or an operand with a bit for each of the result's elements, in rows of bytes.
func AddBits(e *Epilogue, name string, x layout.Matrix[uint8], written bool) {
	n := e.Cols / 8
	if e.Cols%8 > 0 {
		n++
	}
	if x.Rows != e.Rows || x.Cols != n {
		check.Call(e.Name).Refuse("%s is %d x %d bytes, the product is %d x %d; want rows of %d bytes, one for eight columns", name, x.Rows, x.Cols, e.Rows, e.Cols, n)
	}
	addChecked(e, name, x, written)
	e.spans[e.N-1].full = false // it is the very same matrix as no operand
}

// addChecked adds a matrix of the right shape.
func addChecked[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T], written bool) {
	err := x.Check(name)
	if written {
		err = x.CheckOut(name)
	}
	if err != nil {
		panic(layout.ShapeError{What: e.Name, Why: err.Error()})
	}
	if x.Rows == 0 || x.Cols == 0 {
		e.Add(kernel.Slot{}, Memory{})
		return
	}
	u := MemoryOf(name, x)
	u.written, u.full = written, true
	e.Contiguous = e.Contiguous && (x.ColStride == 1 || x.Cols == 1)
	e.Add(kernel.Slot{P: u.m.P, Rs: int64(u.m.RS), Cs: int64(u.m.CS)}, u)
}

// MemoryOf returns where the elements of a matrix that passed its check lie.
func MemoryOf[T dtype.Elem](name string, x layout.Matrix[T]) Memory {
	if x.Rows == 0 || x.Cols == 0 {
		return Memory{Name: name}
	}
	o := mem.OperandOf(x)
	size := int(unsafe.Sizeof(x.Data[0]))
	across, down := (x.Cols-1)*o.CS, (x.Rows-1)*o.RS
	return Memory{Name: name, P: o.P, Size: uintptr(across + down + size), m: o, width: across + size, height: down + size}
}

// AddVector adds an operand with an element for each row or column, as rs and cs say.
func AddVector[T dtype.Elem](e *Epilogue, name string, x []T, want int, what string, rs, cs int64) {
	if len(x) != want {
		e.refuseLength(name, len(x), want, what)
	}
	if len(x) == 0 {
		e.Add(kernel.Slot{}, Memory{})
		return
	}
	size := int64(unsafe.Sizeof(x[0]))
	p := unsafe.Pointer(unsafe.SliceData(x))
	e.Add(kernel.Slot{P: p, Rs: rs * size, Cs: cs * size}, Memory{Name: name, P: p, Size: uintptr(want) * uintptr(size)})
}

// AddResult is AddVector of an output.
func AddResult[T dtype.Elem](e *Epilogue, name string, x []T, want int, what string, rs, cs int64) {
	AddVector(e, name, x, want, what, rs, cs)
	e.spans[e.N-1].written = true
}

// AddScalar adds an operand with one element.
func AddScalar[T dtype.Elem](e *Epilogue, x T) {
	*(*T)(unsafe.Pointer(&e.Scalars[e.N])) = x // the product gives its slot an address
	e.Add(kernel.Slot{}, Memory{})
}

// Writes reports whether an output has elements.
func (e *Epilogue) Writes() bool {
	for i := range e.N {
		if x := &e.spans[i]; x.written && x.Size > 0 {
			return true
		}
	}
	return false
}

// CheckOverlap refuses an output that shares memory with an operand or another
// output, unless it is the very same matrix as a full operand.
func (e *Epilogue) CheckOverlap(a, b Memory) {
	for i := range e.N {
		x := &e.spans[i]
		if !x.written {
			continue
		}
		e.apart(x, &a)
		e.apart(x, &b)
		for k := range e.N {
			if y := &e.spans[k]; y.written || !y.full || x.m != y.m {
				e.apart(x, y)
			}
		}
	}
}

func (e *Epilogue) apart(x, y *Memory) {
	if x == y || x.Size == 0 || y.Size == 0 || !mem.Shares(x.P, x.Size, y.P, y.Size) {
		return
	}
	first, second, off := x, y, mem.Distance(x.P, y.P)
	if off < 0 {
		first, second, off = y, x, -off
	}
	if !first.beside(second, off) {
		panic(layout.ShapeError{What: e.Name, Why: x.Name + " shares memory with " + y.Name + "; an output may only be the very same matrix as a full operand"})
	}
}

// Place returns where the result lies, if sums of so many bytes an element may stand there
// until their epilogue takes them. For that it needs rows of elements of that size, from
// which no operand is read.
func (e *Epilogue) Place(size int) (m mem.Operand, ok bool) {
	x := &e.spans[0]
	if !x.written || !x.full || x.P == nil || x.m.CS != size && e.Cols > 1 || int(x.Size)-(e.Rows-1)*x.m.RS-(e.Cols-1)*x.m.CS != size {
		return m, false
	}
	for k := 1; k < e.N; k++ {
		if y := &e.spans[k]; !y.written && y.full && y.P == x.P {
			return m, false
		}
	}
	return mem.Operand{P: x.P, RS: x.m.RS, CS: size}, true
}

// A Call is one of an epilogue's kernel, and what the next one can use again.
type Call struct {
	args    kernel.EpiArgs
	vectors mem.Buffer
}

// Forget lets go of the caller's memory.
func (c *Call) Forget() { c.args = kernel.EpiArgs{} }

// Run calls the epilogue for rows x cols sums, which belong to element (i, j) on and
// to one panel and tile. It is the only call for these rows of this panel.
func (f *Fusion) Run(c *Call, sums mem.Operand, i, j, rows, cols, panel, tile int) {
	args := &c.args
	args.Tile, args.TileLd, args.Rows, args.Cols = sums.P, int64(sums.RS), int64(rows), int64(cols)
	for s := range f.N {
		x := &f.Slots[s]
		args.Slots[s] = kernel.Slot{P: unsafe.Add(x.P, i*int(x.Rs)+j*int(x.Cs)), Rs: x.Rs, Cs: x.Cs}
	}
	f.setReductions(args, i, j, panel, tile)
	if f.Asm != nil {
		if f.rowBytes > 0 {
			c.vectors.Grow((rows + f.lanes + 1) * f.rowBytes)
			args.Vectors = c.vectors.P
		}
		f.Asm(args)
	} else {
		f.Portable(args)
	}
}
