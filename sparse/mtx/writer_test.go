package mtx

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// write writes list under h.
func write(h Header, list []entry) ([]byte, error) {
	var b bytes.Buffer
	w, err := NewWriter(&b, h)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if h.Field == Complex {
			err = w.Complex(e.i, e.j, complex(e.re, e.im))
		} else {
			err = w.Entry(e.i, e.j, e.re)
		}
		if err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// roundTrip writes list under h, reads it back to the bit, and returns the text.
func roundTrip(t *testing.T, h Header, list []entry) []byte {
	t.Helper()
	text, err := write(h, list)
	if err != nil {
		t.Fatal(err)
	}
	h.Entries = len(list)
	got, back, err := collect(text, Options{})
	if err != nil || !reflect.DeepEqual(got, h) || len(back) != len(list) {
		t.Fatalf("%+v with %d entries came back as %+v with %d: %v", h, len(list), got, len(back), err)
	}
	for k, e := range list {
		g := back[k]
		same := math.Float64bits(e.re) == math.Float64bits(g.re) || e.re != e.re && g.re != g.re
		if e.i != g.i || e.j != g.j || !same || math.Float64bits(e.im) != math.Float64bits(g.im) {
			t.Fatalf("entry %d, %+v, came back as %+v", k, e, g)
		}
	}
	return text
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(level.PCG(3, 4))
	negZero := math.Copysign(0, -1)
	special := []float64{0, negZero, 1, -1, 1 << 20, 1<<20 - 1, -1 << 20, 1e21, 1e22, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1),
		math.Inf(-1), math.NaN(), 0.1, 1.0 / 3, 123456.5, 2.2250738585072011e-308}
	for f := Real; f <= Pattern; f++ {
		for s := General; s <= Hermitian; s++ {
			for format := Coordinate; format <= Array; format++ {
				h := Header{Format: format, Field: f, Symmetry: s, Rows: 40, Cols: 40, Comments: []string{"", " a", "%GraphBLAS iso"}}
				if h.checkKind(false) != "" {
					continue
				}
				var list []entry
				for j := range 40 {
					for i := range 40 {
						if format == Coordinate && rng.IntN(3) > 0 || s != General && i < j || s == Skew && i == j {
							continue
						}
						e := entry{i: i, j: j, re: math.Float64frombits(rng.Uint64())}
						if rng.IntN(2) == 0 {
							e.re = special[rng.IntN(len(special))]
						}
						switch f {
						case Complex:
							if e.im = rng.NormFloat64(); s == Hermitian && i == j {
								e.im = 0
							}
						case Integer:
							e.re = float64(rng.Int64N(1<<53)) * float64(int64(1)<<rng.IntN(12)) * float64(rng.IntN(3)-1)
						case Pattern:
							e.re = 1
						}
						list = append(list, e)
					}
				}
				if format == Coordinate {
					rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
					h.Entries = len(list)
				}
				roundTrip(t, h, list)
			}
		}
	}
	roundTrip(t, Header{Rows: 0, Cols: 7}, nil)
	roundTrip(t, Header{Field: Integer, Type: "int8_t", Rows: 1, Cols: 1, Entries: 1}, []entry{{re: -128}})
}

func TestWriterText(t *testing.T) {
	h := Header{Field: Real, Symmetry: Symmetric, Type: "double", Rows: 3, Cols: 3, Entries: 2, Comments: []string{" made by hand"}}
	got, err := write(h, []entry{{1, 0, 0.1, 0}, {2, 2, -3, 0}})
	const want = "%%MatrixMarket matrix coordinate real symmetric\n%%GraphBLAS type double\n% made by hand\n3 3 2\n2 1 0.1\n3 3 -3\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestWriterRefuses(t *testing.T) {
	one := func(re float64) []entry { return []entry{{0, 0, re, 0}} }
	for _, c := range []struct {
		want string
		h    Header
		list []entry
	}{
		{"there is no unknown(9) real general matrix", Header{Format: 9}, nil},
		{"want coordinate pattern", Header{Format: Array, Field: Pattern}, nil},
		{"is square", Header{Symmetry: Skew, Rows: 1, Cols: 2}, nil},
		{"want none below 0", Header{Rows: -1}, nil},
		{"is no type of GraphBLAS", Header{Type: "half"}, nil},
		{"a general array of 2 x 2 has 4 values, not 3", Header{Format: Array, Rows: 2, Cols: 2, Entries: 3}, nil},
		{"has more values than an int counts", Header{Format: Array, Rows: math.MaxInt, Cols: math.MaxInt}, nil},
		{"comment 1 has the end of a line in it", Header{Comments: []string{"", "a\nb"}}, nil},
		{"comment 0 is a GraphBLAS type", Header{Comments: []string{"%graphblas type"}}, nil},
		{"more than a MiB of comments", Header{Comments: []string{strings.Repeat("x", 1<<20)}}, nil},
		{"the header promised 1 entries and 0 were written", Header{Rows: 1, Cols: 1, Entries: 1}, nil},
		{"entry 1 at (0, 0): the header promised 1 entries, this is one more", Header{Rows: 1, Cols: 1, Entries: 1}, append(one(1), one(2)...)},
		{"entry 0 at (0, 1): it is outside a matrix of 1 x 1", Header{Rows: 1, Cols: 1, Entries: 1}, []entry{{0, 1, 1, 0}}},
		{"entry 0 at (-1, 0): it is outside", Header{Rows: 1, Cols: 1, Entries: 1}, []entry{{-1, 0, 1, 0}}},
		{"stores the triangle below the diagonal; want (1, 0)", Header{Symmetry: Symmetric, Rows: 2, Cols: 2, Entries: 1}, []entry{{0, 1, 1, 0}}},
		{"leave the entry out", Header{Symmetry: Skew, Rows: 2, Cols: 2, Entries: 1}, one(1)},
		{"want an imaginary part of 0", Header{Field: Complex, Symmetry: Hermitian, Rows: 2, Cols: 2, Entries: 1}, []entry{{0, 0, 1, 1}}},
		{"an array goes column by column; want (1, 0)", Header{Format: Array, Rows: 2, Cols: 2}, []entry{{0, 0, 1, 0}, {0, 1, 1, 0}}},
		{"a pattern stores no value such as 2", Header{Field: Pattern, Rows: 1, Cols: 1, Entries: 1}, one(2)},
		{"1.5 is no integer below 2^64", Header{Field: Integer, Rows: 1, Cols: 1, Entries: 1}, one(1.5)},
		{"+Inf is no integer", Header{Field: Integer, Rows: 1, Cols: 1, Entries: 1}, one(math.Inf(1))},
		{"NaN is no integer", Header{Field: Integer, Rows: 1, Cols: 1, Entries: 1}, one(math.NaN())},
		{"200 is no value of Header.Type, int8_t", Header{Field: Integer, Type: "int8_t", Rows: 1, Cols: 1, Entries: 1}, one(200)},
	} {
		if _, err := write(c.h, c.list); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestWriterWantsItsField(t *testing.T) {
	for _, f := range []Field{Real, Complex} {
		w, err := NewWriter(&bytes.Buffer{}, Header{Field: f, Rows: 1, Cols: 1, Entries: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := "a complex matrix wants Writer.Complex"
		if f == Complex {
			err = w.Entry(0, 0, 1)
		} else {
			want = "a real matrix wants Writer.Entry"
			err = w.Complex(0, 0, 1)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestWriterFails: the error of the underlying writer is kept and given back.
func TestWriterFails(t *testing.T) {
	full := errors.New("disk full")
	w, err := NewWriter(failing{full}, Header{Rows: 9, Cols: 9, Entries: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; n < 1<<20 && err == nil; n++ {
		err = w.Entry(1, 1, 1)
	}
	if !errors.Is(err, full) || n > writeAhead/6+1 {
		t.Errorf("after %d entries: %v", n, err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestInfinityForSciPy: scipy.io.mmread takes inf, -inf and nan; strconv's spellings,
// which older files of ours have, are still read.
func TestInfinityForSciPy(t *testing.T) {
	var b strings.Builder
	w, err := NewWriter(&b, Header{Rows: 1, Cols: 4, Entries: 4})
	values := []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
	for j, v := range values {
		err = errors.Join(err, w.Entry(0, j, v))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	const size = "%%MatrixMarket matrix coordinate real general\n1 4 4\n"
	want := size + "1 1 inf\n1 2 -inf\n1 3 nan\n1 4 1.7976931348623157e+308\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
	for _, text := range []string{want, size + "1 1 +Inf\n1 2 -Inf\n1 3 NaN\n1 4 1.7976931348623157e+308\n"} {
		n := 0
		if _, err := Read(strings.NewReader(text), Options{}, func(_, j int, v float64) error {
			if n++; v != values[j] && (v == v || values[j] == values[j]) {
				t.Errorf("column %d reads as %v, want %v", j, v, values[j])
			}
			return nil
		}); err != nil || n != 4 {
			t.Errorf("%d entries of %q, %v", n, text, err)
		}
	}
	b.Reset()
	z, err := NewWriter(&b, Header{Field: Complex, Rows: 1, Cols: 1, Entries: 1})
	err = errors.Join(err, z.Complex(0, 0, complex(math.Inf(1), math.NaN())), z.Close())
	if err != nil || !strings.HasSuffix(b.String(), "\n1 1 inf nan\n") {
		t.Errorf("%q, %v", b.String(), err)
	}
}
