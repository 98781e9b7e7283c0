package check

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// room is n elements in g, at either end.
func room[T dtype.Elem](g *Guard[T], n int, at position) ([]T, error) {
	if g.mem == nil || g.Cap() < n {
		if g.mem != nil {
			if err := g.Close(); err != nil {
				return nil, err
			}
		}
		bigger, err := NewGuard[T](2*n + 1)
		if err != nil {
			return nil, err
		}
		*g = *bigger
	}
	if at == left {
		return g.Left(n), nil
	}
	return g.Right(n), nil
}

// operand lays n blocks of so many elements out, which may overlap, and fills all of them. number 0 of form is
// a stride, 1 offsets, 2 a list.
func (r *batchReducer[T, S]) operand(g *Guard[T], n, size, form int, at position, fill func() float64) (x Blocks[T], starts []int, all []T, err error) {
	stride := []int{size, size + 3, 0, 1, 2 * size}[r.rng.IntN(5)]
	length := 0
	if n > 0 {
		length = (n-1)*stride + size
	}
	if form > 0 && n > 0 {
		length = size + r.rng.IntN(2*n*size)
	}
	if all, err = room(g, length, at); err != nil {
		return x, nil, nil, err
	}
	for i := range all {
		all[i] = Elem[T](fill())
	}
	starts = make([]int, n)
	for i := range starts {
		if starts[i] = i * stride; form > 0 {
			starts[i] = r.rng.IntN(length - size + 1)
		}
	}
	if form > 0 && n > 1 {
		starts[0], starts[n-1] = length-size, 0 // both ends
	}
	if r.Of.Width > 0 && form == 2 && size == r.Of.sizeB() { // panels lie in one slice
		form = 1
	}
	switch form {
	case 0:
		x = Blocks[T]{Data: all, Stride: stride, Count: n}
	case 1:
		x = Blocks[T]{Data: all, At: starts}
	default:
		x.List = make([][]T, n)
		for i, at := range starts {
			x.List[i] = all[at : at+size]
		}
	}
	return x, starts, all, nil
}

// BlocksOfA cuts the a of a problem with an epilogue into blocks, the last of which is filled up with zeros,
// BlocksOfB its b.
func BlocksOfA[T dtype.Elem](p *Problem, s BlockShape) Blocks[T] {
	s = s.of(p.M)
	return shaped(s, cut(p.K, s.K, s.sizeA(), func(x []T, k, to int) {
		for i := range p.M {
			x[s.atA(i, to)] = Elem[T](p.Load(A, i, k))
		}
	}))
}

// BlocksOfB cuts the b of a problem as [BlocksOfA] does its a.
func BlocksOfB[T dtype.Elem](p *Problem, s BlockShape) Blocks[T] {
	s = s.of(p.M)
	return cut(p.K, s.K, s.sizeB(), func(x []T, k, to int) {
		for j := range p.N {
			x[s.atB(to, j)] = Elem[T](p.Load(B, k, j))
		}
	})
}

// cut makes blocks of kc of k, each of size elements, last one first if they are of an odd number.
func cut[T dtype.Elem](k, kc, size int, put func(x []T, k, to int)) Blocks[T] {
	n := (k + kc - 1) / kc
	x := Blocks[T]{Data: make([]T, n*size), At: make([]int, n)}
	for i := range n {
		if x.At[i] = i * size; n%2 == 1 {
			x.At[i] = (n - 1 - i) * size
		}
		for to := range min(kc, k-i*kc) {
			put(x.Data[x.At[i]:][:size], i*kc+to, to)
		}
	}
	return x
}

// shaped is x with the shape of blocks of a, where calls say it.
func shaped[T dtype.Elem](s BlockShape, x Blocks[T]) Blocks[T] {
	if s.Open {
		x.Rows, x.Cols, x.Ld = s.M, s.K, s.LdA
	}
	return x
}

// shapedB is x with the panels of b, where there are more than one.
func shapedB[T dtype.Elem](s BlockShape, x Blocks[T]) Blocks[T] {
	if s.Width > 0 && x.List == nil {
		x.Cols, x.Ld = s.N, s.Panel
	}
	return x
}

// of is s, for m rows where calls say how many there are: then blocks are narrow.
func (s BlockShape) of(m int) BlockShape {
	if s.Open {
		s.M, s.K, s.LdA, s.LdC = m, 6, 7, s.N
	}
	return s
}

// shapes are some of those that calls may have, with adjacent rows and with gaps: fewer than a tile has,
// tiles of all heights, and more than one call does.
func (s BlockShape) shapes() []BlockShape {
	var list []BlockShape
	for i, mk := range [][2]int{{1, 2}, {3, 64}, {16, 16}, {27, 32}, {50, 10}, {109, 32}, {300, 4}} {
		x := s
		x.M, x.K = mk[0], mk[1]
		x.LdA, x.LdC = x.K+i%3*5, x.N+i%2*3
		if i == 2 {
			x.LdA = 3 // rows overlap
		}
		if i%3 == 1 {
			x.Panel, x.Width, x.N = x.sizeB()+7, x.N, 3*x.N
			x.LdC += 2 * x.Width
		}
		list = append(list, x)
	}
	return list
}
