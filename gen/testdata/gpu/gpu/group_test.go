package gpu_test

import (
	"testing"

	"example.com/shop/products/gpu"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestExpertsGrouped: the experts of a mixture, each with some of the rows, are one launch that
// gives what a call for each gives.
func TestExpertsGrouped(t *testing.T) {
	dev, err := emu.Open(emu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	stream, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	matrix := func(rows, cols int) cuda.Matrix[dtype.BF16] {
		x := layout.New[dtype.BF16](rows, cols)
		for i := range x.Data {
			x.Data[i] = dtype.ToBF16(float32(i*7%11-5) / 8)
		}
		m, err := cuda.From(stream, x)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	type expert struct {
		from, to int
		weights  cuda.Matrix[dtype.BF16]
		bias     cuda.Slice[float32]
	}
	const depth, width = 40, 72
	x, y, want := matrix(100, depth), matrix(100, width), matrix(100, width)
	var experts []expert
	for _, rows := range [][2]int{{0, 17}, {17, 17}, {17, 18}, {18, 100}} {
		bias, err := cuda.Upload(stream, make([]float32, width))
		if err != nil {
			t.Fatal(err)
		}
		experts = append(experts, expert{rows[0], rows[1], matrix(depth, width), bias})
	}

	problems := make([]gpu.ExpertsProblem, len(experts))
	for i, e := range experts {
		problems[i] = gpu.ExpertsProblem{Out: y.RowSlice(e.from, e.to), A: x.RowSlice(e.from, e.to), B: e.weights, Bias: e.bias}
	}
	if err := gpu.ExpertsGrouped(stream, run.Options{}, problems); err != nil {
		t.Fatal(err)
	}
	for _, e := range experts {
		if err := gpu.Experts(stream, want.RowSlice(e.from, e.to), x.RowSlice(e.from, e.to), e.weights, e.bias); err != nil {
			t.Fatal(err)
		}
	}
	have, err := y.To(stream)
	if err != nil {
		t.Fatal(err)
	}
	single, err := want.To(stream)
	if err != nil {
		t.Fatal(err)
	}
	for i := range have.Data {
		if have.Data[i] != single.Data[i] {
			t.Fatalf("element %d is %v, one by one it is %v", i, have.Data[i], single.Data[i])
		}
	}
}
