// Package local has what a rank does by itself in distributed products: checks of operands,
// copies, and tiles for a function.
package local

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operands checks options and operands as a local product does, whatever their
// shapes. Every slice is long enough, and out shares memory with neither a nor b.
func Operands[T dtype.Float](opt cpu.Options, out, a, b layout.Matrix[T]) error {
	for _, x := range []struct {
		name string
		m    *layout.Matrix[T]
	}{{"a", &a}, {"b", &b}} {
		if err := x.m.Check(x.name); err != nil {
			return err
		}
	}
	if err := out.CheckOut("out"); err != nil {
		return err
	}
	if err := apart(opt, "a", out, a); err != nil {
		return err
	}
	return apart(opt, "b", out, b)
}

// apart checks that out shares no memory with x. It lets a product of as many rows of
// both find out, which with alpha = 0 and beta = 1 reads and writes nothing.
func apart[T dtype.Float](opt cpu.Options, name string, out, x layout.Matrix[T]) error {
	opt.Scaling = cpu.Scale(0, 1)
	rows := min(out.Rows, x.Rows)
	zero := []T{0}
	for i := 0; i < out.Rows || i == 0; i += max(rows, 1) {
		for j := 0; j < x.Rows || j == 0; j += max(rows, 1) {
			i, j := max(0, min(i, out.Rows-rows)), max(0, min(j, x.Rows-rows))
			o, y := out.Slice(i, i+rows, 0, out.Cols), x.Slice(j, j+rows, 0, x.Cols)
			none := layout.Matrix[T]{Data: zero, Rows: x.Cols, Cols: out.Cols}
			if err := Refusal(func() { cpu.MatMulOpt(opt, o, y, none) }); err != nil {
				return fmt.Errorf("out and %s: %w", name, err)
			}
		}
	}
	return nil
}

// Refusal calls do and returns what a kernel panics with if it is called wrongly.
func Refusal(do func()) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case layout.ShapeError:
			err = x
		case run.OptionError:
			err = x
		case run.ISAError:
			err = x
		default:
			panic(x)
		}
	}()
	do()
	return nil
}
