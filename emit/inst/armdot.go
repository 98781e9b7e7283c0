package inst

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// Dot products of arm64, into sums of four lanes. Those of bytes take both factors with a sign, or both
// without one.

// ArmDotI8 adds products of four i8 to each sum of i32, which wraps around. Arm DDI 0487, SDOT (vector).
var ArmDotI8 = declareArmDot("sdot", "products of four i8 added to i32", "neondot", emit.I32, emit.I8,
	armI8)

// ArmDotU8 adds products of four u8 to each sum of i32, which wraps around. Arm DDI 0487, UDOT (vector).
var ArmDotU8 = declareArmDot("udot", "products of four u8 added to i32", "neondot", emit.I32, emit.I8,
	armU8)

// ArmDotBF16 adds the sum of the products of a pair of bf16 to each sum of f32. Both additions round to
// odd, denormals are zeros before and after, and every NaN is the same. Arm DDI 0487, BFDOT (vector) and
// BFDotAdd, where FPCR.EBF is 0, as systems leave it.
var ArmDotBF16 = declareArmDot("bfdot", "sums of the products of pairs of bf16 added to f32, rounded to odd; denormals are zeros", "neonbf16", emit.F32, emit.BF16,
	armBF16)

// Products of two rows of x and two columns of y, eight bytes each: sums of row 0 come first.
var (
	// ArmSquareI8 is of i8 x i8 to i32, which wrap around. Arm DDI 0487, SMMLA (vector).
	ArmSquareI8 = declareArmSquare("smmla", "products of 2 x 8 and 8 x 2 i8 added to i32", "neoni8mm", emit.I32, emit.I8, armI8)
	// ArmSquareU8 is of u8 x u8 to i32, which wrap around. Arm DDI 0487, UMMLA (vector).
	ArmSquareU8 = declareArmSquare("ummla", "products of 2 x 8 and 8 x 2 u8 added to i32", "neoni8mm", emit.I32, emit.I8, armU8)
	// ArmSquareBF16 is of bf16 x bf16 to f32, two steps as of [ArmDotBF16]. Arm DDI 0487, BFMMLA.
	ArmSquareBF16 = declareArmSquare("bfmmla", "products of 2 x 4 and 4 x 2 bf16 added to f32, rounded to odd after each second; denormals are zeros", "neonbf16",
		emit.F32, emit.BF16, func(acc uint64, x, y []uint64) uint64 { return armBF16(armBF16(acc, x[:2], y[:2]), x[2:], y[2:]) })
)

func armI8(acc uint64, x, y []uint64) uint64 {
	sum := int32(acc)
	for i := range x {
		sum += int32(int8(x[i])) * int32(int8(y[i]))
	}
	return uint64(uint32(sum))
}

func armU8(acc uint64, x, y []uint64) uint64 {
	sum := uint32(acc)
	for i := range x {
		sum += uint32(uint8(x[i])) * uint32(uint8(y[i]))
	}
	return uint64(sum)
}

func armBF16(acc uint64, x, y []uint64) uint64 {
	wide := func(b uint64) float64 { return normal(math.Float32frombits(uint32(b) << 16)) }
	var p [2]float64
	for i := range p {
		p[i] = float64(odd(wide(x[i])*wide(y[i]), 0)) // exact but for its exponent
	}
	pair := odd(exactSum(p[0], p[1]))
	return uint64(math.Float32bits(odd(exactSum(normal(math.Float32frombits(uint32(acc))), normal(pair)))))
}

// normal is x, or a zero of its sign if it is denormal.
func normal(x float32) float64 {
	if math.Abs(float64(x)) < leastNormal {
		return math.Copysign(0, float64(x))
	}
	return float64(x)
}

// leastNormal is the least normal float32.
const leastNormal = 0x1p-126

// exactSum is x+y as a number and what it lacks of the sum. (Knuth)
func exactSum(x, y float64) (sum, rest float64) {
	sum = x + y
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sum, 0
	}
	z := sum - x
	return sum, (x - (sum - z)) + (y - z)
}

// odd is x+rest as a float32, rounded to odd: to the number towards zero, whose last bit becomes one if it
// is not exact. What is less than normal before is zero, what is more than the largest number is infinite,
// and NaN is the default one.
func odd(x, rest float64) float32 {
	switch {
	case math.IsNaN(x):
		return math.Float32frombits(0x7fc00000)
	case math.IsInf(x, 0) || x == 0:
		return float32(x)
	}
	bits := math.Float64bits(x)
	if rest != 0 { // to odd in float64 first, which has bits to spare
		if math.Signbit(rest) != math.Signbit(x) {
			bits--
		}
		bits |= 1
	}
	const spare = 52 - 23
	lost := bits&(1<<spare-1) != 0
	bits &^= 1<<spare - 1
	if lost {
		bits |= 1 << spare
	}
	x = math.Float64frombits(bits)
	switch {
	case math.Abs(x) < leastNormal:
		return float32(math.Copysign(0, x))
	case math.Abs(x) > math.MaxFloat32:
		return float32(math.Inf(int(math.Copysign(1, x))))
	}
	return float32(x)
}

// declareArmDot declares an instruction of which each sum is as wide as the elements it takes.
func declareArmDot(mnemonic, doc, needs string, sum, elem emit.Elem, lane func(acc uint64, x, y []uint64) uint64) *emit.Instruction {
	return declareArm(mnemonic, doc, needs, sum, elem, func(sums, x, y []uint64) {
		n := len(x) / len(sums)
		for c := range sums {
			sums[c] = lane(sums[c], x[n*c:n*c+n], y[n*c:n*c+n])
		}
	})
}

// declareArmSquare declares an instruction of which each sum is of a half of x and a half of y.
func declareArmSquare(mnemonic, doc, needs string, sum, elem emit.Elem, lane func(acc uint64, x, y []uint64) uint64) *emit.Instruction {
	return declareArm(mnemonic, doc, needs, sum, elem, func(sums, x, y []uint64) {
		n := len(x) / 2
		for c := range sums {
			sums[c] = lane(sums[c], x[c/2*n:][:n], y[c%2*n:][:n])
		}
	})
}

func declareArm(mnemonic, doc, needs string, sum, elem emit.Elem, run func(sums, x, y []uint64)) *emit.Instruction {
	of := map[int]string{8: "16b", 16: "8h"}[elem.Bits()]
	sums, elems := emit.Vector(sum, 4), emit.Vector(elem, 128/elem.Bits())
	return emit.Declare(emit.Instruction{
		Name: "arm64." + mnemonic, Doc: doc, Needs: needs,
		In: []emit.Type{sums, elems, elems}, Out: []emit.Type{sums}, Tied: []int{0},
		Text: map[string]string{"arm64": mnemonic + " {v0}.4s, {v2}." + of + ", {v3}." + of},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			result := append([]uint64(nil), in[0][0].Lane...)
			run(result, in[0][1].Lane, in[0][2].Lane)
			out[0][0] = emit.Word{Lane: result}
			return nil
		},
	})
}
