package layout

import "github.com/tilesmith/tilesmith/layout/dtype"

// VNNI returns the layout of a rows x cols matrix for instructions that multiply depth
// neighbours along k at once and add them to one sum. These neighbours are side by side and
// fill a lane of a vector. The matrix is [rows/depth][cols][depth], with rows rounded up.
//
//	VNNI(2, 4, 3)  =  ((2,2),3):((1,6),2)      k\n  0  1  2
//	                                            0   0  2  4
//	                                            1   1  3  5
//	                                            2   6  8 10
//	                                            3   7  9 11
//
// A depth of 2 is for bfloat16 and int16, 4 for bytes, and 1 is the row-major matrix. A
// panel of a packed operand is such a layout, with as many columns as fill its vectors. Those for
// SMMLA and BFMMLA of arm64 are not: they have two groups of a column side by side.
// VNNI refuses what [Make] refuses.
func VNNI(depth, rows, cols int) (Layout, error) {
	if depth < 1 || rows < 1 || cols < 1 {
		return Layout{}, refuse("VNNI", "depth %d of %d x %d; want all of them at least 1", depth, rows, cols)
	}
	group, err := Make(Ints(depth, 1), Ints(1, 1))
	if err != nil {
		return Layout{}, within("VNNI", err)
	}
	groups, err := Rows(Ints((rows-1)/depth+1, cols))
	if err != nil {
		return Layout{}, within("VNNI", err)
	}
	l, err := BlockedProduct(group, groups)
	if err != nil {
		return Layout{}, within("VNNI", err)
	}
	return l, nil
}

// arrangeMost is how many elements Arrange returns whatever the matrix has.
const arrangeMost = 1 << 16

// Arrange returns the elements of m in the order of l. Element (i, j) of m is at l.At(i, j).
// Coordinates of l that m lacks, and gaps, are zero. Arrange refuses an l that does not have
// two modes, is smaller than m, or puts two elements in one place. It also refuses an l that
// takes more than 8 times the space of m. It also refuses an m that fails its check.
func Arrange[T dtype.Elem](l Layout, m Matrix[T]) ([]T, error) {
	if err := faces("Arrange", l, &m); err != nil {
		return nil, err
	}
	if n := l.Cosize(); n > arrangeMost && n/8 > m.Rows*m.Cols {
		return nil, refuse("Arrange", "%v takes %d elements for the %d of m, more than 8 times as many", l, n, m.Rows*m.Cols)
	}
	data, taken := make([]T, l.Cosize()), make([]bool, l.Cosize())
	if m.Cols == 0 { // of which there may be any number of rows
		return data, nil
	}
	for i := range m.Rows {
		for j := range m.Cols {
			at := l.At(i, j)
			if taken[at] {
				return nil, refuse("Arrange", "%v puts element (%d, %d) where another one is, at %d", l, i, j, at)
			}
			data[at], taken[at] = m.At(i, j), true
		}
	}
	return data, nil
}

// Restore is the inverse of [Arrange]: it sets element (i, j) of m to data[l.At(i, j)].
// It refuses an l that does not face m, as Arrange does, or goes beyond data.
func Restore[T dtype.Elem](m Matrix[T], l Layout, data []T) error {
	if err := faces("Restore", l, &m); err != nil {
		return err
	}
	if n := l.Cosize(); n > len(data) {
		return refuse("Restore", "%v needs %d elements, not %d", l, n, len(data))
	}
	if m.Cols == 0 { // of which there may be any number of rows
		return nil
	}
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(i, j, data[l.At(i, j)])
		}
	}
	return nil
}

// faces refuses a layout that has no coordinate for some element of m.
func faces[T dtype.Elem](op string, l Layout, m *Matrix[T]) error {
	if err := m.Check("m"); err != nil {
		return within(op, err)
	}
	if l.Rank() != 2 || l.Mode(0).Size() < m.Rows || l.Mode(1).Size() < m.Cols {
		return refuse(op, "%v is not of two modes, for at least %d rows and %d columns", l, m.Rows, m.Cols)
	}
	return nil
}
