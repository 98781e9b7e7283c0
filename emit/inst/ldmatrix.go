package inst

import (
	"encoding/binary"
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Ldmatrix loads four 8 x 8 matrices of 16-bit elements. Lane 8i+j points at row
// j of matrix i, 16 bytes that may be anywhere in shared memory. Register i of a lane
// gets the pair of matrix i that the mma fragments want, or with trans the pair of its
// transpose. Section 9.7.14.5.15.
//
// The forms differ in how the four registers make up values: one fragment, the A
// of mma, or two, the B of two neighbouring mma. They also differ in the type of the 16
// bits.
var (
	LdmatrixA      = ldmatrix(emit.BF16, false, 4)
	LdmatrixB      = ldmatrix(emit.BF16, false, 2)
	LdmatrixATrans = ldmatrix(emit.BF16, true, 4)
	LdmatrixBTrans = ldmatrix(emit.BF16, true, 2)

	LdmatrixF16A      = ldmatrix(emit.F16, false, 4)
	LdmatrixF16B      = ldmatrix(emit.F16, false, 2)
	LdmatrixF16ATrans = ldmatrix(emit.F16, true, 4)
	LdmatrixF16BTrans = ldmatrix(emit.F16, true, 2)

	// For elements of 8 and of 32 bits, mma wants 16 bytes of a row as well, but not those
	// of a transpose.
	LdmatrixWordsA = ldmatrix(emit.I32, false, 4)
	LdmatrixWordsB = ldmatrix(emit.I32, false, 2)
)

// ldmatrix declares the form whose results have regs registers each.
func ldmatrix(e emit.Elem, trans bool, regs int) *emit.Instruction {
	vendor := "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
	if trans {
		vendor = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
	}
	name := vendor
	if regs == 2 {
		name += "/pair"
	}
	if e != emit.BF16 {
		name += "/" + e.String()
	}
	per := 32 / e.Bits() // elements a register
	i := emit.Instruction{
		Name: name,
		Doc:  "loads four 8 x 8 matrices of 16-bit elements, whose rows the lanes point at, 8 lanes a matrix",
		In:   []emit.Type{emit.Pointer(emit.Shared, 16)},
		Sync: emit.Warp,
		Mem:  emit.Reads,
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			for matrix := range 4 {
				var rows [8][]byte
				for j := range rows {
					p := in[8*matrix+j][0]
					b, err := p.Mem.Read(p.Offset(), 16)
					if err != nil {
						return fmt.Errorf("row %d of matrix %d: %w", j, matrix, err)
					}
					rows[j] = b
				}
				for lane := range out {
					to := out[lane][matrix/regs].Lane[matrix%regs*per:][:per]
					clear(to)
					for i := range 2 {
						row, col := lane/4, lane%4*2+i
						if trans {
							row, col = col, row
						}
						to[i*per/2] |= uint64(binary.LittleEndian.Uint16(rows[row][2*col:])) << (16 * i % e.Bits())
					}
				}
			}
			return nil
		},
		Needs: "sm_80", // sm_75 has it, but not the mma that it feeds
	}
	text := " {{0}}, [{1}];"
	if regs == 2 {
		text = " {{0}, {1}}, [{2}];"
	}
	for range 4 / regs {
		i.Out = append(i.Out, emit.Frag(emit.Vector(e, per), regs))
		i.Tied = append(i.Tied, -1)
	}
	i.Text = map[string]string{"ptx": vendor + text}
	return emit.Declare(i)
}
