package cpu

import (
	"iter"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// shuffledBlocks is DBSR of somebody else's: its block rows are what order makes of
// those that DBSR has, each with the block columns and the slots of its blocks.
//
//	DBSR      0: a b   2: c d
//	reversed  2: c d   0: a b
//	cut       0: a   0: b   2: c   2: d
//	columns   0: a   2: c   0: b   2: d
func shuffledBlocks(name string, b int, order func(rows []blockRow) []blockRow) format.Format {
	base := format.DBSR(b)
	build := func(m, n int, in []sparse.Entry) (format.Arrays, error) {
		a, err := base.Build(m, n, in)
		if err != nil {
			return a, err
		}
		io, jo := a.Levels[0].Indices, a.Levels[1]
		var rows []blockRow
		for r := range io {
			row := blockRow{io: io[r]}
			for k := jo.Pointers[r]; k < jo.Pointers[r+1]; k++ {
				row.blocks, row.jo = append(row.blocks, int(k)), append(row.jo, jo.Indices[k])
			}
			rows = append(rows, row)
		}
		var x format.Level // of the block rows
		y := format.Level{Pointers: []int32{0}}
		mask := make([]uint64, len(a.Mask))
		for _, row := range order(rows) {
			x.Indices = append(x.Indices, row.io)
			for q, block := range row.blocks {
				to := len(y.Indices) * b * b
				for k := range b * b {
					if from := block*b*b + k; a.Mask != nil && a.Mask[from/64]>>(from%64)&1 == 1 {
						mask[(to+k)/64] |= 1 << ((to + k) % 64)
					}
				}
				y.Indices = append(y.Indices, row.jo[q])
			}
			y.Pointers = append(y.Pointers, int32(len(y.Indices)))
		}
		x.Pointers = []int32{0, int32(len(x.Indices))}
		a.Levels[0], a.Levels[1] = x, y
		if a.Mask != nil {
			a.Mask = mask
		}
		return a, nil
	}
	return format.Format{Name: name, Axes: base.Axes, Build: build, Walk: base.Walk}
}

type blockRow struct {
	io     int32
	blocks []int // where DBSR has them
	jo     []int32
}

func reversedBlocks(rows []blockRow) []blockRow { slices.Reverse(rows); return rows }

// cutBlocks makes every block a block row of its own.
func cutBlocks(rows []blockRow) (cut []blockRow) {
	for _, r := range rows {
		for q := range r.blocks {
			cut = append(cut, blockRow{r.io, r.blocks[q : q+1], r.jo[q : q+1]})
		}
	}
	return cut
}

func columnBlocks(rows []blockRow) []blockRow {
	cut := cutBlocks(rows)
	slices.SortStableFunc(cut, func(a, b blockRow) int { return int(a.jo[0] - b.jo[0]) })
	return cut
}

// Kernels of blocks store what they sum, so block rows that come back must not reach
// them: a format that has the axes of DBSR and other block rows multiplies like it.
func TestSpMMShuffledBlocks(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		for _, b := range []int{1, 4} {
			for name, order := range map[string]func([]blockRow) []blockRow{"reversed": reversedBlocks, "cut": cutBlocks, "columns": columnBlocks} {
				if level.Of(b == 1 || name == "columns", b == 1 && name == "cut", false) {
					continue // with blocks of the other size
				}
				f := shuffledBlocks(name, b, order)
				t.Run("order="+name+"/f32", func(t *testing.T) { testBlocks(t, isa, f, SpMMOpt[float32, format.Packed[float32]]) })
				t.Run("order="+name+"/f64", func(t *testing.T) { testBlocks(t, isa, f, SpMMOpt[float64, format.Packed[float64]]) })
			}
		}
	})
}

// TestSpMMBlocksOrder: who asks for the kernels of blocks by name is refused, before
// an element of out changes.
func TestSpMMBlocksOrder(t *testing.T) {
	var i, j []int
	for r := range 8 {
		for c := range 8 {
			i, j = append(i, r), append(j, c)
		}
	}
	a, err := sparse.FromCOO(8, 8, i, j, make([]float64, len(i)))
	if err != nil {
		t.Fatal(err)
	}
	eachISA(t, func(t *testing.T, isa string) {
		for _, c := range []struct {
			name, why string
			order     func([]blockRow) []blockRow
		}{
			{"reversed", "block row 2 after 3", reversedBlocks},
			{"cut", "block row 0 after 0", cutBlocks},
			{"columns", "block row 0 after 3", columnBlocks},
		} {
			p, err := format.Pack(a, shuffledBlocks(c.name, 2, c.order))
			if err != nil {
				t.Fatal(err)
			}
			out, b := layout.New[float64](8, 3), layout.New[float64](8, 3)
			out.Data[0] = 7
			why := "a has the format " + c.name + " with " + c.why + "; want each once and ascending, as dbsr stores them, or SpMM"
			refuses(t, "cpu.SpMMBlocks", why, func() { SpMMBlocks(Options{ISA: isa}, out, p, b) })
			if out.Data[0] != 7 {
				t.Error("out was written")
			}
		}
		same, err := format.Pack(a, shuffledBlocks("same", 2, func(rows []blockRow) []blockRow { return rows }))
		if err != nil {
			t.Fatal(err)
		}
		SpMMBlocks(Options{ISA: isa}, layout.New[float64](8, 3), same, layout.New[float64](8, 3))
	})
}

// TestEmptyBlocks: blocks without an entry, of no slots even, add nothing.
func TestEmptyBlocks(t *testing.T) {
	f := format.Format{Name: "hollow",
		Axes: []format.Axis{{Name: "io"}, {Name: "jo", Variable: true, Sparse: true}, {Name: "ii"}, {Name: "ji"}},
		Build: func(m, n int, in []sparse.Entry) (format.Arrays, error) {
			return format.Arrays{Levels: []format.Level{{Size: 2}, {Pointers: []int32{0, 1, 1}, Indices: []int32{1}}, {}, {}}}, nil
		},
		Walk: func(int, format.Arrays) iter.Seq[sparse.Entry] { return func(func(sparse.Entry) bool) {} }}
	a, err := sparse.FromCOO[float32, int](2, 3, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := format.Pack(a, f)
	if err != nil {
		t.Fatal(err)
	}
	out, b := layout.New[float32](2, 5), layout.New[float32](3, 5)
	out.Data[3] = 2
	SpMMOpt(Options{Scaling: Scale(1, 2)}, out, p, b)
	if out.Data[3] != 4 {
		t.Errorf("2 times 2 is %v", out.Data[3])
	}
}
