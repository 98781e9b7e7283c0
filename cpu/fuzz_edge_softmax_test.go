package cpu

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/sparse"
)

// FuzzEdgeSoftmax makes scores of bytes: NaN and infinities, rows of -Inf and rows without entries. A row is
// NaN as soon as a score is, or none is more than -Inf, or one is +Inf; else it is what the formula says, and no other row
// knows of it. All instruction sets agree on which.
func FuzzEdgeSoftmax(f *testing.F) {
	bits := func(x ...float32) (b []byte) {
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	f.Add(bits(1, 2, nan, 3, -inf, -inf), uint8(2))
	f.Add(bits(inf, 1, 1e38, -1e38, 0), uint8(3))
	f.Add(bits(-inf), uint8(1))
	f.Add([]byte{}, uint8(9))
	f.Fuzz(func(t *testing.T, b []byte, width uint8) {
		if len(b) > 4<<10 {
			return
		}
		per := int(width)%70 + 1
		var i, j []int
		var values []float32
		for k := 0; len(b) >= 4; k, b = k+1, b[4:] {
			i, j = append(i, 2*(k/per)), append(j, k%per) // every other row has no entries
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		rows := 2*((len(values)+per-1)/per) + 1
		s, err := sparse.FromCOO(rows, per, i, j, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, isa := range run.PlainISAs() {
			out := make([]float32, s.NNZ())
			EdgeSoftmax(Options{ISA: isa}, out, s)
			for from := 0; from < len(values); from += per {
				row, have := values[from:min(from+per, len(values))], out[from:min(from+per, len(values))]
				top, sum := math.Inf(-1), 0.0
				for _, x := range row {
					top = max(top, float64(x))
				}
				for _, x := range row {
					sum += math.Exp(float64(x) - top)
				}
				for k, x := range row {
					want := math.Exp(float64(x)-top) / sum
					if h := float64(have[k]); math.IsNaN(want) != math.IsNaN(h) || math.Abs(h-want) > 1e-4*want+1e-37 {
						t.Fatalf("%s: entry %d of %v is %v, want %v", isa, k, row, h, want)
					}
				}
			}
			dout, din := make([]float32, len(out)), make([]float32, len(out))
			EdgeSoftmaxBack(Options{ISA: isa}, din, s, out, dout) // of no gradient there is none
			for k, d := range din {
				if !(d == 0) && !math.IsNaN(float64(out[k])) && !hasNaN(out[k/per*per:min(k/per*per+per, len(out))]) {
					t.Fatalf("%s: gradient %d is %v", isa, k, d)
				}
			}
		}
	})
}

func hasNaN(x []float32) bool {
	for _, v := range x {
		if v != v {
			return true
		}
	}
	return false
}
