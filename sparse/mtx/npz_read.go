package mtx

import (
	"fmt"
	"math"
	"slices"
)

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
	if len(shape) == 1 {
		shape = []int{1, shape[0]}
		m.vector = true
	}
	if len(shape) != 2 {
		return a.fail("shape", fmt.Sprintf("it has %d sizes; want a matrix of two, or a vector of one", len(shape)))
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
	if p.ptr, err = a.ints("indptr", 0, n); err != nil {
		return err
	}
	if len(p.ptr) != rows+1 || p.ptr[0] != 0 || !slices.IsSorted(p.ptr) {
		return a.fail("indptr", fmt.Sprintf("it must be %d numbers from 0 up to %d that never fall", rows+1, n))
	}
	used := p.ptr[rows] // which may be less than there are: SciPy leaves out the others, too
	m.header.Entries = used * p.block[0] * p.block[1]
	v, err := a.array("indices", npyWants{npzInts, 1, 1})
	if err != nil {
		return err
	}
	if v.n < used {
		return a.fail("indices", fmt.Sprintf("it has %d numbers for %d entries", v.n, used))
	}
	p.idx, err = a.list("indices", v, 0, used, 0, cols-1)
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
	if m.vector || len(a.files("coords")) > 0 { // which SciPy takes first, too
		err = m.readCoords(a)
	} else if p.row, err = a.ints("row", 0, d.Rows-1); err == nil {
		p.col, err = a.ints("col", 0, d.Cols-1)
	}
	if err != nil {
		return err
	}
	if d.Entries = p.data.n; len(p.row) != d.Entries || len(p.col) != d.Entries {
		return a.fail("row", fmt.Sprintf("%d rows and %d columns for %d values", len(p.row), len(p.col), d.Entries))
	}
	return nil
}

// readCoords reads what SciPy writes for any number of dimensions: an array of a row for each.
func (m *NPZ) readCoords(a *npzArchive) error {
	p, d := &m.parts, &m.header
	v, err := a.array("coords", npyWants{npzInts, 2, 2})
	if err != nil {
		return err
	}
	n := v.shape[1]
	switch {
	case m.vector && v.shape[0] == 1:
		p.row = make([]int, n)
		p.col, err = a.list("coords", v, 0, n, 0, d.Cols-1)
		return err
	case m.vector || v.shape[0] != 2:
		return a.fail("coords", fmt.Sprintf("it has %d rows; want one for each size", v.shape[0]))
	}
	if p.row, err = a.list("coords", v, 0, n, 0, d.Rows-1); err != nil {
		return err
	}
	p.col, err = a.list("coords", v, n, 2*n, 0, d.Cols-1)
	return err
}

func (m *NPZ) readDIA(a *npzArchive) (err error) {
	p := &m.parts
	if p.offsets, err = a.ints("offsets", math.MinInt/2, math.MaxInt/2); err != nil {
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
