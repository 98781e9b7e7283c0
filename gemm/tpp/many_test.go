package tpp_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestMany generates equations of as many matrices and masks as there may be, which are more than there are general registers.
func TestMany(t *testing.T) {
	level.E2E(t)
	for _, c := range []struct{ matrices, masks int }{{10, 0}, {2, 8}, {6, 4}} {
		x := tpp.In(gemm.Full[float64]("x0"))
		for i := range c.matrices - 1 {
			x = tpp.Map(op.Add[float64], x, tpp.In(gemm.Full[float64](fmt.Sprint("x", i+1))))
		}
		for i := range c.masks {
			x = tpp.Masked(tpp.InBits[float64](fmt.Sprint("m", i)), x)
		}
		s := tpp.Spec{Name: "Many", Outs: []tpp.Output{tpp.Out("out", x), tpp.OutBits("mask", x)}}
		if _, err := gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, s); err != nil {
			t.Errorf("%d matrices, %d masks: %v", c.matrices, c.masks, err)
		}
	}
	x := tpp.In(gemm.Full[float32]("x"))
	for i := range 6 {
		x = tpp.Map(op.Add[float32], x, tpp.In(gemm.Full[float32](fmt.Sprint("x", i))))
	}
	y, mask := tpp.DropoutMask(x, tpp.In(gemm.Scalar[int32]("drop")), tpp.In(gemm.Scalar[float32]("scale")))
	if _, err := gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, tpp.Spec{Name: "Many", Outs: []tpp.Output{tpp.Out("out", y), tpp.OutBits("mask", mask)}}); err != nil {
		t.Error(err)
	}
}
