package inst

import "github.com/tilesmith/tilesmith/emit"

// MmaBF16 and MmaF16 multiply 16 x 16 by 16 x 8 for a warp. Products are exact;
// the order and rounding of their sum are open in PTX and are k ascending, in
// f32, here. Sections 9.7.14.5.8 and 9.7.14.5.14.
var (
	MmaBF16 = mma(emit.BF16)
	MmaF16  = mma(emit.F16)
)

func mma(e emit.Elem) *emit.Instruction {
	name := "mma.sync.aligned.m16n8k16.row.col.f32." + e.String() + "." + e.String() + ".f32"
	pair, acc := emit.Vector(e, 2), emit.Frag(emit.Scalar(emit.F32), 4)
	return emit.Declare(emit.Instruction{
		Name: name,
		Doc:  "operand 2 + A*B: MmaA, MmaB and MmaC say which element is where",
		In:   []emit.Type{emit.Frag(pair, 4), emit.Frag(pair, 2), acc},
		Out:  []emit.Type{acc},
		Tied: []int{2}, // PTX would take other registers; a chain of sums wants the same
		Sync: emit.Warp,
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			var a, b [16 * 16]float32 // A by rows, B by columns
			for lane := range 32 {
				for i, x := range in[lane][0].Lane {
					row, k := MmaA(lane, i)
					a[row*16+k] = float32(emit.Decode(e, x))
				}
				for i, x := range in[lane][1].Lane {
					k, col := MmaB(lane, i)
					b[col*16+k] = float32(emit.Decode(e, x))
				}
			}
			for lane := range 32 {
				for i, x := range in[lane][2].Lane {
					row, col := MmaC(lane, i)
					sum := dot(float32(emit.Decode(emit.F32, x)), a[row*16:row*16+16], b[col*16:])
					out[lane][0].Lane[i] = emit.Encode(emit.F32, float64(sum))
				}
			}
			return nil
		},
		Text:  map[string]string{"ptx": name + " {{0}}, {{1}}, {{2}}, {{3}};"},
		Needs: "sm_80",
	})
}

// dot returns acc + the products of a and b, rounded to f32 after each.
func dot(acc float32, a, b []float32) float32 {
	for k, x := range a {
		acc += float32(x * b[k]) // the conversion forbids the compiler to fuse
	}
	return acc
}

// MmaA returns where element i of lane's fragment of A stands. Lanes count by
// quads: lane/4 is a row, lane%4 a pair of columns; registers go down 8 rows
// first, then right 8 columns. Section 9.7.14.5.8.
func MmaA(lane, i int) (row, k int) {
	return lane/4 + i/2%2*8, lane%4*2 + i%2 + i/4*8
}

// MmaB returns where element i of lane's fragment of B stands: the same with rows
// and columns exchanged, on 8 columns.
func MmaB(lane, i int) (k, col int) {
	return lane%4*2 + i%2 + i/2*8, lane / 4
}

// MmaC returns where element i of lane's accumulators stands.
func MmaC(lane, i int) (row, col int) {
	return lane/4 + i/2*8, lane%4*2 + i%2
}
