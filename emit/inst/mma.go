package inst

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// The dense products of a warp on tensor cores, row by column: operand 2 + A*B. Sections
// 9.7.14.5.7 to 9.7.14.5.14. Products are exact. PTX leaves the order and rounding of sums
// of f32 open; here k ascends and each step rounds. Sums of f64 are fused, and those of
// integers wrap around.
//
// Operands narrower than 32 bits lie together in registers of 32, the first in the low
// bits. Those of 16 bits are vectors of two in the IR; of all others a register is an i32.
var (
	MmaBF16 = mma(shape{16, 8, 16}, "bf16", "bf16", "f32", "sm_80")
	MmaF16  = mma(shape{16, 8, 16}, "f16", "f16", "f32", "sm_80")
	// MmaF16Sums rounds sums to f16 once, after all of its depth.
	MmaF16Sums = mma(shape{16, 8, 16}, "f16", "f16", "f16", "sm_80")
	// MmaTF32 does not look at the low 13 bits of its operands: see RoundTF32.
	MmaTF32 = mma(shape{16, 8, 8}, "tf32", "tf32", "f32", "sm_80")
	// MmaF64 is what sm_80 has; MmaF64x16 is for sm_90, which does four times as much at once.
	MmaF64    = mma(shape{8, 8, 4}, "f64", "f64", "f64", "sm_80")
	MmaF64x16 = mma(shape{16, 8, 16}, "f64", "f64", "f64", "sm_90")
)

// MmaInt8 are the products of 8-bit integers and MmaFP8 those of 8-bit floats, by the
// types of A and of B as PTX spells them.
var (
	MmaInt8 = pairs(mma, shape{16, 8, 32}, "s32", "sm_80", "s8", "u8")
	MmaFP8  = pairs(mma, shape{16, 8, 32}, "f32", "sm_89", "e4m3", "e5m2")
)

func pairs(of func(s shape, ta, tb, acc, needs string) *emit.Instruction, s shape, acc, needs string, types ...string) map[[2]string]*emit.Instruction {
	all := map[[2]string]*emit.Instruction{}
	for _, a := range types {
		for _, b := range types {
			all[[2]string{a, b}] = of(s, a, b, acc, needs)
		}
	}
	return all
}

// An operand type of mma: how it lies in registers, and what a number of bits is.
type mmaType struct {
	reg    emit.Type
	bits   int
	decode func(x uint64) float64
}

func floating(e emit.Elem) func(x uint64) float64 {
	return func(x uint64) float64 { return e.Decode(x) }
}

var mmaTypes = map[string]mmaType{
	"bf16": {emit.Vector(emit.BF16, 2), 16, floating(emit.BF16)},
	"f16":  {emit.Vector(emit.F16, 2), 16, floating(emit.F16)},
	"tf32": {emit.Int32, 32, func(x uint64) float64 { return emit.F32.Decode(x &^ 0x1fff) }},
	"f64":  {emit.Scalar(emit.F64), 64, floating(emit.F64)},
	"s8":   {emit.Int32, 8, func(x uint64) float64 { return float64(int8(x)) }},
	"u8":   {emit.Int32, 8, func(x uint64) float64 { return float64(uint8(x)) }},
	"e4m3": {emit.Int32, 8, floating(emit.F8E4M3)},
	"e5m2": {emit.Int32, 8, floating(emit.F8E5M2)},
}

// element returns number i of those in the registers x.
func (t mmaType) element(x emit.Word, i int) float64 {
	per := max(1, t.reg.Elem.Bits()/t.bits) // in a lane
	return t.decode(x.Lane[i/per] >> (i % per * t.bits) & (1<<(t.bits-1)<<1 - 1))
}

// mmaSums are the sums: how they lie in registers, and acc + the products of a and b as bits.
var mmaSums = map[string]struct {
	reg emit.Type
	sum func(acc uint64, a, b []float64) uint64
}{
	"f32": {emit.Scalar(emit.F32), func(acc uint64, a, b []float64) uint64 {
		s := float32(emit.F32.Decode(acc))
		for k, x := range a {
			s += float32(x * b[k]) // the conversion forbids the compiler to fuse
		}
		return emit.F32.Encode(float64(s))
	}},
	"f16": {emit.Vector(emit.F16, 2), func(acc uint64, a, b []float64) uint64 {
		s := float32(emit.F16.Decode(acc))
		for k, x := range a {
			s += float32(x * b[k])
		}
		return emit.F16.Encode(float64(s))
	}},
	"f64": {emit.Scalar(emit.F64), func(acc uint64, a, b []float64) uint64 {
		s := math.Float64frombits(acc)
		for k, x := range a {
			s = math.FMA(x, b[k], s)
		}
		return math.Float64bits(s)
	}},
	"s32": {emit.Scalar(emit.I32), func(acc uint64, a, b []float64) uint64 {
		s := int32(acc)
		for k, x := range a {
			s += int32(x * b[k])
		}
		return uint64(uint32(s))
	}},
}

func mma(s shape, ta, tb, acc, needs string) *emit.Instruction {
	i := product("mma.sync.aligned", s, s.k, ta, tb, acc, needs, func([][]emit.Word) (picker, error) {
		return func(b []float64, _ int) []float64 { return b }, nil
	})
	i.Doc = "operand 2 + A*B of a warp"
	i.Text = map[string]string{"ptx": i.Name + " {{0}}, {{1}}, {{2}}, {{3}};"}
	return emit.Declare(i)
}

// A picker returns the elements of a column of B that are multiplied with those of a row of A.
type picker func(b []float64, row int) []float64

// product is an instruction whose fragments of A have k of the columns of A. pick makes the picker of its operands.
func product(op string, s shape, k int, ta, tb, acc, needs string, pick func(in [][]emit.Word) (picker, error)) emit.Instruction {
	a, b, sums := mmaTypes[ta], mmaTypes[tb], mmaSums[acc]
	per := max(1, 32/a.bits) // elements a register
	c := emit.Frag(sums.reg, s.m*s.n/32/max(1, sums.reg.Lanes))
	return emit.Instruction{
		Name: fmt.Sprintf("%s.m%dn%dk%d.row.col.%s.%s.%s.%s", op, s.m, s.n, s.k, acc, ta, tb, acc),
		In:   []emit.Type{emit.Frag(a.reg, s.m*k/32/per), emit.Frag(b.reg, s.k*s.n/32/per), c},
		Out:  []emit.Type{c},
		Tied: []int{2}, // PTX would take other registers; a chain of sums wants the same
		Sync: emit.Warp,
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			as, bs := make([]float64, s.m*k), make([]float64, s.n*s.k) // A by rows, B by columns
			for lane := range 32 {
				for i := range s.m * k / 32 {
					row, l := s.a(per, lane, i)
					as[row*k+l] = a.element(in[lane][0], i)
				}
				for i := range s.n * s.k / 32 {
					l, col := s.b(per, lane, i)
					bs[col*s.k+l] = b.element(in[lane][1], i)
				}
			}
			picked, err := pick(in)
			if err != nil {
				return err
			}
			for lane := range 32 {
				for i, x := range in[lane][2].Lane {
					row, col := MmaC(lane, i)
					out[lane][0].Lane[i] = sums.sum(x, as[row*k:][:k], picked(bs[col*s.k:][:s.k], row))
				}
			}
			return nil
		},
		Needs: needs,
	}
}

// dot returns acc + the products of a and b, rounded to f32 after each.
func dot(acc float32, a, b []float32) float32 {
	for k, x := range a {
		acc += float32(x * b[k]) // the conversion forbids the compiler to fuse
	}
	return acc
}

// A shape is that of one mma: an m x k A and a k x n B.
type shape struct{ m, n, k int }

// a returns where element i of lane's fragment of A stands, per elements a register.
// Lanes count by quads: lane/4 is a row, lane%4 as many columns as a register holds;
// registers go down 8 rows first, then right.
func (s shape) a(per, lane, i int) (row, k int) {
	r, down := i/per, 0
	if s.m == 16 {
		r, down = r/2, r%2*8
	}
	return lane/4 + down, lane%4*per + i%per + 4*per*r
}

// b returns where element i of lane's fragment of B stands: the same with rows and
// columns exchanged, on 8 columns.
func (s shape) b(per, lane, i int) (k, col int) {
	return lane%4*per + i%per + 4*per*(i/per), lane / 4
}

// MmaA returns where element i of lane's fragment of A stands, in instructions on 16 bits.
func MmaA(lane, i int) (row, k int) { return shape{16, 8, 16}.a(2, lane, i) }

// MmaB returns where element i of lane's fragment of B stands, in instructions on 16 bits.
func MmaB(lane, i int) (k, col int) { return shape{16, 8, 16}.b(2, lane, i) }

// MmaC returns where element i of lane's sums stands, in all instructions.
func MmaC(lane, i int) (row, col int) {
	return lane/4 + i/2*8, lane%4*2 + i%2
}
