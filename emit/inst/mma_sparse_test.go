package inst

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// A sparse product multiplies what of a chunk is stored with those rows of B that its metadata names.
func TestSparseMmaPicks(t *testing.T) {
	s := shape{16, 8, 32}
	codes := []uint64{0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110} // two of four that ascend
	code := func(row, chunk int) uint64 { return codes[(row+chunk)%len(codes)] }
	a := func(row, k int) float64 { return float64((3*row + k) % 5) }
	b := func(k, col int) float64 { return float64((k + 7*col) % 11) }
	in, out := make([][]emit.Word, 32), make([][]emit.Word, 32)
	for lane := range in {
		operands := []emit.Word{{Lane: make([]uint64, 8)}, {Lane: make([]uint64, 8)}, {Lane: make([]uint64, 4)}, {Lane: make([]uint64, 1)}}
		for i := range 8 {
			row, k := MmaA(lane, i)
			operands[0].Lane[i] = emit.BF16.Encode(a(row, k))
			k, col := s.b(2, lane, i)
			operands[1].Lane[i] = emit.BF16.Encode(b(k, col))
		}
		in[lane], out[lane] = operands, []emit.Word{{Lane: make([]uint64, 4)}}
	}
	for row := range s.m {
		for chunk := range s.k / 4 {
			lane, bit := SparseLane(16, row, chunk)
			in[lane][3].Lane[0] |= code(row, chunk) << bit
		}
	}
	if err := SparseMmaBF16.Run(nil, 0, in, out); err != nil {
		t.Fatal(err)
	}
	for lane := range out {
		for i, bits := range out[lane][0].Lane {
			row, col := MmaC(lane, i)
			want := 0.0
			for chunk := range s.k / 4 {
				c := int(code(row, chunk))
				want += a(row, 2*chunk)*b(4*chunk+c&3, col) + a(row, 2*chunk+1)*b(4*chunk+c>>2, col)
			}
			if got := emit.F32.Decode(bits); got != want {
				t.Errorf("element (%d, %d) is %g, want %g", row, col, got, want)
			}
		}
	}
	in[0][3].Lane[0] = 0
	if err := SparseMmaBF16.Run(nil, 0, in, out); err == nil {
		t.Error("metadata that names one element twice is taken")
	}
}
