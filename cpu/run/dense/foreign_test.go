package dense_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc64"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestForeignTypes: a product of narrow operands refuses operands of the type of its sums, small or large, whatever
// was called before: its kernels would read them as words.
func TestForeignTypes(t *testing.T) {
	set := gemmbf16.BF16Set()
	small := layout.New[dtype.BF16](8, 8)
	good := layout.New[float32](8, 8)
	dense.Gemm(dense.Call[float32]{Set: set}, &run.Options{}, &good, &small, &small) // chooses a variant
	for _, n := range []int{1, 8, 300} {
		m := func() layout.Matrix[float32] { return layout.New[float32](n, n) }
		for what, call := range map[string]func(){
			"Gemm": func() { set.Gemm(run.Options{}, m(), m(), m()) },
			"Small": func() {
				var c dense.Small
				x, y, z := m(), m(), m()
				small := set.Small(&c, &run.Options{}, &x, &y, &z)
				refuse(!small)
			},
			"MulTriangular":   func() { set.MulTriangular(run.Options{}, dense.Lower, m(), m()) },
			"SolveTriangular": func() { set.SolveTriangular(run.Options{}, dense.Lower, m(), m()) },
		} {
			var typed run.TypeError
			if err := panicOf(call); !errors.As(err, &typed) {
				t.Errorf("%s of %d x %d: %v, want a run.TypeError", what, n, n, err)
			}
		}
	}
}

// refuse panics as a product of other types does if it was refused.
func refuse(yes bool) {
	if yes {
		panic(run.TypeError{})
	}
}

// TestForeignStructure: what no kernel computes is refused before an element is read.
func TestForeignStructure(t *testing.T) {
	f, c := layout.New[float32](4, 4), layout.New[complex64](4, 4)
	for what, call := range map[string]func(){
		"symmetric without a triangle": func() {
			dense.Gemm(dense.Call[float32]{Set: gemmf.SGEMMSet(), Structure: dense.Structure{Symmetric: true}}, &run.Options{}, &f, &f, &f)
		},
		"a Hermitian matrix of real numbers": func() {
			is := dense.Structure{A: dense.Lower, Symmetric: true, Hermitian: true}
			dense.Gemm(dense.Call[float32]{Set: gemmf.SGEMMSet(), Structure: is}, &run.Options{}, &f, &f, &f)
		},
		"a Hermitian matrix that is not symmetric": func() {
			is := dense.Structure{A: dense.Lower, Hermitian: true}
			dense.Gemm(dense.Call[complex64]{Set: gemmc64.CGEMMSet(), Structure: is}, &run.Options{}, &c, &c, &c)
		},
	} {
		var refused run.OptionError
		if err := panicOf(call); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a run.OptionError", what, err)
		}
	}
}

// panicOf returns what f panics with, as an error.
func panicOf(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case error:
			err = e
		default:
			err = fmt.Errorf("%v", e)
		}
	}()
	f()
	return nil
}
