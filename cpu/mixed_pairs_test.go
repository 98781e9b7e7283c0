package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/internal/storm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A mixedPair is the tests of one product of operands, sums and results of four types.
type mixedPair struct {
	name                  string
	isas                  []string // of its kernels that this machine has, the portable code last
	plain                 bool     // the results are of the type of the sums
	suite, scaled, allocs func(t *testing.T, isa string)
	packed, batch, short  func(t *testing.T, isa string)
	fuzz                  func(t *testing.T, in fuzzBytes)
	storm                 func(next func(n int) int) []storm.Call
}

// mixedPairs has every pair that there are kernels for, and some of the others: each type of
// operands, sums and results at least once.
func mixedPairs() []mixedPair {
	return []mixedPair{
		pairOf[float32, dtype.BF16, dtype.BF16, float32](),
		pairOf[float32, dtype.BF16, dtype.BF16, dtype.BF16](),
		pairOf[float32, dtype.F16, dtype.F16, float32](),
		pairOf[float32, dtype.F16, dtype.F16, dtype.F16](),
		pairOf[int32, int8, int8, int32](),
		pairOf[int32, uint8, int8, int32](),
		pairOf[int32, int8, uint8, int32](),
		pairOf[int32, uint8, uint8, int32](),
		pairOf[int32, int16, int16, int32](),
		pairOf[int32, int8, int16, int32](),
		pairOf[int32, int16, int8, int32](),
		pairOf[int32, uint8, int16, int32](),
		pairOf[float32, float32, float32, float32](),
		pairOf[float32, float32, float32, dtype.BF16](),
		pairOf[float32, float32, dtype.BF16, float32](),
		pairOf[float32, float32, int8, float32](),
		pairOf[float32, int16, dtype.F16, float32](),
		pairOf[float64, float64, float64, float64](),
		pairOf[float64, float32, float64, float32](),
		pairOf[float64, dtype.BF16, uint8, dtype.F16](),
	}
}

func pairOf[Acc dtype.Sum, A, B, Out dtype.Elem]() mixedPair {
	return mixedPair{
		name:   fmt.Sprintf("%v.%v.%v.%v", dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]()),
		isas:   mixedISAs[Acc, A, B](),
		plain:  dtype.Of[Acc]() == dtype.Of[Out](),
		suite:  mixedSuite[Acc, A, B, Out],
		scaled: mixedScaled[Acc, A, B, Out],
		allocs: mixedAllocs[Acc, A, B, Out],
		packed: mixedPacked[Acc, A, B, Out],
		batch:  mixedBatches[Acc, A, B, Out],
		short:  mixedShort[Acc, A, B, Out],
		fuzz:   fuzzMixed[Acc, A, B, Out],
		storm:  mixedStorm[Acc, A, B, Out],
	}
}

// eachMixed runs a test of every pair on every variant of its kernels, in a short run of every second pair on the best.
func eachMixed(t *testing.T, f func(t *testing.T, p mixedPair, isa string)) {
	for i, p := range mixedPairs() {
		for v, isa := range p.isas {
			if level.Of(v > 0 || i%2 > 0, false, false) {
				continue
			}
			t.Run(p.name+"/"+isa, func(t *testing.T) { f(t, p, isa) })
		}
	}
}

// mixedISAs lists the variants that a product has here, best first: an instruction set whose
// variant is that of another is not among them.
func mixedISAs[Acc dtype.Sum, A, B dtype.Elem]() (isas []string) {
	for _, v := range mixedOf[Acc, A, B]("cpu.mixedISAs").Variants {
		if slices.Contains(ISAs(), v.ISA) {
			isas = append(isas, v.ISA)
		}
	}
	return append(isas, run.Portable)
}

// defaultISA returns the one of isas that a call runs which asks for none.
func defaultISA(isas []string) string {
	asked, _, err := run.AskedISA()
	if err != nil {
		panic(err)
	}
	if asked == "" {
		return isas[0]
	}
	for i := isaset.ByName(asked); i != nil; i = i.Extends {
		if slices.Contains(isas, i.Name) {
			return i.Name
		}
	}
	return run.Portable
}

// packedOn is PackOf for one variant.
func packedOn[Acc dtype.Sum, A, B dtype.Elem](isa string, b layout.Matrix[B]) *run.Packed {
	return dense.Pack(mixedOf[Acc, A, B]("cpu.packedOn"), nil, Options{ISA: isa, Caller: "cpu.packedOn"}, b)
}

// rounded is what a product makes of an integer that is a finished sum.
func rounded[T dtype.Elem](x int64) (y T) {
	switch p := any(&y).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = float64(x)
	case *dtype.F16:
		*p = dtype.ToF16(float64(x))
	case *dtype.BF16:
		*p = dtype.ToBF16(float64(x))
	case *int8:
		*p = int8(x)
	case *uint8:
		*p = uint8(x)
	case *int16:
		*p = int16(x)
	case *int32:
		*p = int32(x)
	}
	return y
}

// storedAs is what a product makes of a finished sum.
func storedAs[Out dtype.Elem, Acc dtype.Sum](sum Acc) (y Out) {
	switch p := any(&y).(type) {
	case *float32:
		*p = float32(sum)
	case *float64:
		*p = float64(sum)
	case *dtype.F16:
		*p = dtype.ToF16(float64(sum))
	case *dtype.BF16:
		*p = dtype.ToBF16(float64(sum))
	case *int32:
		*p = int32(sum)
	}
	return y
}

// mixedNumbers returns integers that are such of T: all of a type of integers where sums of
// them wrap, else so few that no sum of a thousand products rounds.
func mixedNumbers[T dtype.Elem, Acc dtype.Sum](next func(n int) int) func() T {
	least, most := -4, 4
	if dtype.Of[Acc]() == dtype.I32 {
		least, most = -1<<15, 1<<15-1
	}
	if t := dtype.Of[T](); t == dtype.I8 {
		least, most = max(least, math.MinInt8), min(most, math.MaxInt8)
	} else if t == dtype.U8 {
		least, most = 0, min(2*most, math.MaxUint8)
	}
	return func() T { return rounded[T](int64(least + next(most-least+1))) }
}

// mixedMatrix is matrix for any type; between its elements lies what is left of NaN.
func mixedMatrix[T dtype.Elem](o order, rows, cols int, next func() T) layout.Matrix[T] {
	shape := matrix[float32](o, rows, cols, func() float32 { return 0 })
	m := layout.Matrix[T]{Data: make([]T, len(shape.Data)), Rows: rows, Cols: cols, RowStride: shape.RowStride, ColStride: shape.ColStride}
	for i := range m.Data {
		m.Data[i] = storedAs[T](float32(77))
	}
	for i := range rows {
		for j := range cols {
			m.Set(i, j, next())
		}
	}
	return m
}

// mixedWant is the product of integers, made in int64.
func mixedWant[Acc dtype.Sum, A, B, Out dtype.Elem](opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) layout.Matrix[Out] {
	x, y := opt.Scaling.Factors()
	want := layout.New[Out](out.Rows, out.Cols)
	wide, sums := integersOf(b), make([]int64, out.Cols)
	for i := range out.Rows {
		clear(sums)
		for p := 0; p < a.Cols && x != 0; p++ {
			v := int64(check.Float64(a.At(i, p)))
			for j, w := range wide[p*b.Cols:][:b.Cols] {
				sums[j] += v * w
			}
		}
		for j, sum := range sums {
			sum *= int64(x)
			if y != 0 {
				sum += int64(y) * int64(check.Float64(out.At(i, j)))
			}
			want.Set(i, j, rounded[Out](sum))
		}
	}
	return want
}

// mixedStorm is a product with packed weights, and one whose operands lie on the stack.
func mixedStorm[Acc dtype.Sum, A, B, Out dtype.Elem](next func(n int) int) []storm.Call {
	name := fmt.Sprintf("MatMulOf/%v.%v.%v.%v", dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]())
	na, nb := mixedNumbers[A, Acc](next), mixedNumbers[B, Acc](next)
	x, y := mixedMatrix(rowMajor, 33, 70, na), mixedMatrix(rowMajor, 70, 90, nb)
	packed := PackOf[Acc, A](y)
	var a0 [12 * 20]A
	var b0 [20 * 12]B
	copy(a0[:], x.Data)
	copy(b0[:], y.Data)
	return []storm.Call{
		{Name: name + "/packed", Once: func() uint64 {
			out := layout.New[Out](33, 90)
			MatMulOfOpt[Acc](Options{B: packed, Threads: 2}, out, x, y)
			return mixedBits(out.Data)
		}},
		{Name: name + "/on the stack", Once: func() uint64 {
			a, b := a0, b0
			var out [144]Out
			MatMulOf[Acc](layout.RowMajor(out[:], 12, 12), layout.RowMajor(a[:], 12, 20), layout.RowMajor(b[:], 20, 12))
			return mixedBits(out[:])
		}},
	}
}

// mixedBits is [storm.Bits] for any type.
func mixedBits[T dtype.Elem](x []T) uint64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = check.Float64(v)
	}
	return storm.Bits(wide)
}

// integersOf returns the elements of m, which are integers, row by row.
func integersOf[T dtype.Elem](m layout.Matrix[T]) []int64 {
	x := make([]int64, 0, m.Rows*m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			x = append(x, int64(check.Float64(m.At(i, j))))
		}
	}
	return x
}
