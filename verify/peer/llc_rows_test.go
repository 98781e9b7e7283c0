package peer_test

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// testRows calls each kernel by itself: which of them a product uses, and in which way,
// depends on the sizes of the caches.
func (k tables[T]) testRows(t *testing.T, c *comparison[T]) {
	table := ours(c.target, k.rows, func(k *kernel.Table[kernel.Func[kernel.SparseArgs]]) string { return k.ISA })
	theirs := llctest.Replace(c.Opinion, table)
	for _, l := range []struct {
		name               string
		form               kernel.Form
		masked, fetch, vec bool
	}{
		{"full", kernel.Panel, false, false, false}, {"tail", kernel.Tail, true, false, false},
		{"full, fetching", kernel.Fetch, false, true, false}, {"tail, fetching", kernel.FetchTail, true, true, false},
		{"vec", kernel.Columns, false, false, true},
	} {
		native, llc := table.Of(l.form), theirs.Of(l.form)
		for i := range native {
			modes := []int64{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate, kernel.ModeMean}
			switch {
			case l.vec:
				modes = modes[:3]
			case l.fetch && !l.masked:
				modes = append(modes, kernel.ModeStream)
			}
			for _, mode := range modes {
				last := c.vl
				if l.masked {
					last = 1 + c.r.IntN(c.vl-1)
				}
				if l.vec {
					last = 1
				}
				r := rowCall[T]{c: c, mode: mode, cols: i*c.vl + last, last: last, fetch: l.fetch, vec: l.vec}
				r.compare(fmt.Sprintf("%s[%d], n=%d, mode %d", l.name, i, last, mode), native[i].F, llc[i].F)
			}
		}
	}
}

// rowCall is one call of a row kernel.
type rowCall[T dtype.Float] struct {
	c          *comparison[T]
	mode       int64
	cols, last int
	fetch, vec bool
}

func (r rowCall[T]) compare(what string, native, llc kernel.Func[kernel.SparseArgs]) {
	a := r.c.matrix(46, 61)
	size := int(unsafe.Sizeof(T(0)))
	pointers, indices, values := a.CSR()
	b := r.c.dense(61, r.cols)
	ld := (r.cols*size + 63) / 64 * 64 / size
	if r.vec {
		ld = 3
	}
	const ahead = 8
	args := kernel.SparseArgs{Pointers: unsafe.Pointer(&pointers[0]), Indices: unsafe.Pointer(&indices[0]), Values: unsafe.Pointer(&values[0]),
		B: unsafe.Pointer(&b.Data[0]), LdB: int64(r.cols * size), LdC: int64(ld * size), Rows: int64(a.Rows()), N: int64(r.last), Mode: r.mode,
		Alpha: bits(T(-1.25)), Beta: bits(T(.5))}
	if r.fetch { // the last rows have no entries to look ahead at
		args.Ahead = 4 * ahead
		for int(pointers[args.Rows])+ahead > len(indices) {
			args.Rows--
		}
	}
	out := r.c.dense(a.Rows(), ld)
	r.c.both(what, out.Data, func(out []T) { r.call(args, native, out) }, func(out []T) { r.call(args, llc, out) })
}

// call runs the kernel on a copy of out that begins at a cache line.
func (r rowCall[T]) call(args kernel.SparseArgs, f kernel.Func[kernel.SparseArgs], out []T) {
	room := layout.New[T](1, len(out)+64).Data
	skip := 0
	for uintptr(unsafe.Pointer(&room[skip]))%64 != 0 {
		skip++
	}
	c := room[skip : skip+len(out)]
	copy(c, out)
	args.C = unsafe.Pointer(&c[0])
	f(&args)
	copy(out, c)
}

// bits are those of a scalar in an argument block.
func bits[T dtype.Float](x T) uint64 {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Float32:
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	default:
		return *(*uint64)(unsafe.Pointer(&x))
	}
}
