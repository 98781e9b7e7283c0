// Package hostile calls functions with matrices of lawful shapes that take forever, or overflow, where code trusts
// them: many rows without columns, and strides as large as can be. Start with [Nothing].
package hostile

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// atOnce is the time for a call that has nothing to do, on a machine that is busy.
const atOnce = 10 * time.Second

// AtOnce fails the test unless f returns within seconds, or panics with an error that says what is wrong with
// its arguments. A string or an error of the runtime does not count. It is for calls that have nothing to do,
// however many rows there are.
func AtOnce(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case r := <-done:
		var broken runtime.Error
		if err, ok := r.(error); r != nil && (!ok || errors.As(err, &broken)) {
			t.Errorf("%s: panics with %v", what, r)
		}
	case <-time.After(atOnce):
		t.Fatalf("%s: still running after %v", what, atOnce)
	}
}

// Huge are numbers of rows that are lawful where there are no columns, and the other way around.
var Huge = [...]int{1 << 30, math.MaxInt/2 + 1, math.MaxInt}

// Matrix returns a matrix of zeros whose strides are as large as its shape allows. It has memory for few rows and columns;
// of more, if there are elements, all are one.
func Matrix[T dtype.Any](rows, cols int) layout.Matrix[T] {
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: math.MaxInt, ColStride: math.MaxInt}
	switch {
	case rows == 0 || cols == 0 || rows == 1 && cols == 1:
	case max(rows, cols) > 100:
		m.RowStride, m.ColStride = 0, 0
	case rows == 1:
		m.ColStride = 1
	case cols == 1:
		m.RowStride = 1
	default:
		m.RowStride, m.ColStride = cols, 1
	}
	if rows > 0 && cols > 0 {
		m.Data = make([]T, min(rows, 100)*min(cols, 100))
	}
	return m
}

// Nothing calls functions with matrices of many rows and no columns, or many columns and no rows, and with empty slices. It uses all
// numbers in [Huge] and small ones. Each call must return at once, or refuse what does not fit, as [AtOnce] says.
func Nothing(t testing.TB, functions ...any) {
	t.Helper()
	for _, n := range append(Huge[:], 0, 1, 3) {
		for _, shape := range [...][2]int{{n, 0}, {0, n}} {
			for _, f := range functions {
				v := reflect.ValueOf(f)
				args := make([]reflect.Value, v.Type().NumIn())
				for i := range args {
					args[i] = argument(v.Type().In(i), shape[0], shape[1])
				}
				what := fmt.Sprintf("%s of %d x %d", runtime.FuncForPC(v.Pointer()).Name(), shape[0], shape[1])
				AtOnce(t, what, func() { v.Call(args) })
			}
		}
	}
}

// argument is the zero value of a type, with memory behind a pointer, or a matrix of a shape.
func argument(t reflect.Type, rows, cols int) reflect.Value {
	if t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem())
	}
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.Struct && t.NumField() == 5 && t.Field(1).Name == "Rows" {
		for i, x := range [...]int{rows, cols, math.MaxInt, math.MaxInt} { // the last are strides
			v.Field(i + 1).SetInt(int64(x))
		}
	}
	return v
}
