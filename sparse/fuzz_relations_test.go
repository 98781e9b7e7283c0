package sparse_test

import (
	"errors"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// wellFormed fails unless err is an *Error that says all it has to.
func wellFormed(t *testing.T, err error) {
	t.Helper()
	if e := (*sparse.Error)(nil); !errors.As(err, &e) || e.Kind == nil || e.Where == "" || e.What == "" {
		t.Fatalf("%#v", err)
	}
}

// FuzzRelations makes edges of bytes. RelationsOf refuses them with an *Error, or makes relations with every
// edge in its place, which come back from their matrices and from being transposed twice.
func FuzzRelations(f *testing.F) {
	f.Add(int64(3), int64(4), int64(2), []byte{0, 1, 2, 2, 0, 3, 0, 0, 1, 1, 1, 0})
	f.Add(int64(300), int64(1), int64(3), []byte{255, 0, 0, 1, 0, 2, 1, 0, 2})
	f.Add(int64(1<<31), int64(1), int64(1), []byte{0, 0, 0})
	f.Add(int64(1), int64(1), int64(1<<31-1), []byte{0, 0, 254})
	f.Add(int64(-1), int64(1), int64(0), []byte{})
	f.Fuzz(func(t *testing.T, rows, cols, count int64, edges []byte) {
		if len(edges) > 1<<12 || int64(int(rows)) != rows || int64(int(cols)) != cols || int64(int(count)) != count ||
			count > 1<<10 && count < 1<<30 || rows > 1<<12 && rows <= sparse.MaxDim || cols > 1<<12 && cols <= sparse.MaxDim {
			return // what takes long, or memory for rows
		}
		var i, j, kind []int32
		var values []float64
		sums := map[[3]int]float64{}
		for e, n := 0, integers(edges, 1); e+3 <= len(n); e += 3 {
			i, j, kind = append(i, int32(min(n[e], 1<<31-1))), append(j, int32(min(n[e+1], 1<<31-1))), append(kind, int32(min(n[e+2], 1<<31-1)))
			values = append(values, float64(e+1))
			sums[[3]int{int(kind[e/3]), int(i[e/3]), int(j[e/3])}] += float64(e + 1)
		}
		m, err := sparse.RelationsOf(int(rows), int(cols), int(count), i, j, kind, values)
		if err != nil {
			wellFormed(t, err)
			return
		}
		if m.NNZ() != len(i) || m.Rows() != int(rows) || m.Cols() != int(cols) || m.Count() != int(count) {
			t.Fatalf("%d entries of %d edges", m.NNZ(), len(i))
		}
		parts := make([]sparse.Matrix[float64], m.Count())
		for r := range parts {
			parts[r] = m.Matrix(r)
			if err := invariants(parts[r]); err != nil {
				t.Fatal(err)
			}
		}
		twice := m.Transpose().Transpose()
		for r := range parts {
			if !twice.Matrix(r).Equal(parts[r]) {
				t.Fatalf("relation %d is another when transposed twice", r)
			}
		}
		again, err := sparse.NewRelations(parts...)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for e, v := range m.Edges() {
			if e.K != n || again.Matrix(e.R).At(e.I, e.J) != parts[e.R].At(e.I, e.J) {
				t.Fatalf("entry %d is %v", n, e)
			}
			sums[[3]int{e.R, e.I, e.J}] -= v
			n++
		}
		for at, left := range sums {
			if left != 0 {
				t.Fatalf("%v is wrong by %v", at, left)
			}
		}
	})
}

// FuzzConvolution compares the relations of points with the definition, coordinates at the ends of int32 too.
func FuzzConvolution(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 1, 1, 1, 1}, []byte{0, 0, 0, 0, 0, 1, 255, 255, 255})
	f.Add([]byte{128, 127, 0, 127, 128, 5}, []byte{127, 0, 0, 128, 0, 1})
	f.Add([]byte{1, 1, 1, 1, 1, 1}, []byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, p, o []byte) {
		if len(p) > 3<<7 || len(o) > 3<<5 {
			return
		}
		// 127 and 128 are near the ends of int32, the rest is small, of either sign.
		triples := func(b []byte) (all [][3]int32) {
			for ; len(b) >= 3; b = b[3:] {
				var x [3]int32
				for d := range x {
					switch x[d] = int32(int8(b[d])); x[d] {
					case 127:
						x[d] = 1<<31 - 1
					case -128:
						x[d] = -1 << 31
					}
				}
				all = append(all, x)
			}
			return all
		}
		points, offsets := triples(p), triples(o)
		m, err := sparse.Convolution[float32](points, offsets)
		if err != nil {
			wellFormed(t, err)
			return
		}
		n := 0
		for r, off := range offsets {
			a := m.Matrix(r)
			for i, x := range points {
				for j, y := range points {
					meet := true
					for d := range x {
						meet = meet && int64(x[d])+int64(off[d]) == int64(y[d])
					}
					if (a.At(i, j) == 1) != meet {
						t.Fatalf("offset %v, points %v and %v: %v", off, x, y, a.At(i, j))
					}
					if meet {
						n++
					}
				}
			}
		}
		if n != m.NNZ() {
			t.Fatalf("%d entries, want %d", m.NNZ(), n)
		}
	})
}

// FuzzSegments compares segments with the definition; offsets that descend, begin elsewhere or end beyond all
// sizes are refused.
func FuzzSegments(f *testing.F) {
	f.Add([]byte{0, 2, 2, 7}, uint8(0), true)
	f.Add([]byte{0, 254}, uint8(0), false)
	f.Add([]byte{0, 3, 255}, uint8(0), false)
	f.Add([]byte{}, uint8(0), true)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0}, uint8(8), false)
	f.Fuzz(func(t *testing.T, b []byte, width uint8, mean bool) {
		if len(b) > 1<<10 {
			return
		}
		var offsets []int
		for _, x := range integers(b, width) {
			if int64(int(x)) != x || x > 1<<16 && x <= sparse.MaxDim {
				return // memory for so many rows
			}
			offsets = append(offsets, int(x))
		}
		m, err := sparse.Segments[float64](offsets, mean)
		if err != nil {
			wellFormed(t, err)
			return
		}
		if err := invariants(m); err != nil || m.Rows() != len(offsets)-1 || m.NNZ() != m.Cols() {
			t.Fatalf("%v: %v", m, err)
		}
		for s, sum := range aggregate.RowSums(m) {
			n := offsets[s+1] - offsets[s]
			want := float64(n)
			if mean {
				want = float64(min(n, 1))
			}
			if d := sum - want; d > 1e-9 || d < -1e-9 || m.RowNNZ(s) != n {
				t.Fatalf("segment %d of %d rows adds up to %v", s, n, sum)
			}
		}
	})
}

// FuzzBlockMask makes masks of numbers of any size: they are refused with an *Error, or have the blocks that
// their definition says.
func FuzzBlockMask(f *testing.F) {
	f.Add(int64(100), int64(16), int64(2), uint8(0))
	f.Add(int64(0), int64(1), int64(0), uint8(1))
	f.Add(int64(1<<31), int64(1<<31), int64(1<<31), uint8(2))
	f.Add(int64(1<<27), int64(1), int64(1<<27), uint8(0))
	f.Add(int64(7), int64(1), int64(3), uint8(3))
	f.Add(int64(-1), int64(-5), int64(-9), uint8(4))
	f.Fuzz(func(t *testing.T, n, size, w int64, kind uint8) {
		if int64(int(n)) != n || int64(int(size)) != size || int64(int(w)) != w {
			return
		}
		if blocks := n / max(size, 1); size > 0 && blocks > 200 && blocks <= sparse.MaxDim {
			return // time and memory
		}
		var m mask.Mask
		var err error
		abs := func(x int) int { return max(x, -x) }
		var has func(i, j int) bool // of blocks
		switch kind % 5 {
		case 0:
			m, err = mask.Band(int(n), int(size), int(w))
			has = func(i, j int) bool { return abs(i-j) <= int(w) }
		case 1:
			m, err = mask.Strided(int(n), int(size), int(w))
			has = func(i, j int) bool { return abs(i-j)%int(w) == 0 }
		case 2:
			m, err = mask.Global(int(n), int(size), int(w))
			has = func(i, j int) bool { return min(i, j) < int(w) }
		case 3:
			m, err = mask.Butterfly(int(n), int(size))
			has = func(i, j int) bool { return i == j || (i^j)&(i^j-1) == 0 }
		default:
			m, err = mask.New(int(n), int(n), int(size), sparse.Matrix[float32]{})
			has = func(i, j int) bool { return false }
		}
		if err != nil {
			wellFormed(t, err)
			return
		}
		if m.Rows() != int(n) || m.Cols() != int(n) || m.Size() != int(size) {
			t.Fatal(m)
		}
		b := m.Blocks()
		if err := invariants(sparse.Ones[float32](b)); err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows() {
			for j := range b.Cols() {
				x, y := i*int(size), j*int(size)
				if m.Has(x, y) != has(i, j) {
					t.Fatalf("%v: block (%d, %d) is %v", m, i, j, m.Has(x, y))
				}
				if c := m.Causal(); c.Has(x, y) != (has(i, j) && y <= x) {
					t.Fatalf("%v, causal: block (%d, %d) is %v", m, i, j, c.Has(x, y))
				}
			}
		}
		if o, err := m.Or(m); err != nil || !o.Blocks().Equal(b) {
			t.Fatalf("%v or itself is %v, %v", m, o, err)
		}
	})
}
