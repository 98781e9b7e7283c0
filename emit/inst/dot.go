package inst

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Dot products of narrow elements, each into one lane of sums as wide as the elements
// that it takes. Operands are the sums, x and y, and the result has the sums' register.

// DotBF16 returns the instruction that adds the products of two pairs of bf16 to each of
// lanes sums of f32. It adds the product of the second elements first, then that of the
// first, each step as [emit.MulAddFlush] does it. The sum after the first step is rounded,
// and flushed if it is denormal, like the last. It returns nil if there is none of so many
// lanes. Intel SDM volume 2, VDPBF16PS. That flushing follows rounding is not said there;
// a Zen 4 does so.
func DotBF16(lanes int) *emit.Instruction { return dotsBF16[lanes] }

// DotU8I8 returns the instruction that adds products of four elements to each of lanes
// sums of i32, which wrap around. Elements of x are unsigned, those of y signed. It
// returns nil if there is no instruction for that number of lanes. Intel SDM volume 2,
// VPDPBUSD.
func DotU8I8(lanes int) *emit.Instruction { return dotsU8I8[lanes] }

// DotI16 returns the instruction that adds the products of two pairs of i16 to each of
// lanes sums of i32, which wrap around. It returns nil if there is no instruction for
// that number of lanes. Intel SDM volume 2, VPDPWSSD.
func DotI16(lanes int) *emit.Instruction { return dotsI16[lanes] }

// MulPairsI16 returns the instruction that gives lanes sums of the products of two pairs of i16, as
// i32: of -32768 four times it is -1<<31. It is nil if there is none of so many lanes.
// Intel SDM volume 2, VPMADDWD; arm64 takes three for it.
func MulPairsI16(lanes int) *emit.Instruction { return pairsI16[lanes] }

var dotsBF16, dotsU8I8, dotsI16, pairsI16 = map[int]*emit.Instruction{}, map[int]*emit.Instruction{}, map[int]*emit.Instruction{}, map[int]*emit.Instruction{}

func init() {
	for _, lanes := range []int{4, 8, 16} {
		i32 := emit.Vector(emit.I32, lanes)
		dotsBF16[lanes] = declareDot(dotForm{"VDPBF16PS", "products of pairs of bf16 added to f32, the second of a pair first; denormals are zeros", "avx512bf16",
			emit.Vector(emit.F32, lanes), emit.Vector(emit.BF16, 2*lanes)}, true, addBF16)
		dotsU8I8[lanes] = declareDot(dotForm{"VPDPBUSD", "products of four u8 and i8 added to i32", "avx512vnni avxvnni", i32, emit.Vector(emit.I8, 4*lanes)}, true,
			func(acc uint64, x, y []uint64) uint64 {
				sum := int32(acc)
				for i := range x {
					sum += int32(uint8(x[i])) * int32(int8(y[i]))
				}
				return uint64(uint32(sum))
			})
		dotsI16[lanes] = declareDot(dotForm{"VPDPWSSD", "products of pairs of i16 added to i32", "avx512vnni avxvnni", i32, emit.Vector(emit.I16, 2*lanes)}, true, addI16)
		pairsI16[lanes] = declareDot(dotForm{"VPMADDWD", "sums of the products of pairs of i16", "", i32, emit.Vector(emit.I16, 2*lanes)}, false, addI16)
	}
	// {vt} is a register of the instruction's own. DDI 0487, SMULL and ADDP (vector).
	pairsI16[4].Text["arm64"] = "smull {vt}.4s, {v1}.4h, {v2}.4h\nsmull2 {v0}.4s, {v1}.8h, {v2}.8h\naddp {v0}.4s, {vt}.4s, {v0}.4s"
}

func addBF16(acc uint64, x, y []uint64) uint64 {
	sum := math.Float32frombits(uint32(acc))
	wide := func(b uint64) float32 { return math.Float32frombits(uint32(b) << 16) }
	for _, i := range []int{1, 0} {
		sum = emit.MulAddFlush(wide(x[i]), wide(y[i]), sum)
	}
	return uint64(math.Float32bits(sum))
}

func addI16(acc uint64, x, y []uint64) uint64 {
	sum := int32(acc)
	for i := range x {
		sum += int32(int16(x[i])) * int32(int16(y[i]))
	}
	return uint64(uint32(sum))
}

// dotForm is what the instructions of a family differ in.
type dotForm struct {
	mnemonic, doc, needs string
	sums, elems          emit.Type
}

// declareDot declares an instruction; without sums among its operands it begins at zero. lane
// does one sum.
func declareDot(f dotForm, adds bool, lane func(acc uint64, x, y []uint64) uint64) *emit.Instruction {
	i := emit.Instruction{
		Name: fmt.Sprintf("amd64.%s.%d", f.mnemonic, f.sums.Lanes), Doc: f.doc, Needs: f.needs,
		In: []emit.Type{f.elems, f.elems}, Out: []emit.Type{f.sums},
		Text: map[string]string{"amd64": f.mnemonic + " {2}, {1}, {0}"},
	}
	if adds {
		i.In = append([]emit.Type{f.sums}, i.In...)
		i.Tied = []int{0}
		i.Text["amd64"] = f.mnemonic + " {3}, {2}, {0}"
	}
	i.Run = func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
		x, y := in[0][len(in[0])-2].Lane, in[0][len(in[0])-1].Lane
		sums := make([]uint64, f.sums.Lanes)
		if adds {
			copy(sums, in[0][0].Lane)
		}
		n := f.elems.Lanes / f.sums.Lanes
		for c := range sums {
			sums[c] = lane(sums[c], x[n*c:n*c+n], y[n*c:n*c+n])
		}
		out[0][0] = emit.Word{Lane: sums}
		return nil
	}
	return emit.Declare(i)
}
