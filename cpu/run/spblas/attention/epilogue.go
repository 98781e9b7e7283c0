package attention

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Epilogue is the [epilogue.Epilogue] of attention over blocks. Its only output takes the place of
// the current scores. Operands are those of all heads, or of each.
type Epilogue struct {
	epi   epilogue.Epilogue
	heads int
	by    [kernel.MaxSlots]int // bytes from what belongs to a head to what belongs to the next
	spans [kernel.MaxSlots]epi.Memory

	gradients []operandGradient // of a call for gradients
}

// NewEpilogue begins the epilogue of a call of the kernel called name with a mask and so many heads,
// none of which is one.
func NewEpilogue(name string, mask mask.Mask, heads int) Epilogue {
	e := Epilogue{epi: epilogue.New(name, mask.Rows(), mask.Cols()), heads: max(heads, 1)}
	e.epi.Add(kernel.Slot{}, epi.Memory{}) // the scores, wherever they are
	return e
}

// Row adds an operand with an element for each row of the mask, or for each row of each head.
func Row[T dtype.Elem](e *Epilogue, name string, x []T) {
	addScores(e, name, x, e.epi.Rows, "rows", 1, 0)
}

// Column adds an operand with an element for each column of the mask, or for each column of each head.
func Column[T dtype.Elem](e *Epilogue, name string, x []T) {
	addScores(e, name, x, e.epi.Cols, "columns", 0, 1)
}

// Scalar adds an operand with one element, or one for each head.
func Scalar[T dtype.Elem](e *Epilogue, name string, x []T) {
	addScores(e, name, x, 1, "", 0, 0)
}

// addScores adds an operand of which a head has n elements.
func addScores[T dtype.Elem](e *Epilogue, name string, x []T, n int, what string, rs, cs int64) {
	if len(x) != n && len(x) != mem.Volume(e.heads, n) {
		want := fmt.Sprintf("want one for each of %d %s, or for each of %d heads as many", n, what, e.heads)
		if what == "" {
			want = fmt.Sprintf("want 1, or one for each of %d heads", e.heads)
		}
		e.call().Refuse("%s has %d elements; %s", name, len(x), want)
	}
	if len(x) == 0 {
		e.epi.Add(kernel.Slot{}, epi.Memory{})
		return
	}
	size := int64(unsafe.Sizeof(x[0]))
	p := unsafe.Pointer(unsafe.SliceData(x))
	if len(x) > n {
		e.by[e.epi.N] = n * int(size)
	}
	e.spans[e.epi.N] = epi.Memory{Name: name, P: p, Size: uintptr(len(x)) * uintptr(size)}
	e.epi.Add(kernel.Slot{P: p, Rs: rs * size, Cs: cs * size}, epi.Memory{})
}

// Full adds an operand with an element for each of the mask's, or such a matrix for each head, one
// under another.
func Full[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T]) {
	m, n := e.epi.Rows, e.epi.Cols
	if x.Cols != n || x.Rows != m && x.Rows != mem.Volume(e.heads, m) {
		e.call().Refuse("%s is %d x %d, the mask is %d x %d; want the same shape, or one such matrix for each of %d heads under another", name, x.Rows, x.Cols, m, n, e.heads)
	}
	check.Read(e.call(), name, &x)
	if x.Rows > m && m > 0 && n > 0 {
		e.by[e.epi.N] = m * x.RowStride * int(unsafe.Sizeof(x.Data[0]))
	}
	e.spans[e.epi.N] = epi.MemoryOf(name, x)
	x.Rows = m
	epilogue.Full(&e.epi, name, x)
}

func (e *Epilogue) call() check.Call { return check.Call(e.epi.Name) }

// checkApart refuses a result that shares memory with an operand.
func (e *Epilogue) checkApart(name string, p unsafe.Pointer, size uintptr) {
	for _, x := range e.spans[:e.epi.N] {
		if size > 0 && x.Size > 0 && mem.Shares(p, size, x.P, x.Size) {
			e.call().Refuse("%s shares memory with %s; copy it first", name, x.Name)
		}
	}
}

// scoreFusion is the epilogue of one call.
type scoreFusion struct {
	call.Epilogue
	by       [kernel.MaxSlots]int
	gradient bool // the last operand is a gradient by scores, and the output takes its place
	also     int  // outputs besides: the gradients by operands
}

var scoreFusions mem.Pool[scoreFusion]

// run makes, from rows x cols products of head h, which belong to element (i, j) on, what takes the place of
// out. That may be where they are. also is where gradients by operands go.
func (f *scoreFusion) run(args *kernel.EpiArgs, products, out mem.Operand, also unsafe.Pointer, h, i, j, rows, cols int) {
	args.Tile, args.TileLd, args.Rows, args.Cols = products.P, int64(products.RS), int64(rows), int64(cols)
	args.Slots[0] = kernel.Slot{P: out.P, Rs: int64(out.RS), Cs: int64(out.CS)}
	for s := 1; s < f.N; s++ {
		x := &f.Slots[s]
		if s <= f.also {
			t := operandTile(also, s, rows, cols)
			args.Slots[s] = kernel.Slot{P: t.P, Rs: int64(t.RS), Cs: x.Cs}
			continue
		}
		args.Slots[s] = kernel.Slot{P: unsafe.Add(x.P, h*f.by[s]+i*int(x.Rs)+j*int(x.Cs)), Rs: x.Rs, Cs: x.Cs}
	}
	if f.gradient {
		args.Slots[f.N-1] = args.Slots[0]
	}
	if f.Asm != nil {
		f.Asm(args)
	} else {
		f.Portable(args)
	}
}
