package mtx

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// generated returns a matrix of n entries, in rows and columns of seven digits.
func generated(tb testing.TB, field Field, n int, value func(*rand.Rand) float64) []byte {
	tb.Helper()
	rng := rand.New(level.PCG(5, 6))
	var b bytes.Buffer
	const size = 4_000_000
	w, err := NewWriter(&b, Header{Field: field, Rows: size, Cols: size, Entries: n})
	if err != nil {
		tb.Fatal(err)
	}
	for range n {
		if err := w.Entry(rng.IntN(size), rng.IntN(size), value(rng)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// values are what matrices hold, from the cheapest to the dearest to read.
var values = []struct {
	name  string
	field Field
	value func(*rand.Rand) float64
}{
	{"pattern", Pattern, func(*rand.Rand) float64 { return 1 }},
	{"integer", Integer, func(r *rand.Rand) float64 { return float64(r.IntN(1000)) }},
	{"real=6digits", Real, func(r *rand.Rand) float64 { return float64(r.IntN(1e6)) / 1e5 }},
	{"real=17digits", Real, func(r *rand.Rand) float64 { return r.NormFloat64() }},
}

func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	for _, v := range values {
		text := generated(b, v.field, n, v.value)
		b.Run(v.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				seen := 0
				if _, err := Read(bytes.NewReader(text), Options{}, func(int, int, float64) error { seen++; return nil }); err != nil || seen != n {
					b.Fatal(seen, err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	const n = 1_000_000
	for _, v := range values {
		b.Run(v.name, func(b *testing.B) {
			for b.Loop() {
				b.SetBytes(int64(len(generated(b, v.field, n, v.value))))
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

func BenchmarkReadSMTX(b *testing.B) {
	m := SMTX{Rows: 1000, Cols: 1 << 20, RowPtr: []int{0}}
	for range m.Rows {
		for k := range 1000 {
			m.ColIdx = append(m.ColIdx, k*1000)
		}
		m.RowPtr = append(m.RowPtr, len(m.ColIdx))
	}
	var text bytes.Buffer
	if err := WriteSMTX(&text, m); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadSMTX(bytes.NewReader(text.Bytes()), Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(m.ColIdx))/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkReadNPY(b *testing.B) {
	var text bytes.Buffer
	if err := WriteNPY(&text, NPY[float64]{Shape: []int{1000, 1000}, Data: make([]float64, 1e6)}, NPYLayout{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadNPY[float64](bytes.NewReader(text.Bytes()), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGenerated: the text of the benchmarks is what it says.
func TestGenerated(t *testing.T) {
	for _, v := range values {
		h, list, err := collect(generated(t, v.field, 1000, v.value), Options{})
		if err != nil || len(list) != 1000 || h.Field != v.field {
			t.Errorf("%s: %d entries, %v", v.name, len(list), err)
		}
	}
}
