package mesh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/layout"
)

// Bounds of a drawing. A dimension of at most mostIndices is drawn index by index, a
// longer one block by block. A cell names at most mostShown ranks.
const (
	mostIndices = 16
	mostCells   = 1 << 16
	mostShown   = 3
)

// Draw draws which ranks hold which part of the array: the last dimension runs to the
// right, the others down. A cell is an index if the dimension has at most 16, otherwise a
// block. It shows the ranks that hold it, in the colour of the first. Neighbours are
// written 0-3; more than three others are written 0,4,8+5. Draw refuses more than 65536
// cells.
func (s Sharding) Draw() (layout.Grid, error) {
	marks := make([][]int, len(s.dims)) // the part that each row or column of cells is
	rows, cols := 1, 1
	for i, d := range s.dims {
		if d.blocks() > mostCells && d.size > mostIndices {
			rows = mostCells + 1
			break
		}
		marks[i] = d.marks()
		if n := len(marks[i]); i+1 < len(s.dims) {
			rows = min(rows*n, mostCells+1)
		} else {
			cols = n
		}
	}
	if rows > mostCells/max(cols, 1) {
		return layout.Grid{}, refuse("Draw", "%v has more than %d blocks", s, mostCells)
	}
	x := newExchange(s, s)
	repeats := filter(seq(len(s.mesh.axes)), func(a int) bool { return !s.cuts()[a] })
	zero := make([]int, len(s.mesh.axes))
	cells := make([][]layout.Cell, rows)
	part := make([]int, len(s.dims))
	for r := range cells {
		cells[r] = make([]layout.Cell, cols)
		for c := range cells[r] {
			left := r*cols + c
			for i := len(marks) - 1; i >= 0; i-- {
				part[i] = marks[i][left%len(marks[i])]
				left /= len(marks[i])
			}
			ranks := slices.Sorted(x.holders(s, repeats, part, zero))
			cells[r][c] = layout.Cell{Text: shown(ranks), Hue: ranks[0]}
		}
	}
	return layout.Grid{Title: s.String(), Cells: cells}, nil
}

// blocks returns how many blocks with elements a dimension has, at most.
func (d dim) blocks() int {
	if d.block == 0 {
		return d.parts
	}
	return (d.size-1)/d.block + 1
}

// marks returns the parts of the indices of a short dimension, of the blocks of a long one.
func (d dim) marks() []int {
	var list []int
	for i := 0; i < d.size; {
		part, _, run := d.owner(i)
		list = append(list, part)
		if d.size <= mostIndices {
			run = 1
		}
		i += run
	}
	return list
}

// shown returns the text of a list of ranks.
func shown(ranks []int) string {
	last := len(ranks) - 1
	if last > 1 && ranks[last]-ranks[0] == last {
		return fmt.Sprintf("%d-%d", ranks[0], ranks[last])
	}
	var text []string
	for _, r := range ranks[:min(len(ranks), mostShown)] {
		text = append(text, strconv.Itoa(r))
	}
	out := strings.Join(text, ",")
	if more := len(ranks) - mostShown; more > 0 {
		out += fmt.Sprintf("+%d", more)
	}
	return out
}

// Draw draws the sharding at the start and after each step. It adds the step, the largest
// tile after it, and the most elements that a rank sends. It refuses what [Sharding.Draw]
// refuses.
func (p *Plan) Draw() ([]layout.Grid, error) {
	first, err := p.From.Draw()
	if err != nil {
		return nil, err
	}
	first.Title = fmt.Sprintf("from\n%v\ntile %d", p.From, p.From.Tile())
	grids := []layout.Grid{first}
	for i, s := range p.Steps {
		g, err := s.After.Draw()
		if err != nil {
			return nil, err
		}
		g.Title = fmt.Sprintf("%d. %v\n%v\ntile %d, sent %d", i+1, s, s.After, s.Tile, s.Sent.MaxElements)
		grids = append(grids, g)
	}
	return grids, nil
}

// SVG returns the pictures of Draw in a row, as one that stands alone, with colours for a
// light and a dark background.
func (p *Plan) SVG() (string, error) {
	grids, err := p.Draw()
	if err != nil {
		return "", err
	}
	return layout.SVGRow(p.title(), grids...), nil
}

func (p *Plan) title() string {
	return fmt.Sprintf("%v to %v on %v: peak %d, at most %d elements in %d messages sent by a rank",
		p.From, p.To, p.From.mesh, p.Peak, p.Sent.MaxElements, p.Sent.MaxMessages)
}

// String returns the plan as text, a line for each step.
func (p *Plan) String() string {
	var b strings.Builder
	b.WriteString(p.title() + "\n")
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "%3d. %-36v %-32v tile %d, sent %d in %d\n", i+1, s, s.After, s.Tile, s.Sent.MaxElements, s.Sent.MaxMessages)
	}
	return b.String()
}
