package mtx

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"slices"
)

// An NPZ is a sparse matrix that scipy.sparse.save_npz wrote: a zip file with an array of
// NumPy for each part of a csr, csc, coo, bsr or dia matrix. NewNPZ has read and checked
// all of it; Visit and VisitComplex may be called any number of times.
type NPZ struct {
	o      Options
	header Header
	format string // csr, csc, coo, bsr or dia
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
	npzInts    = []string{"i4", "i8"}
)

// NewNPZ reads a file of so many bytes. MaxDim and MaxEntries apply as to Matrix Market;
// memory grows with the values that are there, and an archive may hold MaxRatio times its
// own bytes, or 1 MiB where that is more. An error of the file is an *Error.
func NewNPZ(r io.ReaderAt, size int64, o Options) (*NPZ, error) {
	tied := o.MaxDim <= 0
	o = o.withDefaults()
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &Error{Name: o.Name, Part: "archive", Reason: "it is no zip file as numpy.savez writes it: " + err.Error(), Err: err}
	}
	a := npzArchive{zip: z, o: o, src: source{o: o, packed: &counter{n: size}}}
	m := &NPZ{o: o}
	if err := m.read(&a); err != nil {
		return nil, err
	}
	d := &m.header
	if dim, most := max(d.Rows, d.Cols), max(freeDim, dimPerEntry*min(d.Entries, maxDim/dimPerEntry)); tied && dim > most {
		return nil, &Error{Name: o.Name, Part: "shape.npy", Err: ErrLimit, Reason: fmt.Sprintf("%d x %d with %d entries; without Options.MaxDim sizes are at most %d, or %d times the entries",
			d.Rows, d.Cols, d.Entries, freeDim, dimPerEntry)}
	}
	return m, nil
}

// Header returns size and kind: of integers the field is Integer or Unsigned, of booleans
// Integer. Entries counts what Visit visits.
func (m *NPZ) Header() Header { return m.header }

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
// float64 does not hold: their sizes, and whether they are below 0.
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

// eachDiagonal visits what is not zero: element j of a diagonal stands in column j.
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

// read reads the arrays of the format.
func (m *NPZ) read(a *npzArchive) error {
	format, err := a.text("format")
	if err != nil {
		return err
	}
	m.format = format
	shape, err := a.ints("shape", 0, math.MaxInt)
	if err != nil {
		return err
	}
	if len(shape) != 2 {
		return a.fail("shape", fmt.Sprintf("it has %d sizes; want a matrix of two", len(shape)))
	}
	d, p := &m.header, &m.parts
	if d.Rows, d.Cols = shape[0], shape[1]; max(d.Rows, d.Cols) > a.o.MaxDim {
		return a.limit("shape", fmt.Sprintf("%d x %d is more than Options.MaxDim, %d", d.Rows, d.Cols, a.o.MaxDim))
	}
	dims := map[string][2]int{"csr": {1, 1}, "csc": {1, 1}, "coo": {1, 1}, "bsr": {3, 3}, "dia": {2, 2}}[format]
	if dims[0] == 0 {
		return a.fail("format", quote([]byte(format))+" is no format that is read; want csr, csc, coo, bsr or dia")
	}
	if p.data, err = a.values("data", dims[0], dims[1]); err != nil {
		return err
	}
	d.Field = p.data.field()
	p.block = [2]int{1, 1}
	switch format {
	case "coo":
		err = m.readCOO(a)
	case "dia":
		err = m.readDIA(a)
	case "bsr":
		err = m.readBSR(a)
	case "csc":
		err = m.readRows(a, d.Cols, d.Rows, p.data.n)
	default:
		err = m.readRows(a, d.Rows, d.Cols, p.data.n)
	}
	if err == nil && d.Entries > a.o.MaxEntries {
		return a.limit("data", fmt.Sprintf("%d entries are more than Options.MaxEntries, %d", d.Entries, a.o.MaxEntries))
	}
	return err
}

// readRows reads pointers of rows and the columns of n entries, or the other way round.
func (m *NPZ) readRows(a *npzArchive, rows, cols, n int) (err error) {
	p := &m.parts
	m.header.Entries = n * p.block[0] * p.block[1]
	if p.ptr, err = a.ints("indptr", 0, n); err != nil {
		return err
	}
	if len(p.ptr) != rows+1 || p.ptr[0] != 0 || p.ptr[rows] != n || !slices.IsSorted(p.ptr) {
		return a.fail("indptr", fmt.Sprintf("it must be %d numbers from 0 up to %d that never fall", rows+1, n))
	}
	if p.idx, err = a.ints("indices", 0, cols-1); err == nil && len(p.idx) != n {
		err = a.fail("indices", fmt.Sprintf("it has %d numbers for %d entries", len(p.idx), n))
	}
	return err
}

func (m *NPZ) readBSR(a *npzArchive) error {
	p, d := &m.parts, &m.header
	s := p.data.shape
	if p.block = [2]int{s[1], s[2]}; s[1] < 1 || s[2] < 1 || d.Rows%s[1] != 0 || d.Cols%s[2] != 0 {
		return a.fail("data", fmt.Sprintf("blocks of %d x %d do not cut a matrix of %d x %d", s[1], s[2], d.Rows, d.Cols))
	}
	return m.readRows(a, d.Rows/s[1], d.Cols/s[2], s[0])
}

func (m *NPZ) readCOO(a *npzArchive) (err error) {
	p, d := &m.parts, &m.header
	if p.row, err = a.ints("row", 0, d.Rows-1); err != nil {
		return err
	}
	if p.col, err = a.ints("col", 0, d.Cols-1); err != nil {
		return err
	}
	if d.Entries = p.data.n; len(p.row) != d.Entries || len(p.col) != d.Entries {
		return a.fail("row", fmt.Sprintf("%d rows and %d columns for %d values", len(p.row), len(p.col), d.Entries))
	}
	return nil
}

func (m *NPZ) readDIA(a *npzArchive) (err error) {
	p := &m.parts
	if p.offsets, err = a.ints("offsets", -a.o.MaxDim, a.o.MaxDim); err != nil {
		return err
	}
	if p.length = p.data.shape[1]; p.data.shape[0] != len(p.offsets) {
		return a.fail("offsets", fmt.Sprintf("%d offsets for %d diagonals", len(p.offsets), p.data.shape[0]))
	}
	sorted := slices.Sorted(slices.Values(p.offsets))
	if len(slices.Compact(sorted)) < len(p.offsets) {
		return a.fail("offsets", "a diagonal is there twice; want each once")
	}
	return m.eachDiagonal(func(int, int, int) error { m.header.Entries++; return nil })
}
