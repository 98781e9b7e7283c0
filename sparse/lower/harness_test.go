package lower

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The matrix that kernels are interpreted on: rows of every length up to 9 and
// beyond a round of every loop, with empty ones first, last and between, columns out
// of order and twice. Column 0 has no entry, so row 0 of B is poison.
var testRows = [][]int32{{}, {3}, {2, 1}, {}, {5, 4, 2}, {3, 1, 2, 1, 5}, {6, 5, 4, 3, 2, 1, 6, 5, 4}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 2}, {}}

const testCols = 7

// testMatrix returns testRows in compressed rows. Entries of kernels begin at base.
func testMatrix() (pointers, indices []int32, values []float64) {
	pointers = []int32{0}
	for _, row := range testRows {
		for _, j := range row {
			indices = append(indices, j)
			values = append(values, float64(len(values)%5-2)+.5)
		}
		pointers = append(pointers, int32(len(indices)))
	}
	return pointers, indices, values
}

// dense is element (j, c) of B: small, different, NaN where nothing may look.
func dense(j, c int) float64 {
	if j == 0 {
		return math.NaN()
	}
	return float64((j*7+c*3)%11 - 5)
}

// shortOmits reports whether a short run omits the case with this number: every second.
func shortOmits(at int) bool { return level.Of(at%2 > 0, false, false) }

func memory(name string, e emit.Elem, values []float64) *emit.Memory {
	m := &emit.Memory{Name: name, Data: make([]byte, len(values)*e.Bytes()), ReadOnly: true}
	for i, v := range values {
		for b := range e.Bytes() {
			m.Data[i*e.Bytes()+b] = byte(e.Encode(v) >> (8 * b))
		}
	}
	return m
}

func decode(m *emit.Memory, e emit.Elem, i int) float64 {
	var bits uint64
	for b := range e.Bytes() {
		bits |= uint64(m.Data[i*e.Bytes()+b]) << (8 * b)
	}
	return e.Decode(bits)
}

// run is one way to call a kernel.
type run struct {
	elem        emit.Elem
	vl, nv, n   int // n columns in the last vector
	mode        int64
	alpha, beta float64
	ahead       int
	pattern     bool
	step        func(acc, v, b float64) float64 // nil: acc + v*b
	zero        float64
	rows        [2]int // of testRows
}

func (r run) String() string {
	return fmt.Sprintf("rows %v, n=%d mode=%d alpha=%v beta=%v ahead=%d", r.rows, r.n, r.mode, r.alpha, r.beta, r.ahead)
}

// binder binds every field of an argument block: those that a kernel does not use to
// numbers that would do harm.
func binder(fields []kernel.Field, words map[string]emit.Word) *emit.Machine {
	m := &emit.Machine{MaxSteps: 300_000}
	for _, f := range fields {
		w, ok := words[f.Name]
		switch {
		case ok:
		case f.Pointer:
			w = emit.Word{Lane: []uint64{0}}
		default:
			w = emit.IntWord(math.MinInt64 / 3)
		}
		m.Bind(f.Name, w)
	}
	return m
}

// rowKernel interprets a row kernel and compares C with the plain loop.
func (r run) rowKernel(f *emit.Func) error {
	pointers, indices, values := testMatrix()
	size, cols := r.elem.Bytes(), (r.nv-1)*r.vl+r.n
	ldb, ldc := cols+1, cols+3
	if cols == 1 && r.vl == 1 { // of the kernel for vectors: B has no gaps
		ldb = 1
	}
	var bs []float64
	for j := range testCols {
		for c := range ldb {
			x := math.NaN()
			if c < cols {
				x = dense(j, c)
			}
			bs = append(bs, x)
		}
	}
	b := memory("B", r.elem, bs[:len(bs)-(ldb-cols)])
	ints := func(name string, s []int32) *emit.Memory {
		m := emit.MemoryOf(name, emit.Generic, s)
		m.ReadOnly = true
		return m
	}
	rows := r.rows[1] - r.rows[0]
	c := &emit.Memory{Name: "C", Data: make([]byte, (rows*ldc-3)*size)}
	old := func(i int) float64 { return float64(i%13 - 6) }
	if r.mode == kernel.ModeUpdate {
		init := make([]float64, rows*ldc-3)
		for i := range init {
			init[i] = old(i)
		}
		c = memory("C", r.elem, init)
		c.ReadOnly = false
	} else {
		c.Track() // what nothing wrote may not be read
	}
	if r.mode == kernel.ModeStream {
		c.Base = 0
	}
	word := func(x float64) emit.Word { return emit.Word{Lane: []uint64{r.elem.Encode(x)}} }
	m := binder(kernel.Fields[kernel.SparseArgs](), map[string]emit.Word{
		"pointers": emit.PtrTo(ints("pointers", pointers), int64(4*r.rows[0])), "indices": emit.PtrTo(ints("indices", indices), 0),
		"values": emit.PtrTo(memory("values", r.elem, values), 0), "b": emit.PtrTo(b, 0), "c": emit.PtrTo(c, 0),
		"ldb": emit.IntWord(int64(ldb * size)), "ldc": emit.IntWord(int64(ldc * size)), "rows": emit.IntWord(int64(rows)),
		"n": emit.IntWord(int64(r.n)), "ahead": emit.IntWord(int64(4 * r.ahead)), "mode": emit.IntWord(r.mode),
		"alpha": word(r.alpha), "beta": word(r.beta),
	})
	if err := m.Run(f); err != nil {
		return err
	}
	step := r.step
	if step == nil {
		step = func(acc, v, b float64) float64 { return acc + v*b }
	}
	for i := range rows {
		for j := range cols {
			acc := r.zero
			for k := pointers[r.rows[0]+i]; k < pointers[r.rows[0]+i+1]; k++ {
				v := values[k]
				if r.pattern {
					v = 1
				}
				acc = step(acc, v, dense(int(indices[k]), j))
			}
			want := acc * r.alpha
			switch r.mode {
			case kernel.ModeStore, kernel.ModeStream:
				want = acc
			case kernel.ModeUpdate:
				want += r.beta * old(i*ldc+j)
			case kernel.ModeMean:
				n := max(1, len(testRows[r.rows[0]+i]))
				factor := r.elem.Decode(r.elem.Encode(r.alpha / float64(n)))
				want = r.elem.Decode(r.elem.Encode(acc * factor))
			}
			if got := decode(c, r.elem, i*ldc+j); got != want {
				return fmt.Errorf("%v: row %d, column %d is %v, want %v", r, i, j, got, want)
			}
		}
		for j := cols; j < ldc && i < rows-1; j++ {
			at := i*ldc + j
			if r.mode == kernel.ModeUpdate && decode(c, r.elem, at) != old(at) {
				return fmt.Errorf("%v: wrote between rows %d and %d", r, i, i+1)
			}
			if c.Undef != nil && c.Undef[at*size/64]>>(at*size%64)&1 == 0 {
				return fmt.Errorf("%v: wrote between rows %d and %d", r, i, i+1)
			}
		}
	}
	return nil
}

// runs are the ways a row kernel of nv vectors is called. ahead is legal for rows
// that enough entries follow.
func runs(base run, masked, fetch bool) (all []run) {
	ns := []int{base.vl}
	if masked {
		ns = []int{1, base.vl - 1}
	}
	whole, front, one := [2]int{0, len(testRows)}, [2]int{0, 7}, [2]int{5, 6}
	for _, n := range ns {
		r := base
		r.n = n
		add := func(mode int64, alpha, beta float64, rows [2]int, ahead int) {
			r.mode, r.alpha, r.beta, r.rows, r.ahead = mode, alpha, beta, rows, ahead
			all = append(all, r)
		}
		add(kernel.ModeStore, math.NaN(), math.NaN(), whole, 0)
		add(kernel.ModeScale, -2, math.NaN(), whole, 0)
		add(kernel.ModeUpdate, 3, -1, one, 0)
		if base.vl > 1 {
			add(kernel.ModeMean, 3, math.NaN(), whole, 0)
		}
		if fetch {
			add(kernel.ModeStore, math.NaN(), math.NaN(), front, 8)
		}
	}
	return all
}
