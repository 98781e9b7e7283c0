package equation

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestHandedOut: what packs a factor, or goes over columns, gets no address in a block, for which there may be no room: the garbage
// collector stops at addresses that are in no memory.
func TestHandedOut(t *testing.T) {
	packed, columns := 0, 0
	multiply := func(f *Factors) {
		if f.Packs() {
			packed++
			if f.out.P != nil || f.a.P != nil {
				t.Errorf("what packs b has addresses of the others")
			}
		}
	}
	stage := &Stage{Columns: true, Go: func(a *kernel.EpiArgs) {
		columns++
		if a.Slots[0].P != nil || a.Slots[1].P == nil {
			t.Errorf("a stage of columns has address %v in a block, and %v of a column", a.Slots[0].P, a.Slots[1].P)
		}
	}}
	q := &Chain{
		Name: "Chain", Params: 3, Outs: 1, // without one there is nothing to do
		Values: []Value{{Bytes: 4}, {Bytes: 4}, {Bytes: 4}, {Bytes: 4}, {Bytes: 4, Per: PerColumn}},
		Steps:  []Step{{Stage: stage, Slots: []int{3, 4}}, {Multiply: multiply, Out: 3, A: 1, B: 2}},
	}
	for _, m := range []int{1, 1000} {
		e := epilogue.New("Chain", m, 30)
		epilogue.Out(&e, "out", layout.New[float32](m, 30))
		epilogue.Full(&e, "a", layout.New[float32](m, 30))
		epilogue.Shape(&e, 30, 30)
		epilogue.Full(&e, "b", layout.New[float32](30, 30))
		q.Run(run.Options{Threads: 1}, &e, Stream{}, m, 30)
	}
	if packed != 0 || columns != 2 {
		t.Errorf("packed %d times of one block, %d stages of columns", packed, columns)
	}
	e := epilogue.New("Chain", 100_000, 30)
	epilogue.Out(&e, "out", layout.New[float32](100_000, 30))
	epilogue.Full(&e, "a", layout.New[float32](100_000, 30))
	epilogue.Shape(&e, 30, 30)
	epilogue.Full(&e, "b", layout.New[float32](30, 30))
	q.Run(run.Options{Threads: 1}, &e, Stream{}, 100_000, 30)
	if packed != 1 {
		t.Errorf("packed %d times for many blocks", packed)
	}
}

// TestPlaces: values that steps make lie apart from each other, each in room for all its rows or those of a block.
func TestPlaces(t *testing.T) {
	values := []Value{
		{Bytes: 4, Per: PerElement}, // a parameter
		{Bytes: 4, Per: PerElement}, {Bytes: 2, Per: PerElement, Space: 1}, {Bytes: 8, Per: PerRow},
		{Bytes: 4, Per: PerElement, Space: 1, Whole: true}, {Bytes: 4, Per: PerRow, Whole: true},
		{Bytes: 8, Per: PerColumn, Space: 1}, {Bytes: 4, Per: PerCall}, {Bytes: 4, Per: PerColumn},
	}
	var x float32
	for _, size := range [][3]int{{0, 1, 1}, {1, 1, 1}, {143, 7, 30}, {1000, 64, 3}, {50_000, 100, 9}, {300, 5000, 3000}} {
		c := &chainCall{chain: &Chain{Values: values, Params: 1, Steps: []Step{{Stage: &Stage{Reduces: []Reduction{{}}}}}}, m: size[0], cols: size[1:]}
		c.e.Slots[0] = kernel.Slot{P: unsafe.Pointer(&x), Rs: 4, Cs: 4}
		c.divide()
		c.place()
		if c.rows*c.blocks < c.m || c.blocks > 0 && c.rows*(c.blocks-1) >= c.m || c.chunk*c.chunks < c.blocks || c.chunks > mostParts {
			t.Errorf("%v: %d blocks of %d rows in %d chunks of %d", size, c.blocks, c.rows, c.chunks, c.chunk)
		}
		var own, kept [][2]int
		for i := 1; i < len(values); i++ {
			v, s := &values[i], c.slots[i]
			rows, n, from := c.rows, 1, c.within[i]
			if v.Per == PerElement || v.Per == PerColumn {
				n = c.cols[v.Space]
			}
			if v.Whole {
				rows = c.m
			}
			if !v.byRows() {
				rows = 1
			}
			end := from
			if rows > 0 && n > 0 {
				end += (rows-1)*int(s.Rs) + (n-1)*int(s.Cs) + v.Bytes
			}
			if rows > 1 && int(s.Rs) < (n-1)*int(s.Cs)+v.Bytes && n > 0 {
				t.Errorf("%v: rows of value %d overlap", size, i)
			}
			if c.own(i) {
				own = append(own, [2]int{from, end})
				if end > c.room {
					t.Errorf("%v: value %d ends at byte %d of %d", size, i, end, c.room)
				}
				continue
			}
			if s.P != unsafe.Add(c.kept.P, from) {
				t.Errorf("%v: value %d is not where it is kept", size, i)
			}
			c.kept.Holds(end)
			kept = append(kept, [2]int{from, end})
		}
		for _, list := range [][][2]int{own, kept} {
			slices.SortFunc(list, func(x, y [2]int) int { return x[0] - y[0] })
			for i := 1; i < len(list); i++ {
				if list[i][0] < list[i-1][1] {
					t.Errorf("%v: bytes %v and %v of different values", size, list[i-1], list[i])
				}
			}
		}
	}
}
