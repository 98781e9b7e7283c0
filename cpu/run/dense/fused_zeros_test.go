package dense

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// integer is an operand of sums of int32.
type integer interface{ int8 | uint8 | int16 }

// requantised is a product of any pair with the epilogue that generated code would have of
// quant.RequantiseBias: bias of a column, scale of a row.
func requantised[A, B integer]() *Set[int32] {
	return &Set[int32]{Name: "test.Requantised", A: dtype.Of[A](), B: dtype.Of[B](), ColumnSums: true, Epilogue: func(e *run.EpiArgs) {
		for i := range int(e.Rows) {
			for j := range int(e.Cols) {
				sum := run.Sum[int32](e, i, j) - run.Load[int32](e, 4, i, j) - run.Load[int32](e, 5, i, j)
				run.Store(e, 0, i, j, quant.RequantiseBias(sum, run.Load[int32](e, 1, i, j), run.Load[float32](e, 2, i, j), run.Load[int8](e, 3, i, j)))
			}
		}
	}}
}

// fusedIntegers compares a product of one pair with the plain loop in int64.
func fusedIntegers[A, B integer](t *testing.T) {
	rnd := rand.New(level.PCG(5, uint64(dtype.Of[A]())<<8|uint64(dtype.Of[B]())))
	s := requantised[A, B]()
	for range 60 {
		m, n, k := rnd.IntN(60), rnd.IntN(30), rnd.IntN(40)
		a, b, out := layout.New[A](m, k), layout.New[B](k, n), layout.New[int8](m, n)
		if rnd.IntN(2) == 0 {
			a, b = layout.New[A](k, m).T(), layout.New[B](n, k).T()
		}
		if rnd.IntN(3) == 0 {
			out = layout.New[int8](n, m).T()
		}
		for i := range a.Data {
			a.Data[i] = A(rnd.Uint32())
		}
		for i := range b.Data {
			b.Data[i] = B(rnd.Uint32())
		}
		bias, scales, zero := make([]int32, n), make([]float32, m), int8(rnd.Uint32())
		for j := range bias {
			bias[j] = int32(rnd.Uint32()) >> 16
		}
		for i := range scales {
			scales[i] = rnd.Float32() / 1000
		}
		za, zb := A(rnd.Uint32())*A(rnd.IntN(2)), B(rnd.Uint32())*B(rnd.IntN(2))
		opt := run.Options{Threads: 1 + rnd.IntN(3)}
		if rnd.IntN(2) == 0 {
			opt.B = Pack(s, nil, run.Options{}, b)
		}
		e := run.NewEpilogue("test", m, n)
		run.Out(&e, "out", out)
		run.PerColumn(&e, "bias", bias)
		run.PerRow(&e, "scales", scales)
		run.Scalar(&e, zero)
		run.ZeroA(&e, za)
		run.ZeroB(&e, zb)
		Fuse(Call[int32]{Set: s}, &opt, &e, &a, &b)
		for i := range m {
			for j := range n {
				sum := int64(0)
				for p := range k {
					sum += (int64(a.At(i, p)) - int64(za)) * (int64(b.At(p, j)) - int64(zb))
				}
				if want := quant.RequantiseBias(int32(sum), bias[j], scales[i], zero); out.At(i, j) != want {
					t.Fatalf("%d x %d x %d, zero points %d and %d, packed %v: [%d,%d] is %d, want %d of sum %d", m, n, k, za, zb, opt.B != nil, i, j, out.At(i, j), want, sum)
				}
			}
		}
	}
}

// TestFusedIntegers: products of integers with zero points are those of a plain loop, of every
// pair of types, whatever is packed.
func TestFusedIntegers(t *testing.T) {
	t.Run("i8i8", fusedIntegers[int8, int8])
	t.Run("u8i8", fusedIntegers[uint8, int8])
	t.Run("i8u8", fusedIntegers[int8, uint8])
	t.Run("u8u8", fusedIntegers[uint8, uint8])
	t.Run("i16i16", fusedIntegers[int16, int16])
	t.Run("i8i16", fusedIntegers[int8, int16])
}

// TestFusedNoWrap: what is safe depends on the zero points, by which elements become larger.
func TestFusedNoWrap(t *testing.T) {
	call := func(k int, za, zb int8) (err error) {
		defer func() { err, _ = recover().(error) }()
		e := run.NewEpilogue("test", 1, 1)
		run.Out(&e, "out", layout.New[int8](1, 1))
		run.PerColumn(&e, "bias", make([]int32, 1))
		run.PerRow(&e, "scales", make([]float32, 1))
		run.Scalar(&e, int8(0))
		run.ZeroA(&e, za)
		run.ZeroB(&e, zb)
		a, b := layout.New[int8](1, k), layout.New[int8](k, 1)
		Fuse(Call[int32]{Set: requantised[int8, int8]()}, &run.Options{NoWrap: true}, &e, &a, &b)
		return nil
	}
	for _, c := range []struct {
		za, zb int8
		most   int
	}{{0, 0, 131071}, {-128, 0, 65793}, {0, 127, 65793}, {-128, -128, 33025}, {-128, 127, 33025}, {100, 0, 1 << 31 / (228 * 128)}} {
		if err := call(c.most, c.za, c.zb); err != nil {
			t.Errorf("zero points %d and %d: k = %d is refused: %v", c.za, c.zb, c.most, err)
		}
		var wrap run.WrapError
		if err := call(c.most+1, c.za, c.zb); !errors.As(err, &wrap) || wrap.Most != c.most {
			t.Errorf("zero points %d and %d: k = %d: %v, want at most %d", c.za, c.zb, c.most+1, err, c.most)
		}
	}
	defer func() {
		if err, _ := recover().(run.TypeError); !strings.Contains(err.Error(), "no product of") {
			t.Errorf("sums that are no integers: %v", err)
		}
	}()
	e := run.NewEpilogue("test", 1, 1)
	a, b := layout.New[float32](1, 1), layout.New[int8](1, 1)
	Fuse(Call[int32]{Set: &Set[int32]{Name: "test", A: dtype.F32, B: dtype.I8}}, &run.Options{}, &e, &a, &b)
	t.Error("sums of int32 of a float32 are accepted")
}
