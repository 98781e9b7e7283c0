package reshard

import (
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// A tile is a rank's part of an array, in memory: element (i, j, ...) is
// data[i*strides[0]+j*strides[1]+...]. data may be nil if there are no elements.
type tile[T comm.Fixed] struct {
	data           []T
	shape, strides []int
}

// dense stores the last index fastest.
func dense[T comm.Fixed](data []T, shape []int) tile[T] {
	strides := make([]int, len(shape))
	n := 1
	for i, k := range slices.Backward(shape) {
		strides[i] = n
		n *= k
	}
	return tile[T]{data, shape, strides}
}

// piece is a piece as a message has it.
func piece[T comm.Fixed](data []T, runs [][]mesh.Run) tile[T] {
	shape := make([]int, len(runs))
	for i, list := range runs {
		for _, r := range list {
			shape[i] += r.N
		}
	}
	return dense(data, shape)
}

// slice is the part of t with this shape that begins at an offset.
func (t tile[T]) slice(offset, shape []int) tile[T] {
	at, elements := 0, 1
	for i, n := range shape {
		at += offset[i] * t.strides[i]
		elements *= n
	}
	if elements == 0 {
		return tile[T]{nil, shape, t.strides}
	}
	return tile[T]{t.data[at:], shape, t.strides}
}

// all is the one piece that t is.
func (t tile[T]) all() [][]mesh.Run {
	runs := make([][]mesh.Run, len(t.shape))
	for i, n := range t.shape {
		runs[i] = []mesh.Run{{N: n}}
	}
	return runs
}

// src and dstOf choose a side of a run.
func src(r mesh.Run) int { return r.Src }
func dst(r mesh.Run) int { return r.Dst }

// dense returns the elements of a piece as they lie in t, if they lie as in a message.
func (t tile[T]) dense(runs [][]mesh.Run, side func(mesh.Run) int) ([]T, bool) {
	at, n := 0, 1
	for i, list := range slices.Backward(runs) {
		if len(list) != 1 || list[0].N > 1 && t.strides[i] != n {
			return nil, false
		}
		at += side(list[0]) * t.strides[i]
		n *= list[0].N
	}
	return t.data[at : at+n : at+n], true
}

// repack returns the runs between a tile, on the side that is given, and the packed
// piece, from the tile to it or the other way round.
func repack(runs [][]mesh.Run, side func(mesh.Run) int, toPacked bool) [][]mesh.Run {
	out := make([][]mesh.Run, len(runs))
	for i, list := range runs {
		at := 0
		for _, r := range list {
			q := mesh.Run{Src: side(r), Dst: at, N: r.N}
			if !toPacked {
				q.Src, q.Dst = q.Dst, q.Src
			}
			out[i] = append(out[i], q)
			at += r.N
		}
	}
	return out
}

// move copies the elements at runs from one tile to another.
func move[T comm.Fixed](out, in tile[T], runs [][]mesh.Run) {
	if len(runs) == 0 {
		out.data[0] = in.data[0]
		return
	}
	moveFrom(out, in, runs, 0, 0, 0)
}

func moveFrom[T comm.Fixed](out, in tile[T], runs [][]mesh.Run, i, dst, src int) {
	d, s := out.strides[i], in.strides[i]
	for _, r := range runs[i] {
		if r.N == 0 { // there may be no memory to point to
			continue
		}
		to, from := dst+r.Dst*d, src+r.Src*s
		switch {
		case i+1 < len(runs):
			for k := range r.N {
				moveFrom(out, in, runs, i+1, to+k*d, from+k*s)
			}
		case d == 1 && s == 1:
			copy(out.data[to:to+r.N], in.data[from:from+r.N])
		default:
			for k := range r.N {
				out.data[to+k*d] = in.data[from+k*s]
			}
		}
	}
}

// grow returns a buffer of n elements, the old one if it is large enough.
func grow[T comm.Fixed](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n)
	}
	*b = (*b)[:n]
	return *b
}

// overlap reports whether two parts of one array have elements in common, or, if they
// interleave, might have.
func overlap[T comm.Fixed](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 || &x[:cap(x)][cap(x)-1] != &y[:cap(y)][cap(y)-1] {
		return false
	}
	// Both end where the array does, so the one with the larger capacity begins first.
	if cap(x) < cap(y) {
		x, y = y, x
	}
	return cap(x)-cap(y) < len(x)
}
