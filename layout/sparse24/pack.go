package sparse24

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Pack stores a matrix that is 2:4. It fails with a [RuleError] at the first chunk that has
// more elements than are stored which are not zero; [Prune] makes them zero. Any number of
// columns will do: what is beyond the last counts as zero. A zero is 0 or -0, and [Matrix.Unpack]
// makes 0 of one that is not stored. m is not kept.
func Pack[T Elem](m layout.Matrix[T]) (*Matrix[T], error) {
	if err := m.Check("sparse24.Pack: m"); err != nil {
		return nil, err
	}
	s := shapeOf[T](m.Rows, m.Cols)
	if err := s.fits("sparse24.Pack", len(m.Data)); err != nil {
		return nil, err
	}
	p := &Matrix[T]{rows: m.Rows, cols: m.Cols}
	if m.Rows == 0 || m.Cols == 0 {
		return p, nil
	}
	p.values = make([]T, m.Rows*(s.width()/2))
	p.meta = make([]int32, s.blocks()*(s.width()/s.deep)*s.words())
	const filled = 0x44444444 // the first elements of every chunk
	for i := range p.meta {
		p.meta[i] = filled
	}
	for i := range m.Rows {
		for c := range (m.Cols + s.chunk - 1) / s.chunk {
			var list [4]int
			n := 0
			for e := range min(s.chunk, m.Cols-c*s.chunk) {
				if magnitude(m.Data[i*m.RowStride+(c*s.chunk+e)*m.ColStride]) != 0 {
					list[n] = e
					n++
				}
			}
			if n > s.chunk/2 {
				return nil, RuleError{i, c * s.chunk, fmt.Sprintf("%d of %d elements are not zero, %d may be; Prune keeps the greatest", n, s.chunk, s.chunk/2)}
			}
			code := s.code(list[:n])
			word, bit := s.at(i, c)
			p.meta[word] ^= (code ^ 0b0100) << bit
			first, second, _ := s.places(code)
			for e, place := range []int{first, second}[:s.chunk/2] {
				if j := c*s.chunk + place; j < m.Cols {
					p.values[i*(s.width()/2)+c*s.chunk/2+e] = zeroed(m.Data[i*m.RowStride+j*m.ColStride])
				}
			}
		}
	}
	return p, nil
}

// code returns the metadata of a chunk that has elements at these places; where there are
// fewer than are stored, zeros are.
func (s shape) code(list []int) int32 {
	switch {
	case s.chunk == 2 && len(list) == 1 && list[0] == 1:
		return 0b1110
	case s.chunk == 2 || len(list) == 0:
		return 0b0100
	case len(list) == 2:
		return int32(list[0] | list[1]<<2)
	}
	first := min(list[0], 2)
	return int32(first | (first+1)<<2)
}

// Prune returns m with zeros in place of the elements that are not stored. Of each four
// neighbours along a row the two of greatest magnitude stay; for float32, one of two. Among
// equals the first stays, and a NaN is greater than any number. The result is row-major. It
// panics with a [layout.ShapeError] if m does not hold its elements, or if rows or columns of it
// repeat.
func Prune[T Elem](m layout.Matrix[T]) layout.Matrix[T] {
	err := m.Check("sparse24.Prune: m")
	s := shapeOf[T](m.Rows, m.Cols)
	if err == nil {
		err = s.fits("sparse24.Prune", len(m.Data))
	}
	if err != nil {
		panic(err)
	}
	out := layout.New[T](m.Rows, m.Cols)
	if m.Cols == 0 { // of which there may be any number of rows
		return out
	}
	for i := range m.Rows {
		for c := 0; c < m.Cols; c += s.chunk {
			var size [4]float64
			n := min(s.chunk, m.Cols-c)
			for e := range n {
				size[e] = magnitude(m.At(i, c+e))
			}
			for e := range n {
				greater := 0
				for o := range n {
					if size[o] > size[e] || size[o] == size[e] && o < e {
						greater++
					}
				}
				if greater < s.chunk/2 {
					out.Set(i, c+e, m.At(i, c+e))
				}
			}
		}
	}
	return out
}

// magnitude is the absolute value, or one above infinity of a NaN, so that it can be compared.
func magnitude[T Elem](x T) float64 {
	v := 0.0
	switch x := any(x).(type) {
	case float32:
		v = float64(x)
	case dtype.F16:
		v = float64(x.Float32())
	case dtype.BF16:
		v = float64(x.Float32())
	case dtype.F8E4M3:
		v = float64(x.Float32())
	case dtype.F8E5M2:
		v = float64(x.Float32())
	case int8:
		v = float64(x)
	case uint8:
		v = float64(x)
	}
	switch {
	case v != v:
		return math.Inf(1)
	case math.IsInf(v, 0):
		return math.MaxFloat64 // no element is as great
	}
	return math.Abs(v)
}

// zeroed is x, but 0 for -0.
func zeroed[T Elem](x T) T {
	if magnitude(x) == 0 {
		var zero T
		return zero
	}
	return x
}
