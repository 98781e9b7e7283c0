package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// summaOperands checks options and operands as a local product does, whatever their
// shapes. Every slice is long enough, and out shares memory with neither a nor b.
func summaOperands[T dtype.Float](opt cpu.Options, out, a, b layout.Matrix[T]) error {
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
	if err := summaApart(opt, "a", out, a); err != nil {
		return err
	}
	return summaApart(opt, "b", out, b)
}

// summaApart checks that out shares no memory with x. It lets a product of as many rows of
// both find out, which with alpha = 0 and beta = 1 reads and writes nothing.
func summaApart[T dtype.Float](opt cpu.Options, name string, out, x layout.Matrix[T]) error {
	opt.Scaling = cpu.Scale(0, 1)
	rows := min(out.Rows, x.Rows)
	zero := []T{0}
	for i := 0; i < out.Rows || i == 0; i += max(rows, 1) {
		for j := 0; j < x.Rows || j == 0; j += max(rows, 1) {
			i, j := max(0, min(i, out.Rows-rows)), max(0, min(j, x.Rows-rows))
			o, y := out.Slice(i, i+rows, 0, out.Cols), x.Slice(j, j+rows, 0, x.Cols)
			none := layout.Matrix[T]{Data: zero, Rows: x.Cols, Cols: out.Cols}
			if err := refusal(func() { cpu.MatMulOpt(opt, o, y, none) }); err != nil {
				return fmt.Errorf("out and %s: %w", name, err)
			}
		}
	}
	return nil
}
