package move

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/moves"
	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// variant is that of all kernels: all sizes have the same.
var variant = vectors.Variant{Name: "move", ISAs: func() (names []string) {
	for _, k := range moves.Bytes4 {
		names = append(names, k.ISA)
	}
	return names
}}

// kernels are those for elements of so many bytes, and their number for a call of one; nil if there are none.
func kernels(size int) (k *kernel.Table[kernel.Func[kernel.VectorArgs]], number int) {
	n := int(variant.Number()) - 1
	var list []*kernel.Table[kernel.Func[kernel.VectorArgs]]
	switch size {
	case 1:
		list = moves.Bytes1
	case 2:
		list = moves.Bytes2
	case 4:
		list = moves.Bytes4
	case 8:
		list = moves.Bytes8
	}
	if n < 0 || list == nil {
		return nil, 0
	}
	return list[n], n
}

func sizeOf[T any]() int {
	var z T
	return int(unsafe.Sizeof(z))
}

// addr is where the first element of a matrix that has one is.
func addr[T dtype.Any](x layout.Matrix[T]) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(x.Data))
}

// block is units, of so many bytes, that rows of two matrices consist of. m rows of n of x are n of m of out.
// Rows are so many bytes apart.
type block struct {
	out, x     unsafe.Pointer
	ldOut, ldX int
	m, n, size int
}

// What is transposed before the next: as many rows of x as a line of out has units, and two lines of each
// row. So each line of out is written at once, and the hardware prefetches a second line of a row of x with
// the first.
const rowBytes, colBytes = 64, 128

// transpose does it by a kernel if there is one for the size, of enough rows and columns. If the last square
// of a side would reach over the edge, it begins sooner. What it has in common with the one before it is
// written twice.
func (b block) transpose() bool {
	k, number := kernels(b.size)
	if k == nil {
		return false
	}
	side := k.Op("Transpose").MR
	if b.m < side || b.n < side {
		return false
	}
	a := kernel.VectorArgs{LdA: int64(b.ldX), LdOut: int64(b.ldOut)}
	for j, most := 0, rowBytes/b.size/side; j < b.n; {
		n := min(colBytes/b.size, (b.n-j)/side*side)
		if n == 0 {
			j, n = b.n-side, side
		}
		for i := 0; i < b.m; {
			tiles := min(most, (b.m-i)/side)
			if tiles == 0 {
				i, tiles = b.m-side, 1
			}
			a.A, a.Out = unsafe.Add(b.x, i*b.ldX+j*b.size), unsafe.Add(b.out, j*b.ldOut+i*b.size)
			a.Tiles, a.N = int64(tiles), int64(n)
			switch b.size { // no function value, through which arguments would escape
			case 1:
				moves.Bytes1Transpose(number, &a)
			case 2:
				moves.Bytes2Transpose(number, &a)
			case 4:
				moves.Bytes4Transpose(number, &a)
			case 8:
				moves.Bytes8Transpose(number, &a)
			}
			i += tiles * side
		}
		j += n
	}
	return true
}

// pieceBytes is how much of a row one call of a kernel weaves: that takes a microsecond.
const pieceBytes = 1 << 13

// weave writes each group of rows of x, one under another, as a row of out, if there is a kernel for the size
// and for groups of so many. It returns how many rows it did, which are all but those of a group that is not
// whole. unravel is the inverse, of m rows of out. If the last columns are fewer than a kernel does, it
// begins sooner, as transpose does.
func (b block) weave(by int, unravel bool) (rows int) {
	k, number := kernels(b.size)
	if k == nil {
		return 0
	}
	w := k.Op("Weave")
	if w.MR != by || b.n < w.NV {
		return 0
	}
	a := kernel.VectorArgs{LdA: int64(b.ldX), LdOut: int64(b.ldOut), Tiles: 1}
	for ; rows+by <= b.m; rows += by {
		for j := 0; j < b.n; {
			n := min(pieceBytes/b.size, (b.n-j)/w.NV*w.NV)
			if n == 0 {
				j, n = b.n-w.NV, w.NV
			}
			plain, woven := j*b.size, j*by*b.size
			a.N = int64(n)
			switch {
			case unravel:
				a.A, a.Out = unsafe.Add(b.x, rows/by*b.ldX+woven), unsafe.Add(b.out, rows*b.ldOut+plain)
			default:
				a.A, a.Out = unsafe.Add(b.x, rows*b.ldX+plain), unsafe.Add(b.out, rows/by*b.ldOut+woven)
			}
			switch {
			case unravel && b.size == 1:
				moves.Bytes1Unravel(number, &a)
			case unravel:
				moves.Bytes2Unravel(number, &a)
			case b.size == 1:
				moves.Bytes1Weave(number, &a)
			default:
				moves.Bytes2Weave(number, &a)
			}
			j += n
		}
	}
	return rows
}
