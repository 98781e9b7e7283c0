package mtx

import (
	"archive/zip"
	"fmt"
	"io"
)

// An NPZ is a sparse matrix that scipy.sparse.save_npz wrote. It is a zip file with a
// NumPy array for each part of a csr, csc, coo, bsr or dia matrix. NewNPZ has read and
// checked all of it; Visit and VisitComplex may be called any number of times. A vector,
// such as a coo_array of one dimension, is a matrix of one row.
type NPZ struct {
	o      Options
	header Header
	format string // csr, csc, coo, bsr or dia
	vector bool   // it has one size, and is read as a row
	parts  npzParts
}

// npzParts are the arrays; which there are goes by the format.
type npzParts struct {
	ptr, idx []int // csr, csc, bsr
	row, col []int // coo
	offsets  []int // dia
	data     npzValues
	block    [2]int // of bsr
	length   int    // of a diagonal of dia
}

// npzNumbers are the types of values that are read, npzInts those of indices.
var (
	npzNumbers = []string{"f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}
	npzInts    = []string{"i4", "i8", "i1", "i2", "u1", "u2", "u4", "u8"} // SciPy makes i4 and i8, and keeps what it is given
)

// NewNPZ reads a file of so many bytes. MaxDim and MaxEntries apply as in Matrix Market.
// Memory grows with the values in the file. An archive may hold MaxRatio times its own
// bytes, or 1 MiB if that is more. An error of the file is an *Error.
func NewNPZ(r io.ReaderAt, size int64, o Options) (*NPZ, error) {
	tied := o.MaxDim <= 0
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, &Error{Name: o.Name, Part: "archive", Reason: err.Error(), Err: err}
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &Error{Name: o.Name, Part: "archive", Reason: "it is not a zip file as numpy.savez writes it: " + err.Error(), Err: err}
	}
	a := npzArchive{zip: z, o: o, src: source{o: o, packed: &counter{n: size}}}
	m := &NPZ{o: o}
	if err := m.read(&a); err != nil {
		return nil, err
	}
	d := &m.header
	if tied && max(d.Rows, d.Cols) > mostDim(d.Entries) {
		return nil, &Error{Name: o.Name, Part: "shape.npy", Err: ErrLimit, Reason: fmt.Sprintf("%d x %d with %d entries; without Options.MaxDim sizes are at most %d, or %d times the entries",
			d.Rows, d.Cols, d.Entries, freeDim, dimPerEntry)}
	}
	return m, nil
}

// Header returns size and kind: of integers the field is Integer or Unsigned, of booleans
// Integer. Entries counts what Visit visits.
func (m *NPZ) Header() Header { return m.header }

// Boolean reports whether values are booleans, 1 and 0: several in one place are 1 to SciPy if one is.
func (m *NPZ) Boolean() bool { return m.parts.data.kind == "b1" }

// Format is SciPy's name of the format: csr, csc, coo, bsr or dia.
func (m *NPZ) Format() string { return m.format }

// Visit calls visit for each entry in the order of the file. The zeros of a block are
// entries, those of a diagonal are not, as in SciPy.
func (m *NPZ) Visit(visit func(i, j int, v float64) error) error {
	if m.header.Field == Complex {
		return m.fail(ErrComplex, "the matrix is complex and was to be read as real; want VisitComplex")
	}
	return m.VisitComplex(func(i, j int, v complex128) error { return visit(i, j, real(v)) })
}

// VisitComplex is Visit for a matrix of any field as a complex one.
func (m *NPZ) VisitComplex(visit func(i, j int, v complex128) error) error {
	if k := m.parts.data.inexact(); k >= 0 && !m.o.Lenient {
		return m.fail(nil, fmt.Sprintf("value %d is an integer that float64 cannot hold; VisitWhole reads it, Options.Lenient lets it be rounded", k))
	}
	return m.each(func(i, j, k int) error { return visit(i, j, m.parts.data.at(k)) })
}

// VisitWhole is Visit for a matrix of integers or booleans, with values as they are, also those that
// float64 does not hold. visit gets their sizes, and whether they are below 0.
func (m *NPZ) VisitWhole(visit func(i, j int, negative bool, size uint64) error) error {
	if reason := m.header.Field.noInteger(); reason != "" {
		return m.fail(nil, reason)
	}
	return m.each(func(i, j, k int) error {
		negative, size := m.parts.data.whole(k)
		return visit(i, j, negative, size)
	})
}

func (m *NPZ) fail(err error, reason string) error {
	return &Error{Name: m.o.Name, Part: "data.npy", Err: err, Reason: reason}
}

// each visits the place of each value.
func (m *NPZ) each(visit func(i, j, k int) error) error {
	p := &m.parts
	switch m.format {
	case "coo":
		for k := range p.row {
			if err := visit(p.row[k], p.col[k], k); err != nil {
				return err
			}
		}
	case "dia":
		return m.eachDiagonal(visit)
	default:
		for k := range len(p.ptr) - 1 {
			for q := p.ptr[k]; q < p.ptr[k+1]; q++ {
				if err := m.eachBlock(k, p.idx[q], q, visit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// eachBlock visits entry q of row or column k, or all of a block.
func (m *NPZ) eachBlock(k, x, q int, visit func(i, j, k int) error) error {
	p := &m.parts
	if m.format == "csc" {
		return visit(x, k, q)
	}
	r, c := p.block[0], p.block[1]
	for i := range r {
		for j := range c {
			if err := visit(k*r+i, x*c+j, (q*r+i)*c+j); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachDiagonal visits elements that are not zero. Element j of a diagonal stands in
// column j.
func (m *NPZ) eachDiagonal(visit func(i, j, k int) error) error {
	p := &m.parts
	for k, off := range p.offsets {
		for j := max(0, off); j < min(m.header.Cols, p.length) && j-off < m.header.Rows; j++ {
			if at := k*p.length + j; p.data.at(at) != 0 {
				if err := visit(j-off, j, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
