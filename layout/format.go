package layout

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A printed matrix has all of up to mostShown rows and columns, and of more the first and
// the last edge of them.
const (
	mostShown = 10
	edge      = 4
)

// String returns m as %v prints it.
func (m Matrix[T]) String() string { return fmt.Sprintf("%v", m) }

// Format prints m for package fmt: a row a line, columns below one another. Verb, width,
// precision and flags are those of an element, a number of any element type: %.3g, %8.2f,
// %+d, %x. With %v and %s it is printed as %v prints a number.
//
//	[1.00  2.00]
//	[3.00  4.00]
//
// If there are more than ten rows or columns, Format prints the first and the last four,
// after the shape and the element type. It prints shape and type also for a matrix without
// elements. %+v always prints them, and the strides. %#v is Go syntax, with all of Data. If
// a matrix does not pass [Matrix.Check], Format prints what is wrong with it.
func (m Matrix[T]) Format(s fmt.State, verb rune) {
	format(s, verb, m.view(), m, m.Data, dtype.Name[T], func(i, j int) any { return number(m.At(i, j)) })
}

// format is Format, compiled once: matrix and data are those of a Matrix, and at returns
// an element as a number that package fmt knows.
func format(s fmt.State, verb rune, m View, matrix, data any, elem func() string, at func(i, j int) any) {
	if verb == 'v' && s.Flag('#') {
		fmt.Fprintf(s, "%T{Data:%#v, Rows:%d, Cols:%d, RowStride:%d, ColStride:%d}", matrix, data, m.Rows, m.Cols, m.RowStride, m.ColStride)
		return
	}
	if err, wrong := m.Check("m").(ShapeError); wrong {
		fmt.Fprintf(s, "%%!%c(%d x %d of %v: %s)", verb, m.Rows, m.Cols, elem(), err.Why)
		return
	}
	rows, cols := shown(m.Rows), shown(m.Cols)
	all := len(rows) == m.Rows && len(cols) == m.Cols && m.Rows > 0 && m.Cols > 0
	full := verb == 'v' && s.Flag('+')
	if !all || full {
		fmt.Fprintf(s, "%d x %d of %v", m.Rows, m.Cols, elem())
	}
	if full {
		fmt.Fprintf(s, ", strides (%d, %d)", m.RowStride, m.ColStride)
	}
	if !all || full {
		fmt.Fprint(s, "\n")
	}
	if m.Rows == 0 || m.Cols == 0 {
		fmt.Fprint(s, "[]")
		return
	}
	fmt.Fprint(s, table(texts(elementFormat(s, verb), rows, cols, at), s.Flag('-')))
}

// shown returns which of n rows or columns are printed; -1 stands for those that are left
// out.
func shown(n int) []int {
	var list []int
	for i := 0; i < n; i++ {
		if n > mostShown && i == edge {
			list = append(list, -1)
			i = n - edge
		}
		list = append(list, i)
	}
	return list
}

// elementFormat is the format of an element: that of the matrix, but for what means
// something else there.
func elementFormat(s fmt.State, verb rune) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, flag := range "+-# 0" {
		if s.Flag(int(flag)) && !(verb == 'v' && flag == '+') {
			b.WriteRune(flag)
		}
	}
	if w, ok := s.Width(); ok {
		fmt.Fprint(&b, w)
	}
	if p, ok := s.Precision(); ok {
		fmt.Fprint(&b, ".", p)
	}
	if verb == 's' {
		verb = 'v'
	}
	b.WriteRune(verb)
	return b.String()
}

const elided = "..."

// texts prints elements; a row that is left out is nil.
func texts(format string, rows, cols []int, at func(i, j int) any) [][]string {
	var all [][]string
	for _, i := range rows {
		var row []string
		for _, j := range cols {
			switch {
			case i < 0:
			case j < 0:
				row = append(row, elided)
			default:
				row = append(row, fmt.Sprintf(format, at(i, j)))
			}
		}
		all = append(all, row)
	}
	return all
}

// number returns x as a number that package fmt knows.
func number(x any) any {
	if narrow, ok := x.(interface{ Float32() float32 }); ok {
		return narrow.Float32()
	}
	return x
}

// table puts cells below one another, to the left or to the right of their columns.
func table(cells [][]string, left bool) string {
	var widths []int
	for _, row := range cells {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, row := range cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		if row == nil {
			b.WriteString(elided)
			continue
		}
		for j, cell := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if left {
				cell += pad
			} else {
				cell = pad + cell
			}
			b.WriteString([2]string{"[", "  "}[min(j, 1)] + cell)
		}
		b.WriteByte(']')
	}
	return b.String()
}
