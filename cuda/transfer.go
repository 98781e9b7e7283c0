package cuda

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// gatherBytes bounds the host memory that a transfer takes to put elements in order.
const gatherBytes = 1 << 20

// Write queues the copy of src to m, which have the same size and any strides. It writes
// only elements of m, never the memory between them. You may change src once Write has
// returned.
//
// A matrix without gaps is copied in one piece, one with gaps row by row or column by
// column. If both strides are above 1 it is copied element by element, which is slow; use
// a dense matrix instead.
func (m Matrix[T]) Write(s Stream, src layout.Matrix[T]) error {
	if err := m.CheckOut("cuda.Matrix.Write: the matrix"); err != nil {
		return err
	}
	if err := m.sameShape("Write", &src); err != nil {
		return err
	}
	return m.pieces(src, func(at Slice[T], tmp []T, direct bool, part layout.Matrix[T]) error {
		if !direct {
			gather(tmp, part)
		}
		return at.Write(s, tmp)
	})
}

// Read waits for the work queued on s and copies m to dst, which have the same size and any
// strides. It costs as much as Write.
func (m Matrix[T]) Read(s Stream, dst layout.Matrix[T]) error {
	if err := m.Check("cuda.Matrix.Read: the matrix"); err != nil {
		return err
	}
	if err := dst.CheckOut("cuda.Matrix.Read: dst"); err != nil {
		return err
	}
	if err := m.sameShape("Read", &dst); err != nil {
		return err
	}
	return m.pieces(dst, func(at Slice[T], tmp []T, direct bool, part layout.Matrix[T]) error {
		if err := at.Read(s, tmp); err != nil || direct {
			return err
		}
		scatter(part, tmp)
		return nil
	})
}

// To waits for what is queued on s and returns m as a new row-major matrix.
func (m Matrix[T]) To(s Stream) (layout.Matrix[T], error) {
	if err := m.Check("cuda.Matrix.To: the matrix"); err != nil {
		return layout.Matrix[T]{}, err
	}
	if m.RowStride == 0 || m.ColStride == 0 {
		if err := m.CheckOut("cuda.Matrix.To: the matrix"); err != nil {
			return layout.Matrix[T]{}, err // few elements may stand for more than fit here
		}
	}
	dst := layout.New[T](m.Rows, m.Cols)
	return dst, m.Read(s, dst)
}

func (m Matrix[T]) sameShape(what string, h *layout.Matrix[T]) error {
	if err := h.Check("cuda.Matrix." + what + ": the host's matrix"); err != nil {
		return err
	}
	if m.Rows != h.Rows || m.Cols != h.Cols {
		return layout.ShapeError{What: "cuda.Matrix." + what, Why: fmt.Sprintf("%d x %d on the device, %d x %d on the host", m.Rows, m.Cols, h.Rows, h.Cols)}
	}
	return nil
}

// pieces calls f for parts of m that are contiguous on the device, with the part
// of h that belongs to each, in its order. tmp holds as many elements; it is the
// host's own memory if that is contiguous in the same order (direct).
func (m Matrix[T]) pieces(h layout.Matrix[T], f func(at Slice[T], tmp []T, direct bool, part layout.Matrix[T]) error) error {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	// Go along rows; turn a matrix whose columns are contiguous.
	if m.Cols > 1 && m.ColStride != 1 && (m.RowStride == 1 || m.Rows == 1) || m.Cols == 1 && m.RowStride == 1 {
		m, h = m.T(), h.T()
	}
	rows, cols := 1, m.Cols // of a piece
	if m.Cols > 1 && m.ColStride != 1 {
		cols = 1
	} else if m.Rows > 1 && m.RowStride == m.Cols {
		rows = max(1, gatherBytes/(m.Cols*int(elemSize[T]())))
		if h.ColStride == 1 && h.RowStride == h.Cols {
			rows = m.Rows // nothing to gather, so all at once
		}
	}
	var tmp []T
	for i := 0; i < m.Rows; i += rows {
		r := min(rows, m.Rows-i)
		for j := 0; j < m.Cols; j += cols {
			part := h.Slice(i, i+r, j, j+cols)
			direct := (cols == 1 || h.ColStride == 1) && (r == 1 || h.RowStride == cols)
			piece := part.Data
			if !direct {
				if tmp == nil {
					tmp = make([]T, rows*cols)
				}
				piece = tmp[:r*cols]
			}
			from := i*m.RowStride + j*m.ColStride
			if err := f(m.Data.Slice(from, from+r*cols), piece, direct, part); err != nil {
				return err
			}
		}
	}
	return nil
}

func gather[T dtype.Elem](dst []T, m layout.Matrix[T]) {
	for i := range m.Rows {
		for j := range m.Cols {
			dst[i*m.Cols+j] = m.Data[i*m.RowStride+j*m.ColStride]
		}
	}
}

func scatter[T dtype.Elem](m layout.Matrix[T], src []T) {
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.RowStride+j*m.ColStride] = src[i*m.Cols+j]
		}
	}
}
