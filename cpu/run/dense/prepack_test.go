package dense_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// TestPacked compares products with b packed beforehand, bit for bit, with those
// without: all layouts of b, k of one block and of many, any number of threads.
func TestPacked(t *testing.T) {
	r := rand.New(level.PCG(11, 12))
	fill := func(rows, cols int) layout.Matrix[float32] {
		m := layout.New[float32](rows, cols)
		for i := range m.Data {
			m.Data[i] = float32(r.NormFloat64())
		}
		return m
	}
	for _, s := range [][3]int{{1, 1, 1}, {5, 7, 3}, {64, 100, 33}, {200, 150, 1025}, {30, 49, 9000}} {
		m, n, k := s[0], s[1], s[2]
		a := fill(m, k)
		for name, b := range map[string]layout.Matrix[float32]{"rows": fill(k, n), "columns": fill(n, k).T(), "strided": fill(k, 3*n).Slice(0, k, n, 2*n)} {
			for _, isa := range run.PlainISAs() {
				p := gemmf.SGEMMPack(b)
				for _, threads := range []int{1, 3} {
					t.Run(fmt.Sprintf("m=%d/n=%d/k=%d/b=%s/isa=%s/threads=%d", m, n, k, name, isa, threads), func(t *testing.T) {
						if isaset.Plain(isa) != isaset.Plain(cmp.Or(os.Getenv("TILESMITH_ISA"), run.ISAs()[0])) {
							defer func() {
								if err := fmt.Sprint(recover()); !strings.Contains(err, "packed for the instruction set") {
									t.Errorf("another ISA's: %v", err)
								}
							}()
						}
						want, have := layout.New[float32](m, n), layout.New[float32](m, n)
						o := run.Options{Threads: threads, ISA: isa}
						gemmf.SGEMMOpt(o, want, a, b)
						o.B = p
						gemmf.SGEMMOpt(o, have, a, b)
						if !slices.Equal(have.Data, want.Data) {
							t.Error("the result differs")
						}
						// A column-major out swaps the operands; b is then read as it is.
						colMajor := layout.New[float32](n, m).T()
						gemmf.SGEMMOpt(o, colMajor, a, b)
						for i := range m {
							for j := range n {
								if d := colMajor.At(i, j) - want.At(i, j); d > 1e-2 || d < -1e-2 {
									t.Fatalf("column-major (%d, %d) is %v, want %v", i, j, colMajor.At(i, j), want.At(i, j))
								}
							}
						}
					})
				}
			}
		}
	}
}

func TestPackedRefuses(t *testing.T) {
	b := layout.New[float32](4, 6)
	p := gemmf.SGEMMPack(b)
	defer func() {
		if err := fmt.Sprint(recover()); !strings.Contains(err, "was packed from 4 x 6 of f32, b is 4 x 5 of f32") {
			t.Errorf("have %q", err)
		}
	}()
	gemmf.SGEMMOpt(run.Options{B: p}, layout.New[float32](3, 5), layout.New[float32](3, 4), layout.New[float32](4, 5))
	t.Error("a b of another shape is accepted")
}

// TestPackedByAnother: what one kernel packed is not for another, whether assembly runs
// or not.
func TestPackedByAnother(t *testing.T) {
	b := layout.New[float32](4, 6)
	one, two := &dense.Set[float32]{Name: "one.Multiply"}, &dense.Set[float32]{Name: "two.Multiply"}
	p := dense.Pack(one, nil, run.Options{ISA: run.Portable}, b)
	out, a := layout.New[float32](3, 6), layout.New[float32](3, 4)
	one.Gemm(run.Options{ISA: run.Portable, B: p}, out, a, b)
	defer func() {
		want := layout.ShapeError{What: "two.Multiply", Why: "Options.B was packed by one.Multiply for another kernel; pack b with the Pack of this one"}
		if have := recover(); have != want {
			t.Errorf("have %v, want %v", have, want)
		}
	}()
	two.Gemm(run.Options{ISA: run.Portable, B: p}, out, a, b)
}
