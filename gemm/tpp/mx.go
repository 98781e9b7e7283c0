package tpp

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MXFormat is a microscaling format of elements, which are uint8. They hold the bits of a dtype.F8E4M3 or
// F8E5M2; elements of six and four bits fill the lowest bits of a byte.
type MXFormat uint8

// The formats of the specification, by bits of exponent and of mantissa.
const (
	MXE4M3 MXFormat = iota
	MXE5M2
	MXE2M3
	MXE3M2
	MXE2M1
)

// MXBlock is how many elements of a row have one scale.
const MXBlock = 32

var mxFormats = []struct {
	name            string
	scale, to, from any
}{
	{"MXE4M3", op.ScaleE4M3, op.ToE4M3, op.FromE4M3},
	{"MXE5M2", op.ScaleE5M2, op.ToE5M2, op.FromE5M2},
	{"MXE2M3", op.ScaleE2M3, op.ToE2M3, op.FromE2M3},
	{"MXE3M2", op.ScaleE3M2, op.ToE3M2, op.FromE3M2},
	{"MXE2M1", op.ScaleE2M1, op.ToE2M1, op.FromE2M1},
}

// String is the name.
func (f MXFormat) String() string {
	if int(f) >= len(mxFormats) {
		return fmt.Sprintf("MXFormat(%d)", uint8(f))
	}
	return mxFormats[f].name
}

// ToMX rounds x, of float32, to elements of a format and a scale for each row. Both are outputs that [FromMX] takes. A row is a block.
// For an m x n matrix without gaps between rows, with n a multiple of [MXBlock], pass this view to the generated function:
//
//	layout.Matrix[float32]{Data: x.Data, Rows: m * n / tpp.MXBlock, Cols: tpp.MXBlock, RowStride: tpp.MXBlock, ColStride: 1}
//
// Scales are powers of two in a uint8, as in "OCP Microscaling Formats (MX) Specification" 1.0, 2023, section 6.3. Elements are
// rounded to nearest, and numbers that are too large become the largest. A row with a NaN or an infinity gets the scale NaN.
func ToMX(f MXFormat, x Tensor) (elements, scales Tensor) {
	if t, ok := f.refuse(x, dtype.F32); !ok {
		return t, t
	}
	scales = Map(mxFormats[f].scale, RowMax(Map(op.Abs[float32], x)))
	return Map(mxFormats[f].to, x, scales), scales
}

// FromMX is the float32 that ToMX rounded to: a product's operand, say, of weights that are stored so.
func FromMX(f MXFormat, elements, scales Tensor) Tensor {
	for _, x := range []Tensor{elements, scales} {
		if t, ok := f.refuse(x, dtype.U8); !ok {
			return t
		}
	}
	return Map(mxFormats[f].from, elements, scales)
}

// refuse is a tensor that says what is wrong with x, if anything is.
func (f MXFormat) refuse(x Tensor, want dtype.Type) (t Tensor, ok bool) {
	n := x.node()
	switch {
	case int(f) >= len(mxFormats):
		return Tensor{&node{name: "MX", pattern: gemm.ScalarPattern, err: fmt.Errorf("there is no %v; want MXE4M3, MXE5M2, MXE2M3, MXE3M2 or MXE2M1", f)}}, false
	case n.err == nil && n.t != want:
		return Tensor{&node{name: "MX", pattern: gemm.ScalarPattern, err: fmt.Errorf("%v takes %s here, and %s is of %s", f, want.Go(), n.say(), n.t.Go())}}, false
	}
	return x, true
}
