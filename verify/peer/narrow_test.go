package peer

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// small are integers that every type has, of few of which no sum is rounded.
func small(rng *rand.Rand, n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = 1 + rng.IntN(7)
	}
	return x
}

func each[T dtype.Elem](x []int, of func(int) T) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = of(v)
	}
	return y
}

// narrowly compares a library's product of narrow types with a plain loop, and reports
// whether it has one.
func narrowly[A, B, C dtype.Elem](t *testing.T, l *Loop, g *Gemm, a func(int) A, b func(int) B, c func(int) C) bool {
	t.Helper()
	some := false
	for _, s := range [][3]int{{5, 32, 16}, {64, 64, 64}, {1, 7, 12}} {
		m, n, k := s[0], s[1], s[2]
		rng := rand.New(level.PCG(1, uint64(m)))
		x, y, out, want := small(rng, m*k), small(rng, k*n), make([]C, m*n), make([]C, m*n)
		for i := range m {
			for j := range n {
				sum := 0
				for l := range k {
					sum += x[i*k+l] * y[l*n+j]
				}
				want[i*n+j] = c(sum)
			}
		}
		run, err := Narrow(l, g, m, n, k, each(x, a), each(y, b), out)
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		some = true
		run(2)
		for e := range want {
			if out[e] != want[e] {
				t.Errorf("%s %v.%v %dx%dx%d: element (%d, %d) is %v, want %v", g.Name, dtype.Of[A](), dtype.Of[B](), m, n, k, e/n, e%n, out[e], want[e])
				break
			}
		}
	}
	return some
}

func f32(x int) float32 { return float32(x) }

// TestNarrow: what a library says that it has is right.
func TestNarrow(t *testing.T) {
	l, err := OpenLoop()
	if err != nil {
		t.Skip(err)
	}
	bf16 := func(x int) dtype.BF16 { return dtype.ToBF16(float32(x)) }
	f16 := func(x int) dtype.F16 { return dtype.ToF16(float32(x)) }
	for _, name := range []string{"mkl", "onednn", "libxsmm"} {
		t.Run(name, func(t *testing.T) {
			g, err := Load(name)
			if err != nil {
				t.Skip(err)
			}
			g.SetThreads(1)
			if g.narrow == nil {
				t.Skip("a release without products of narrow types")
			}
			t.Log(g.Version)
			has := map[string]bool{
				"bf16":  narrowly(t, l, g, bf16, bf16, f32),
				"f16":   narrowly(t, l, g, f16, f16, f32),
				"u8.i8": narrowly(t, l, g, func(x int) uint8 { return uint8(x) }, func(x int) int8 { return int8(x) }, func(x int) int32 { return int32(x) }),
				"i8":    narrowly(t, l, g, func(x int) int8 { return int8(x) }, func(x int) int8 { return int8(x) }, func(x int) int32 { return int32(x) }),
				"i16":   narrowly(t, l, g, func(x int) int16 { return int16(x) }, func(x int) int16 { return int16(x) }, func(x int) int32 { return int32(x) }),
			}
			t.Log(has)
			if !has["u8.i8"] {
				t.Errorf("no product of u8 and i8, which each of these has")
			}
		})
	}
}

// TestNarrowRefused: shapes that do not fit are errors, not calls.
func TestNarrowRefused(t *testing.T) {
	l, err := OpenLoop()
	if err != nil {
		t.Skip(err)
	}
	g, err := Load("gonum")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Narrow(l, g, 2, 2, 2, make([]int8, 4), make([]int8, 4), make([]int32, 4)); err == nil {
		t.Error("gonum has no product of int8")
	}
	if _, err := Narrow(l, g, 2, 2, 2, make([]int8, 3), make([]int8, 4), make([]int32, 4)); err == nil {
		t.Error("a is too short")
	}
}
