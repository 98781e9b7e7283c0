package sparse24

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// each runs a test for every element type.
func each(t *testing.T, f func(t *testing.T, k kind)) {
	for _, k := range []kind{
		kindOf("f32", 2, func(x float64) float32 { return float32(x) }),
		kindOf("f16", 4, dtype.ToF16[float64]), kindOf("bf16", 4, dtype.ToBF16[float64]),
		kindOf("e4m3", 4, dtype.ToF8E4M3[float64]), kindOf("e5m2", 4, dtype.ToF8E5M2[float64]),
		kindOf("i8", 4, func(x float64) int8 { return int8(x) }), kindOf("u8", 4, func(x float64) uint8 { return uint8(int(x)) }),
	} {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// A kind is an element type without its type parameter.
type kind struct {
	name      string
	chunk     int
	roundTrip func(t *testing.T, rng *rand.Rand, rows, cols int)
	prune     func(t *testing.T, rng *rand.Rand, rows, cols int)
	hostile   func(t *testing.T, rng *rand.Rand)
}

func kindOf[T Elem](name string, chunk int, to func(x float64) T) kind {
	return kind{name, chunk,
		func(t *testing.T, rng *rand.Rand, rows, cols int) { roundTrip(t, rng, rows, cols, chunk, to) },
		func(t *testing.T, rng *rand.Rand, rows, cols int) { prune(t, rng, rows, cols, chunk, to) },
		func(t *testing.T, rng *rand.Rand) { hostile(t, rng, to) }}
}

// random is a 2:4 matrix in some layout.
func random[T Elem](rng *rand.Rand, rows, cols, chunk int, to func(x float64) T) layout.Matrix[T] {
	m := layout.New[T](rows, cols)
	if rng.IntN(2) > 0 {
		m = layout.ColMajor(make([]T, rows*cols), rows, cols)
	}
	for i := range rows {
		for c := 0; c < cols; c += chunk {
			for _, e := range rng.Perm(chunk)[:rng.IntN(chunk/2+1)] {
				if c+e < cols {
					m.Set(i, c+e, to(float64(1+rng.IntN(9))))
				}
			}
		}
	}
	return m
}

var shapes = [][2]int{{0, 0}, {3, 0}, {0, 5}, {1, 1}, {1, 4}, {2, 3}, {15, 31}, {16, 32}, {17, 33}, {16, 64}, {33, 130}, {9, 127}}

func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		rng := rand.New(level.PCG(1, 2))
		for _, s := range shapes {
			k.roundTrip(t, rng, s[0], s[1])
		}
	})
}

func roundTrip[T Elem](t *testing.T, rng *rand.Rand, rows, cols, chunk int, to func(x float64) T) {
	t.Helper()
	m := random(rng, rows, cols, chunk, to)
	p, err := Pack(m)
	if err != nil {
		t.Fatalf("%d x %d: %v", rows, cols, err)
	}
	if p.Rows() != rows || p.Cols() != cols {
		t.Errorf("%d x %d is packed as %d x %d", rows, cols, p.Rows(), p.Cols())
	}
	same(t, "unpacked", p.Unpack(), m)
	values, meta := Sizes[T](cols)
	if rows > 0 && (len(p.Values()) != rows*values || len(p.Meta()) != (rows+15)/16*meta) {
		t.Errorf("%d x %d: %d values and %d words, Sizes says %d a row and %d for sixteen", rows, cols, len(p.Values()), len(p.Meta()), values, meta)
	}
	again, err := New(rows, cols, p.Values(), p.Meta())
	if err != nil {
		t.Fatalf("%d x %d: New of what Pack made: %v", rows, cols, err)
	}
	same(t, "made again", again.Unpack(), m)
	for i := range rows {
		last, n := -1, 0
		for j, x := range p.Row(i) {
			if j <= last || j >= cols || x != m.At(i, j) {
				t.Errorf("row %d: column %d after %d is %v, want %v", i, j, last, x, m.At(i, j))
			}
			last, n = j, n+1
		}
		if n > (cols+chunk-1)/chunk*chunk/2 {
			t.Errorf("row %d has %d elements", i, n)
		}
	}
}

func same[T Elem](t *testing.T, what string, got, want layout.Matrix[T]) {
	t.Helper()
	for i := range want.Rows {
		for j := range want.Cols {
			if got.At(i, j) != want.At(i, j) {
				t.Fatalf("%s: element (%d, %d) of %d x %d is %v, want %v", what, i, j, want.Rows, want.Cols, got.At(i, j), want.At(i, j))
			}
		}
	}
}

// The words are those of the lanes that give metadata to an instruction, in order, and the
// bits those of the figures of PTX ISA 9.7.14.6.1.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		s    shape
		lane func(r, chunk int) (lane, bit int)
	}{
		{shapeOf[dtype.F16](40, 70), func(r, c int) (int, int) { return r%8*4 + c/4, 16*(r/8) + 4*(c%4) }},
		{shapeOf[float32](40, 70), func(r, c int) (int, int) { return r%8*4 + c/4, 16*(r/8) + 4*(c%4) }},
		{shapeOf[int8](40, 130), func(r, c int) (int, int) { return r%8*4 + r/8 + c/8*2, 4 * (c % 8) }},
	} {
		s := c.s
		each := s.deep / s.chunk
		var lanes []int
		for r := range 16 {
			for chunk := range each {
				lane, _ := c.lane(r, chunk)
				lanes = append(lanes, lane)
			}
		}
		slices.Sort(lanes)
		lanes = slices.Compact(lanes)
		if len(lanes) != s.words() {
			t.Errorf("%d lanes have metadata, %d words are kept", len(lanes), s.words())
		}
		for i := range 48 {
			for chunk := range s.width() / s.chunk {
				lane, wantBit := c.lane(i%16, chunk%each)
				piece := i/16*(s.width()/s.deep) + chunk/each
				want := piece*len(lanes) + slices.Index(lanes, lane)
				if word, bit := s.at(i, chunk); word != want || bit != wantBit {
					t.Fatalf("row %d, chunk %d: word %d, bit %d; want %d, %d", i, chunk, word, bit, want, wantBit)
				}
			}
		}
	}
}

func TestPrune(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		rng := rand.New(level.PCG(3, 4))
		for _, s := range shapes {
			k.prune(t, rng, s[0], s[1])
		}
	})
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	b := dtype.ToBF16[float32]
	got := Prune(layout.RowMajor([]dtype.BF16{b(inf), b(1), b(nan), b(2), b(3), b(-3), b(3), b(1), b(1), b(2), b(3)}, 1, 11))
	want := []string{"-Inf", "0", "NaN", "0", "3", "-3", "0", "0", "0", "2", "3"}
	for j, w := range want {
		if x := got.At(0, j).String(); x != w {
			t.Errorf("column %d is %s, want %s", j, x, w)
		}
	}
}

func prune[T Elem](t *testing.T, rng *rand.Rand, rows, cols, chunk int, to func(x float64) T) {
	t.Helper()
	m := layout.New[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = to(float64(rng.IntN(100)))
	}
	p := Prune(m)
	if _, err := Pack(p); err != nil {
		t.Fatalf("%d x %d: %v", rows, cols, err)
	}
	for i := range rows {
		for c := 0; c < cols; c += chunk {
			var kept, dropped []float64
			for e := c; e < min(c+chunk, cols); e++ {
				switch x := magnitude(m.At(i, e)); {
				case p.At(i, e) == m.At(i, e):
					kept = append(kept, x)
				default:
					dropped = append(dropped, x)
				}
			}
			if len(dropped) > 0 && (len(kept) < chunk/2 || slices.Max(dropped) > slices.Min(kept)) && slices.Min(append(kept, 0)) > 0 {
				t.Errorf("row %d from %d keeps %v and drops %v", i, c, kept, dropped)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	m := layout.New[int8](20, 40)
	for _, j := range []int{36, 38, 39} {
		m.Set(18, j, -1)
	}
	m.Set(19, 1, 1)
	_, err := Pack(m)
	want := RuleError{18, 36, "3 of 4 elements are not zero, 2 may be; Prune keeps the greatest"}
	if diff := cmp.Diff(want, err); diff != "" {
		t.Error(diff)
	}
	f := layout.New[float32](2, 3)
	f.Set(1, 0, 1)
	f.Set(1, 1, 1)
	if _, err := Pack(f); !errors.Is(err, RuleError{1, 0, "2 of 2 elements are not zero, 1 may be; Prune keeps the greatest"}) {
		t.Error(err)
	}
	var shape layout.ShapeError
	for _, v := range []layout.Matrix[int8]{{Rows: 1 << 30, Cols: 1 << 30}, {Data: make([]int8, 4), Rows: 1 << 30, Cols: 4, ColStride: 1}, {Data: make([]int8, 1), Rows: 1 << 28, Cols: 1 << 30}, {Rows: -1}} {
		if _, err := Pack(v); !errors.As(err, &shape) {
			t.Errorf("Pack of %d x %d: %v", v.Rows, v.Cols, err)
		}
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.As(err, &shape) {
					t.Errorf("Prune of %d x %d: %v", v.Rows, v.Cols, err)
				}
			}()
			Prune(v)
		}()
	}
	for _, s := range [][2]int{{-1, 4}, {4, -1}, {math.MaxInt, math.MaxInt}, {1, math.MaxInt}, {math.MaxInt, 1}, {3, 3}, {0, 0}, {math.MaxInt, 0}} {
		if _, err := New(s[0], s[1], make([]int8, 32), make([]int32, 31)); !errors.As(err, &shape) {
			t.Errorf("New of %v: %v", s, err)
		}
	}
}

// Any number of zeros with a sign is no more than zeros.
func TestNegativeZero(t *testing.T) {
	z := dtype.BF16FromBits(0x8000)
	p, err := Pack(layout.RowMajor([]dtype.BF16{z, z, z, z, z}, 1, 5))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range p.Values() {
		if x.Bits() != 0 {
			t.Errorf("value %d is %#x", i, x.Bits())
		}
	}
}

// New refuses what Pack does not make.
func TestHostile(t *testing.T) {
	each(t, func(t *testing.T, k kind) { k.hostile(t, rand.New(level.PCG(5, 6))) })
	p, _ := Pack(layout.New[dtype.BF16](20, 30))
	values, meta := p.Values(), p.Meta()
	for _, c := range []struct {
		row, chunk int
		code       int32
		want       string
	}{
		{17, 3, 0b0101, "sparse24: row 17, columns from 12: its metadata is 0101, which are elements 1 and 1 of the four; want two that ascend, as Pack makes them"},
		{9, 0, 0b0011, "sparse24: row 9, columns from 0: its metadata is 0011, which are elements 3 and 0 of the four; want two that ascend, as Pack makes them"},
		{25, 2, 0, "sparse24: row 25, columns from 8: its metadata is 0000, which are elements 0 and 0 of the four; want two that ascend, as Pack makes them"},
	} {
		word, bit := p.at(c.row, c.chunk)
		broken := slices.Clone(meta)
		broken[word] = broken[word]&^(15<<bit) | c.code<<bit
		if _, err := New(20, 30, values, broken); fmt.Sprint(err) != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	word, bit := p.at(3, 7) // columns 28 to 31, of which two are there
	meta[word] = meta[word]&^(15<<bit) | 0b1000<<bit
	values[3*16+15] = dtype.ToBF16[float32](1)
	if _, err := New(20, 30, values, meta); fmt.Sprint(err) != "sparse24: row 3, columns from 28: column 30 is not zero, the matrix has 30 columns; Pack pads with zeros" {
		t.Error(err)
	}
}

func (m *Matrix[T]) at(row, chunk int) (word, bit int) {
	return shapeOf[T](m.rows, m.cols).at(row, chunk)
}

// hostile flips bits of metadata: New takes what says where the elements are, and only that.
func hostile[T Elem](t *testing.T, rng *rand.Rand, to func(x float64) T) {
	s := shapeOf[T](19, 37)
	p, err := Pack(random(rng, 19, 37, s.chunk, to))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 300 {
		meta := p.Meta()
		meta[rng.IntN(len(meta))] ^= 1 << rng.IntN(31)
		m, err := New(19, 37, p.Values(), meta)
		var rule RuleError
		switch {
		case errors.As(err, &rule):
			refused++
		case err != nil:
			t.Fatal(err)
		default:
			if _, err := Pack(m.Unpack()); err != nil {
				t.Errorf("New took what is not 2:4: %v", err)
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d of 300 are refused", refused)
	}
}
