package layout

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxCells bounds a drawing: an accumulator of 64 x 256 fits four times.
const maxCells = 1 << 16

// Grid is a drawing: rows of cells under a title, as text by String, as a picture
// by SVG.
type Grid struct {
	Title string
	Cells [][]Cell // rows of equal length
}

// Cell is a part of a Grid. Cells of the same Hue, modulo 8, have the same colour.
type Cell struct {
	Text string
	Hue  int
}

// Draw draws a layout, swizzled or not, of rank 1 or 2: mode 0 runs down, mode 1 to
// the right, and a cell holds the offset. A layout of rank 1 is one row. It refuses
// other ranks and more than 65536 cells.
func Draw(m Map) (Grid, error) {
	shape := m.Shape()
	size, ok := shape.size()
	switch {
	case shape.Rank() < 1 || shape.Rank() > 2:
		return Grid{}, refuse("Draw", "%v has %d modes: group them into two, down and right", m, shape.Rank())
	case !ok || size > maxCells:
		return Grid{}, refuse("Draw", "%v has more than %d cells", m, maxCells)
	}
	rows := 1
	if shape.Rank() == 2 {
		rows, _ = shape.modes[0].size()
	}
	g := Grid{Title: m.String(), Cells: cells(rows, size/rows)}
	for i := range size {
		at := m.At(i)
		g.Cells[i%rows][i/rows] = Cell{strconv.Itoa(at), at}
	}
	return g, nil
}

func cells(rows, cols int) [][]Cell {
	c := make([][]Cell, rows)
	for i := range c {
		c[i] = make([]Cell, cols)
	}
	return c
}

// String returns the grid as text: the title, the numbers of the columns, and the
// rows with theirs.
func (g Grid) String() string {
	width := 0
	for _, row := range g.Cells {
		width = max(width, len(strconv.Itoa(len(row)-1)))
		for _, c := range row {
			width = max(width, utf8.RuneCountInString(c.Text))
		}
	}
	side := len(strconv.Itoa(len(g.Cells) - 1))
	var b strings.Builder
	b.WriteString(g.Title + "\n")
	for i, row := range g.Cells {
		if i == 0 {
			fmt.Fprintf(&b, "%*s  ", side, "")
			for j := range row {
				fmt.Fprintf(&b, " %*d", width, j)
			}
			fmt.Fprintf(&b, "\n%*s +%s\n", side, "", strings.Repeat("-", (width+1)*len(row)))
		}
		fmt.Fprintf(&b, "%*d |", side, i)
		for _, c := range row {
			fmt.Fprintf(&b, " %*s", width, c.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
