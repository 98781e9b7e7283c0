package move_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// eachVariant runs a test for the kernels of each instruction set that this machine has, and for Go.
func eachVariant(t *testing.T, f func(t *testing.T)) {
	defer move.Force(1)
	for n, isa := range move.ISAs() {
		if run.HasISA(isa) {
			move.Force(n + 1)
			t.Run(isa, f)
		}
	}
	move.Force(0)
	t.Run("go", f)
}

// spread is m x n elements that lie in one of four ways, with gaps that hold blank.
func spread[T dtype.Any](m, n, kind int, blank T) layout.Matrix[T] {
	rs := []int{n, n + 3, 2*n + 1, 1}[kind]
	cs := []int{1, 1, 2, m + 1}[kind]
	x := layout.Matrix[T]{Data: make([]T, (m+1)*(2*n+3)+n), Rows: m, Cols: n, RowStride: max(1, rs), ColStride: max(1, cs)}
	for i := range x.Data {
		x.Data[i] = blank
	}
	return x
}

// left counts what is blank.
func left[T comparable](data []T, blank T) (n int) {
	for _, v := range data {
		if v == blank {
			n++
		}
	}
	return n
}

// A refusal is a call and the sentence that it panics with.
type refusal struct {
	want string
	f    func()
}

func refused(t *testing.T, list []refusal) {
	t.Helper()
	for _, c := range list {
		func() {
			defer func() {
				if have := fmt.Sprint(recover()); have != c.want {
					t.Errorf("%q, want %q", have, c.want)
				}
			}()
			c.f()
		}()
	}
}
