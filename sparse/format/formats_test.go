package format

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// formats is every format, some with several parameters; those of width 64 and more
// hold rows of any pattern but the widest.
var formats = sparsetest.Formats(Parse)

// TestLaw: Walk(Build(x)) is x, the axes say the same, values come back, for every
// format and pattern. What is refused is counted, and is refused for a reason.
func TestLaw(t *testing.T) {
	refused, taken := map[string]int{}, map[string]int{}
	for _, p := range sparsetest.Patterns() {
		m := p.Matrix()
		for _, f := range formats {
			if p.N == sparse.MaxDim && !slices.Contains([]string{"csr", "coo", "dcsr", "ell4", "dell4", "sell4_8", "bsr4", "dbsr4", "srbcrs8_4", "dia"}, f.Name) {
				continue // their arrays would fill the memory
			}
			if err := f.Check(p.M, p.N, p.In); err != nil {
				refused[f.Name]++
				allowed := strings.HasPrefix(f.Name, "ell") && strings.Contains(err.Error(), "use hyb, sell or csr") ||
					f.Name == "ragged" && strings.Contains(err.Error(), "is next; use csr")
				if !allowed || !errors.Is(err, sparse.ErrFormat) {
					t.Errorf("%s: %v", p.Name, err)
				}
				continue
			}
			taken[f.Name]++
			packed, err := Pack(m, f)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			if !packed.Matrix().Equal(m) {
				t.Errorf("%s: %s: the matrix does not come back", p.Name, f.Name)
			}
			slot, values := -1, packed.Values()
			held := 0
			for e, v := range packed.All() {
				if e.K <= slot || values[e.K] != v || v != m.At(e.I, e.J) {
					t.Fatalf("%s: %s: %v after slot %d, value %v", p.Name, f.Name, e, slot, v)
				}
				slot = e.K
				held++
				values[e.K] = 0
			}
			if held != m.NNZ() || packed.NNZ() != held || slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) {
				t.Errorf("%s: %s: %d of %d entries, or padding that is not 0", p.Name, f.Name, held, m.NNZ())
			}
			if a := packed.Arrays(); a.Mask != nil && held == packed.Slots() {
				t.Errorf("%s: %s: a mask, and no padding", p.Name, f.Name)
			}
		}
	}
	for _, f := range formats {
		if taken[f.Name] < 8 {
			t.Errorf("%s was tested on %d patterns, refused %d", f.Name, taken[f.Name], refused[f.Name])
		}
		if refused[f.Name] > 0 && f.Name != "ragged" && f.Name[:3] != "ell" {
			t.Errorf("%s refused %d patterns", f.Name, refused[f.Name])
		}
	}
}

// TestArrays shows what formats store of the matrices in their comments.
func TestArrays(t *testing.T) {
	abc := []sparse.Entry{{I: 0, J: 1, K: 0}, {I: 0, J: 3, K: 1}, {I: 2, J: 2, K: 2}} // of a 3 x 4
	for _, c := range []struct {
		f     Format
		m, n  int
		in    []sparse.Entry
		want  []Level
		slots int
		mask  string // bits from slot 0; "" for none
		order []int32
	}{
		{f: CSR, m: 3, n: 4, in: abc, slots: 3, want: []Level{{Size: 3}, {0, []int32{0, 2, 2, 3}, []int32{1, 3, 2}}}},
		{f: CSC, m: 3, n: 4, in: abc, slots: 3, want: []Level{{Size: 4}, {0, []int32{0, 0, 1, 2, 3}, []int32{0, 2, 0}}}},
		{f: COO, m: 3, n: 4, in: abc, slots: 3, want: []Level{{0, []int32{0, 3}, []int32{0, 0, 2}}, {1, nil, []int32{1, 3, 2}}}},
		{f: DCSR, m: 3, n: 4, in: abc, slots: 3, want: []Level{{0, []int32{0, 2}, []int32{0, 2}}, {0, []int32{0, 2, 3}, []int32{1, 3, 2}}}},
		{f: Dense, m: 3, n: 4, in: abc, slots: 12, mask: "010100000010", want: []Level{{Size: 3}, {Size: 4}}},
		{f: ELL(2), m: 3, n: 4, in: abc, slots: 6, want: []Level{{Size: 3}, {2, nil, []int32{1, 3, -1, -1, 2, -1}}}},
		{f: Ragged, m: 3, n: 3, in: []sparse.Entry{{I: 0, J: 0, K: 0}, {I: 0, J: 1, K: 1}, {I: 2, J: 0, K: 2}, {I: 2, J: 1, K: 3}, {I: 2, J: 2, K: 4}}, slots: 5,
			want: []Level{{Size: 3}, {Pointers: []int32{0, 2, 2, 5}}}},
		{f: SELL(2, 4), m: 4, n: 4, in: []sparse.Entry{{I: 0, J: 1, K: 0}, {I: 0, J: 3, K: 1}, {I: 2, J: 2, K: 2}, {I: 3, J: 0, K: 3}, {I: 3, J: 2, K: 4}}, slots: 6, order: []int32{0, 3, 2, 1},
			want: []Level{{Size: 2}, {Pointers: []int32{0, 2, 3}}, {Size: 2}, {1, nil, []int32{1, 0, 3, 2, 2, -1}}}},
		{f: DIA, m: 3, n: 4, in: []sparse.Entry{{I: 0, J: 0, K: 0}, {I: 0, J: 1, K: 1}, {I: 1, J: 0, K: 2}, {I: 1, J: 1, K: 3}, {I: 1, J: 2, K: 4}, {I: 2, J: 1, K: 5}}, slots: 9, mask: "011110110",
			want: []Level{{3, nil, []int32{-1, 0, 1}}, {Size: 3}}},
		{f: BSR(2), m: 4, n: 4, in: abc, slots: 12, mask: "010001001000",
			want: []Level{{Size: 2}, {0, []int32{0, 2, 3}, []int32{0, 1, 1}}, {Size: 2}, {Size: 2}}},
		{f: DBSR(2), m: 4, n: 4, in: abc[2:], slots: 4, mask: "1000",
			want: []Level{{0, []int32{0, 1}, []int32{1}}, {0, []int32{0, 1}, []int32{1}}, {Size: 2}, {Size: 2}}},
		{f: SRBCRS(2, 2), m: 2, n: 4, in: []sparse.Entry{{I: 0, J: 1, K: 0}, {I: 0, J: 3, K: 1}, {I: 1, J: 2, K: 2}}, slots: 8, mask: "10011000",
			want: []Level{{Size: 1}, {Pointers: []int32{0, 2}}, {Size: 2}, {2, nil, []int32{1, 2, 3, -1}}}},
	} {
		a, err := c.f.Build(c.m, c.n, c.in)
		if err != nil {
			t.Error(err)
			continue
		}
		mask := ""
		for k := 0; k < a.Slots && a.Mask != nil; k++ {
			mask += string('0' + rune(a.Mask[k/64]>>(k%64)&1))
		}
		same := slices.EqualFunc(a.Levels, c.want, func(x, y Level) bool {
			return x.Size == y.Size && slices.Equal(x.Pointers, y.Pointers) && slices.Equal(x.Indices, y.Indices)
		})
		if !same || a.Slots != c.slots || mask != c.mask || !slices.Equal(a.Order, c.order) {
			t.Errorf("%s: %+v, mask %s", c.f.Name, a, mask)
		}
	}
}

// TestRefused pins what Build says.
func TestRefused(t *testing.T) {
	dense := sparsetest.Where("", 9, 9, func(i, j int) bool { return i == 7 }).In
	for _, c := range []struct {
		f    Format
		m, n int
		in   []sparse.Entry
		want string
		kind error
	}{
		{ELL(4), 9, 9, dense, "ell4: row 7 has 9 entries; use hyb, sell or csr", sparse.ErrFormat},
		{ELL(0), 9, 9, nil, "ell0: the width is 0; it is at least 1", sparse.ErrFormat},
		{ELL(sparse.MaxSlots), 9, 9, nil, "*", sparse.ErrSize},
		{SELL(0, 1), 9, 9, nil, "sell0_1: c is 0; it is at least 1", sparse.ErrFormat},
		{SELL(4, 6), 9, 9, nil, "sell4_6: sigma is 6; it is 1 or a multiple of c", sparse.ErrFormat},
		{SELL(4, 0), 9, 9, nil, "sell4_0: sigma is 0; it is 1 or a multiple of c", sparse.ErrFormat},
		{SELL(math.MaxInt, 1), sparse.MaxDim, 9, nil, "*", sparse.ErrSize},
		{SELL(sparse.MaxDim, 1), 1, 99, sparsetest.Where("", 1, 99, func(i, j int) bool { return true }).In, "*", sparse.ErrSize},
		{SELL(math.MaxInt32, math.MaxInt32), 9, 9, dense, "*", sparse.ErrSize},
		{ELL(1 << 20), 9, 9, dense, "ell1048576: 9 x 1048576 slots for 9 rows and 9 entries; at most 1048576, or 1024 for each row and entry; use csr", sparse.ErrSize},
		{DELL(1 << 21), 9, 9, dense, "dell2097152: 1 x 2097152 slots for 9 rows and 9 entries; at most 1048576, or 1024 for each row and entry; use csr", sparse.ErrSize},
		{BSR(1 << 11), 9, 9, dense, "bsr2048: 1 x 2048 x 2048 slots for 9 rows and 9 entries; at most 1048576, or 1024 for each row and entry; use csr", sparse.ErrSize},
		{SRBCRS(1<<11, 1<<10), 9, 9, dense, "srbcrs2048_1024: 1 x 2048 x 1024 slots for 9 rows and 9 entries; at most 1048576, or 1024 for each row and entry; use csr", sparse.ErrSize},
		{BSR(-1), 9, 9, nil, "bsr-1: the block size is -1; it is at least 1", sparse.ErrFormat},
		{BSR(math.MaxInt), 9, 9, dense, "*", sparse.ErrSize},
		{DBSR(1 << 16), 9, 9, dense, "*", sparse.ErrSize},
		{SRBCRS(0, 8), 9, 9, nil, "srbcrs0_8: t is 0; it is at least 1", sparse.ErrFormat},
		{SRBCRS(8, 0), 9, 9, nil, "srbcrs8_0: g is 0; it is at least 1", sparse.ErrFormat},
		{SRBCRS(8, math.MaxInt), 9, 9, dense, "*", sparse.ErrSize},
		{Ragged, 9, 9, []sparse.Entry{{I: 3, J: 0, K: 0}, {I: 3, J: 2, K: 1}}, "ragged: row 3 has column 2 where column 1 is next; use csr", sparse.ErrFormat},
		{Dense, sparse.MaxDim, sparse.MaxDim, nil, "dense: 134217728 x 134217728 make too many slots; at most 2147483647 fit; use csr", sparse.ErrSize},
	} {
		want := c.want
		if sparse.MaxSlots < math.MaxInt32 {
			want = strings.Replace(want, "2147483647", "134217727", 1)
		}
		_, err := c.f.Build(c.m, c.n, c.in)
		if err == nil || want != "*" && err.Error() != want || !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %s", c.f.Name, err, want)
		}
	}
	for _, f := range formats {
		for _, c := range []struct {
			m, n int
			in   []sparse.Entry
			want string
		}{
			{4, 4, []sparse.Entry{{I: 1, J: 2, K: 0}, {I: 1, J: 2, K: 1}}, ": entries 0 and 1 are both (1, 2); sum duplicates first"},
			{4, 4, []sparse.Entry{{I: 1, J: 2, K: 0}, {I: 1, J: 0, K: 1}}, ": entry 1 is (1, 0), after (1, 2); sort by row, then column"},
			{4, 4, []sparse.Entry{{I: 1, J: 2, K: 0}, {I: 0, J: 3, K: 1}}, ": entry 1 is (0, 3), after (1, 2); sort by row, then column"},
			{4, 4, []sparse.Entry{{I: 0, J: 4, K: 0}}, ": entry 0 is (0, 4), outside 4 x 4"},
			{4, 4, []sparse.Entry{{I: -1, J: 0, K: 0}}, ": entry 0 is (-1, 0), outside 4 x 4"},
			{-1, 4, nil, ": size -1 x 4; sizes are from 0 to 134217728"},
			{4, sparse.MaxDim + 1, nil, ": size 4 x 134217729; sizes are from 0 to 134217728"},
		} {
			if _, err := f.Build(c.m, c.n, c.in); err == nil || err.Error() != f.Name+c.want {
				t.Errorf("%s: %v, want %s", f.Name, err, c.want)
			}
		}
	}
}

// TestPadding: pad/stored and bytes of one matrix in some formats.
func TestPadding(t *testing.T) {
	m := sparsetest.Where("", 4, 4, func(i, j int) bool { return i == j || i == 0 }).Matrix() // rows of 4, 1, 1, 1
	for _, c := range []struct {
		f     Format
		pad   float64
		bytes int64
	}{
		{CSR, 0, 7*8 + 4*(5+7)},
		{ELL(4), 9. / 16, 16 * (8 + 4)},
		{SELL(2, 1), 3. / 10, 10*(8+4) + 4*3 + 4*4},
		{Dense, 9. / 16, 16*8 + 8},
		{BSR(4), 9. / 16, 16*8 + 8 + 4*(2+1)},
	} {
		p, err := Pack(m, c.f)
		if rows, cols := p.Dims(); rows != 4 || cols != 4 || p.Format().Name != c.f.Name {
			t.Errorf("%s: it says it is %v", c.f.Name, p)
		}
		if err != nil || p.Padding() != c.pad || p.Bytes() != c.bytes {
			t.Errorf("%s: padding %v, want %v; %d bytes, want %d (%v)", c.f.Name, p.Padding(), c.pad, p.Bytes(), c.bytes, err)
		}
	}
	if p, err := Pack(m, ELL(4)); err != nil || p.String() != "ell4: 4 x 4 with 7 entries in 16 slots of f64" {
		t.Errorf("%v, %v", p, err)
	}
	var zero Packed[float32]
	for range zero.All() {
		t.Error("the zero Packed has an entry")
	}
	if zero.Padding() != 0 || zero.Matrix().NNZ() != 0 {
		t.Error("the zero Packed is not empty")
	}
}

// TestOwnPacker: the formats of this package convert by their packer, and copies that
// say something else do not.
func TestOwnPacker(t *testing.T) {
	for _, f := range formats {
		if f.packer() == nil {
			t.Errorf("%s has no packer", f)
		}
		g := f
		g.Axes = slices.Clone(f.Axes)
		if g.packer() == nil {
			t.Errorf("%s has none with a copy of its axes", f)
		}
		g.Axes[0].Name = "other"
		if g.packer() != nil || f.packer() == nil {
			t.Errorf("%s has one with other axes, or lost its own", f)
		}
		g = f
		g.Build = func(m, n int, in []sparse.Entry) (Arrays, error) { return f.Build(m, n, in) }
		if g.packer() != nil {
			t.Errorf("%s has one with another Build", f)
		}
		if g.Build = BSR(7).Build; g.packer() != nil { // the same code, but of another format
			t.Errorf("%s has one with the Build of bsr7", f)
		}
	}
}
