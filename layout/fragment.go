package layout

import "fmt"

// Fragment says which thread of a group holds which element of a Rows x Cols tile. TV
// has two modes, the thread and the value, and maps them to row + Rows*column. So the
// accumulator of mma.m16n8k16 is ((4,8),(2,2)):((32,1),(16,8)) on 16 x 8. Four threads
// are side by side, with two columns each. Eight groups of them are below one another,
// and values 2 and 3 are 8 rows further down.
type Fragment struct {
	Rows, Cols int
	TV         Layout
}

// Check returns nil if every element of the tile is held exactly once. It refuses
// tiles of more than 65536 elements.
func (f Fragment) Check() error {
	held, err := f.holders()
	if err != nil {
		return err
	}
	for at, h := range held {
		switch row, col := at%f.Rows, at/f.Rows; {
		case len(h) == 0:
			return refuse("Fragment", "no thread of %v holds element (%d, %d)", f, row, col)
		case len(h) > 1:
			return refuse("Fragment", "%v and %v of %v both hold element (%d, %d)", h[0], h[1], f, row, col)
		}
	}
	return nil
}

// Threads returns how many threads f has.
func (f Fragment) Threads() int { return f.TV.Mode(0).Size() }

// Values returns how many elements each thread holds, in the order of registers.
func (f Fragment) Values() int { return f.TV.Mode(1).Size() }

// At returns the element that is value number value of thread. It panics with a
// [ShapeError] if there is no such one, or if TV does not have two modes.
func (f Fragment) At(thread, value int) (row, col int) {
	at := f.TV.At(thread, value)
	return at % f.Rows, at / f.Rows
}

// Draw draws the tile: a cell shows the thread and its value, as in T5 V2, and a
// thread has one colour. An element that nobody holds is a dash, one held several
// times shows the first holder and the number of others: Check would refuse both.
func (f Fragment) Draw() (Grid, error) {
	held, err := f.holders()
	if err != nil {
		return Grid{}, err
	}
	g := Grid{Title: f.String(), Cells: cells(f.Rows, f.Cols)}
	for at, h := range held {
		c := &g.Cells[at%f.Rows][at/f.Rows]
		switch {
		case len(h) == 0:
			c.Text = "-"
		case len(h) == 1:
			c.Text, c.Hue = h[0].String(), h[0].thread
		default:
			c.Text, c.Hue = fmt.Sprintf("%v +%d", h[0], len(h)-1), h[0].thread
		}
	}
	return g, nil
}

// String returns the layout and the tile, as in (4,2):(1,4) on 4 x 2.
func (f Fragment) String() string { return fmt.Sprintf("%v on %d x %d", f.TV, f.Rows, f.Cols) }

type holder struct{ thread, value int }

func (h holder) String() string { return fmt.Sprintf("T%d V%d", h.thread, h.value) }

// holders returns, for each element of the tile, who holds it, by thread.
func (f Fragment) holders() ([][]holder, error) {
	switch {
	case f.Rows < 1 || f.Cols < 1 || f.Rows > maxCells/f.Cols:
		return nil, refuse("Fragment", "a tile of %d x %d, not of 1 to %d elements", f.Rows, f.Cols, maxCells)
	case f.TV.Rank() != 2:
		return nil, refuse("Fragment", "%v has %d modes, not a thread and a value", f.TV, f.TV.Rank())
	case f.TV.Size() > 64*maxCells:
		return nil, refuse("Fragment", "%v has more than %d values", f.TV, 64*maxCells)
	case f.TV.Cosize() > f.Rows*f.Cols:
		return nil, refuse("Fragment", "%v reaches element %d of %d x %d", f.TV, f.TV.Cosize()-1, f.Rows, f.Cols)
	}
	held := make([][]holder, f.Rows*f.Cols)
	for thread := range f.Threads() {
		for value := range f.Values() {
			at := f.TV.At(thread, value)
			held[at] = append(held[at], holder{thread, value})
		}
	}
	return held, nil
}
