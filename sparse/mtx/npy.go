package mtx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// An Elem is a type that NPY files are read into and written from.
type Elem interface {
	float32 | float64 | int32 | int64
}

// An NPY is an array of one or two dimensions, in the format of numpy.save.
type NPY[T Elem] struct {
	Shape   []int // one or two sizes
	Fortran bool  // the first index runs fastest in Data, not the last
	Data    []T
}

// Strides returns how far apart in Data neighbours are, for each dimension.
func (a NPY[T]) Strides() []int {
	s := slices.Repeat([]int{1}, len(a.Shape))
	if len(s) == 2 && a.Fortran {
		s[1] = a.Shape[0]
	} else if len(s) == 2 {
		s[0] = a.Shape[1]
	}
	return s
}

// Check returns nil or how the shape and the number of values disagree.
func (a NPY[T]) Check() error {
	if len(a.Shape) != 1 && len(a.Shape) != 2 {
		return fmt.Errorf("npy: %d dimensions; want 1 or 2", len(a.Shape))
	}
	n := 1
	for _, d := range a.Shape {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return fmt.Errorf("npy: a shape of %v", a.Shape)
		}
		n *= d
	}
	if n != len(a.Data) {
		return fmt.Errorf("npy: %d values for a shape of %v; want %d", len(a.Data), a.Shape, n)
	}
	return nil
}

// npyReads lists, for each type, the types of file that it holds exactly.
func npyReads[T Elem]() []string {
	switch any(T(0)).(type) {
	case float32:
		return []string{"f4"}
	case float64:
		return []string{"f8", "f4", "i4"}
	case int32:
		return []string{"i4"}
	default:
		return []string{"i8", "i4"}
	}
}

// ReadNPY reads an array of numpy.save, plain or gzip: versions 1 to 3, little- and
// big-endian, in C or Fortran order, which it keeps. T must hold every value of the
// file's type: f4 can be read as float64, f8 cannot be read as float32. MaxDim and
// MaxEntries apply; memory grows with the values read, not with those promised, at most
// 8 bytes allocated for each byte of text. An error of the file is an *Error with the
// offset of the byte.
func ReadNPY[T Elem](r io.Reader, o Options) (NPY[T], error) {
	o = o.withDefaults()
	a, at, reason, err := readNPY[T](r, o)
	if reason == "" && err == nil {
		return a, nil
	}
	if reason == "" {
		reason = readError(err)
	}
	return NPY[T]{}, &Error{Name: o.Name, Offset: at, Reason: reason, Err: err}
}

// readNPY returns an array, or the offset of what is wrong with the reason, the error
// that caused it, or both.
func readNPY[T Elem](r io.Reader, o Options) (a NPY[T], at int64, reason string, err error) {
	src, err := open(r, o)
	if err != nil {
		return a, 0, err.Error(), err
	}
	h, at, reason, err := readNPYHeader(src, o, npyPlain)
	if reason != "" || err != nil {
		return a, at, reason, err
	}
	reads := npyReads[T]()
	if !slices.Contains(reads, h.kind) {
		return a, at, fmt.Sprintf("values of type %s do not all fit %T; want a file of %v, or another type", h.kind, T(0), reads), nil
	}
	a.Shape, a.Fortran = h.shape, h.fortran
	size := int(h.kind[1] - '0')
	const most = 1 << 13 // values at a time
	buf := make([]byte, most*size)
	for left := h.n; left > 0; {
		part := buf[:min(left, most)*size]
		k, err := io.ReadFull(src, part)
		at += int64(k)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return a, at, fmt.Sprintf("the file ends within value %d of %d: %v", len(a.Data)+k/size, h.n, err), err
		} else if err != nil {
			return a, at, "", err
		}
		a.Data = grow(a.Data, len(part)/size, h.n)
		a.Data = appendValues(a.Data, part, h)
		left -= len(part) / size
	}
	switch k, err := io.ReadFull(src, buf[:1]); {
	case k > 0:
		return a, at, fmt.Sprintf("the file goes on after its %d values; want one array", h.n), nil
	case !errors.Is(err, io.EOF):
		return a, at, "", err
	}
	return a, at, "", nil
}

// appendValues decodes b, values of the file, and appends them to dst.
func appendValues[T Elem](dst []T, b []byte, h npyHeader) []T {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if h.bigEndian {
		u32, u64 = binary.BigEndian.Uint32, binary.BigEndian.Uint64
	}
	size := int(h.kind[1] - '0')
	for ; len(b) >= size; b = b[size:] {
		var v T
		switch h.kind {
		case "f4":
			v = T(math.Float32frombits(u32(b)))
		case "f8":
			v = T(math.Float64frombits(u64(b)))
		case "i4":
			v = T(int32(u32(b)))
		case "i8":
			v = T(int64(u64(b)))
		}
		dst = append(dst, v)
	}
	return dst
}
