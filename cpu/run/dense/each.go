package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// An Each is the kernels of an epilogue without a product. It goes over numbers that are there
// already, or over sums of any product of their type. It is a package-level variable, and names
// no kernels that multiply, so that a program which uses it does not link them.
type Each struct {
	Name     string
	Variants []*EachVariant              // best first; of sets that extend others there is none
	Portable kernel.Func[kernel.EpiArgs] // the same in Go, of any strides along columns but those of what is read

	choice choose.Choice
}

// EachVariant is the kernel of one instruction set.
type EachVariant struct {
	ISA string
	F   kernel.Func[kernel.EpiArgs]
}

// of returns the kernel for the instruction set of others, nil if there is none.
func (x *Each) of(kern *kernel.Kernels) kernel.Func[kernel.EpiArgs] {
	if x == nil || kern == nil {
		return nil
	}
	for _, v := range x.Variants {
		if v.ISA == isaset.Plain(kern.ISA) {
			return v.F
		}
	}
	return nil
}

// pick returns the kernel for this machine, or what run.SetISA or TILESMITH_ISA says.
func (x *Each) pick() kernel.Func[kernel.EpiArgs] {
	if v := choose.Pick(&x.choice, x.Name, x.Variants, func(v *EachVariant) string { return v.ISA }, ""); v != nil {
		return v.F
	}
	return x.Portable
}

// eachElements is how many elements a call goes over at most: assembly cannot be preempted.
const eachElements = 1 << 17

// Map2 sets every element of dst to the result of each's function for that of src and one
// each of x and y. For element (i, j) these are the ones at i*steps[0] + j*steps[1]. Shapes
// and slices were checked, dst and src lie by rows, and they share no memory.
func Map2[Out, In, X, Y dtype.Elem](each *Each, dst layout.Matrix[Out], src layout.Matrix[In], x []X, y []Y, steps [2]int) {
	m, n := dst.Rows, dst.Cols
	if m == 0 || n == 0 {
		return
	}
	f, w := each.pick(), workers.Get()
	defer workers.Put(w)
	to, from := mem.OperandOf(dst), mem.OperandOf(src)
	xs, ys := mem.Operand{P: unsafe.Pointer(unsafe.SliceData(x))}, mem.Operand{P: unsafe.Pointer(unsafe.SliceData(y))}
	xs.RS, xs.CS = steps[0]*int(unsafe.Sizeof(x[0])), steps[1]*int(unsafe.Sizeof(x[0]))
	ys.RS, ys.CS = steps[0]*int(unsafe.Sizeof(y[0])), steps[1]*int(unsafe.Sizeof(y[0]))
	args := &w.each
	defer func() { *args = kernel.EpiArgs{} }() // do not keep the caller's memory alive
	cols := min(n, eachElements)
	rows := max(1, eachElements/cols)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			args.Tile, args.TileLd = from.At(i, j), int64(from.RS)
			args.Rows, args.Cols = int64(min(rows, m-i)), int64(min(cols, n-j))
			for s, o := range [...]*mem.Operand{&to, &xs, &ys} {
				args.Slots[s] = kernel.Slot{P: o.At(i, j), Rs: int64(o.RS), Cs: int64(o.CS)}
			}
			f(args)
		}
	}
}
