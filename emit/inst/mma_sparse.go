package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// The products of a warp on tensor cores whose A is stored half: operand 2 + A*B, section
// 9.7.14.6. A's fragment is what is stored; operand 3 is metadata, which says what of B it is
// multiplied with: see [SparseA]. Sums are as in mma, of what is stored.
var (
	SparseMmaBF16 = sparseMMA(shape{16, 8, 32}, "bf16", "bf16", "f32", "sm_80")
	SparseMmaF16  = sparseMMA(shape{16, 8, 32}, "f16", "f16", "f32", "sm_80")
	// SparseMmaF16Sums rounds sums to f16 once.
	SparseMmaF16Sums = sparseMMA(shape{16, 8, 32}, "f16", "f16", "f16", "sm_80")
	SparseMmaTF32    = sparseMMA(shape{16, 8, 16}, "tf32", "tf32", "f32", "sm_80")
)

// SparseMmaInt8 and SparseMmaFP8 are those of 8-bit types, by the types of A and of B.
var (
	SparseMmaInt8 = pairs(sparseMMA, shape{16, 8, 64}, "s32", "sm_80", "s8", "u8")
	SparseMmaFP8  = pairs(sparseMMA, shape{16, 8, 64}, "f32", "sm_89", "e4m3", "e5m2")
)

// SparseChunk is how many neighbours along K four bits of metadata are for, of elements of
// so many bits. Half of them are stored.
func SparseChunk(bits int) int {
	if bits == 32 {
		return 2
	}
	return 4
}

// SparseLane returns where the metadata of a chunk of a row is in one instruction: the lane
// and the first of four bits. Instructions on 8 bits take it of all lanes, others of the
// first two of each quad. Section 9.7.14.6.1.
func SparseLane(bits, row, chunk int) (lane, bit int) {
	if bits == 8 {
		return row%8*4 + row/8 + chunk/8*2, chunk % 8 * 4
	}
	return row%8*4 + chunk/4, row/8*16 + chunk%4*4
}

func sparseMMA(s shape, ta, tb, acc, needs string) *emit.Instruction {
	bits := mmaTypes[ta].bits
	i := product("mma.sp::ordered_metadata.sync.aligned", s, s.k/2, ta, tb, acc, needs, func(in [][]emit.Word) (picker, error) {
		var places [16][]int
		for row := range places {
			for chunk := range s.k / SparseChunk(bits) {
				lane, bit := SparseLane(bits, row, chunk)
				list, err := sparsePlaces(bits, in[lane][3].Lane[0]>>bit&15)
				if err != nil {
					return nil, fmt.Errorf("row %d, chunk %d of lane %d: %w", row, chunk, lane, err)
				}
				for _, p := range list {
					places[row] = append(places[row], chunk*SparseChunk(bits)+p)
				}
			}
		}
		picked := make([]float64, s.k/2)
		return func(b []float64, row int) []float64 {
			for n, k := range places[row] {
				picked[n] = b[k]
			}
			return picked
		}, nil
	})
	i.Doc = "operand 2 + A*B of a warp, half of A being stored and operand 3 saying which"
	i.In = append(i.In, emit.Int32)
	i.Text = map[string]string{"ptx": i.Name + " {{0}}, {{1}}, {{2}}, {{3}}, {4}, 0x0;"}
	return emit.Declare(i)
}

// sparsePlaces returns which elements of a chunk its metadata names.
func sparsePlaces(bits int, code uint64) ([]int, error) {
	switch {
	case bits == 32 && (code == 0b0100 || code == 0b1110):
		return []int{int(code >> 3)}, nil
	case bits == 32:
		return nil, fmt.Errorf("the metadata %04b is neither 0100 nor 1110", code)
	case code&3 >= code>>2:
		return nil, fmt.Errorf("the metadata %04b does not name two elements that ascend", code)
	}
	return []int{int(code & 3), int(code >> 2)}, nil
}
