package tpp

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Masks in memory are matrices of bytes: element (i, j) is bit j%8 of byte (i, j/8). A row ends with
// a whole byte, whose bits beyond the last column are 0 in an output and do not count in an operand.

// OutBits is an output that stores one bit for each element of a tensor of float32, float64
// or int32. The bit is 1 where the element is not 0, so it is 1 for NaN as well. Its
// parameter is a matrix of uint8 with as many rows, and (n+7)/8 bytes in each.
func OutBits(name string, is Tensor) Output { return Output{Name: name, Is: is, bits: true} }

// InBits is an operand as [OutBits] stores it: a tensor of ones and zeros of T.
func InBits[T dtype.Float](name string) Tensor {
	return Tensor{&node{kind: operand, name: name, t: dtype.Of[T](), pattern: gemm.FullPattern, bits: true}}
}

// ReLUMask is x where x is greater than 0, and 0 elsewhere, with a mask of where that is. Its gradient is
// [Masked] of the mask and the gradient by y.
func ReLUMask(x Tensor) (y, mask Tensor) { return relu.of(x), positive.of(x) }

// DropoutMask is [Dropout] with a mask of what is kept: its gradient is scale times [Masked] of the mask and the
// gradient by y.
func DropoutMask(x, drop, scale Tensor) (y, mask Tensor) {
	w := Words()
	mask = Map(op.Kept[float32], w, drop)
	if x.node().t == dtype.F64 {
		mask = Map(op.Kept[float64], w, drop)
	}
	return keep.of(x, w, drop, scale), mask
}

// Masked is x where mask is not 0, and 0 elsewhere, whatever x is there.
func Masked(mask, x Tensor) Tensor { return only.of(mask, x) }

// checkBits says why an output cannot be stored as bits, if it cannot.
func (o Output) checkBits() error {
	n := o.Is.node()
	switch {
	case !o.bits || n.err != nil:
	case n.pattern != gemm.FullPattern:
		return fmt.Errorf("output %s is of bits, and %s has no element for each row and column; combine it with one that has", o.Name, n.say())
	case n.t != dtype.F32 && n.t != dtype.F64 && n.t != dtype.I32:
		return fmt.Errorf("output %s is of bits, and %s is of %s; want float32, float64 or int32", o.Name, n.say(), n.t.Go())
	}
	return nil
}

// bitSlot reports whether a slot is a matrix of bits.
func (g *graph) bitSlot(s int) bool {
	if s < len(g.outs) {
		return g.outBits[s]
	}
	s -= len(g.outs)
	return s < len(g.operands) && g.operands[s].bits
}

// A cut is the columns of a vector that there are: all, or the first n, which mask has.
type cut struct{ mask, n *emit.Value }

// bitsAt is where the bits of the vector from column j on begin, in a row at p. It also returns the bit in
// that byte, which is 0 for vectors that fill bytes.
func (k *stageKernel) bitsAt(p, j *emit.Value, u int) (at emit.Addr, bit *emit.Value) {
	b := k.b
	if k.lanes >= 8 {
		return emit.Addr{Ptr: p, Index: b.Shr(j, b.Int(3)), Scale: 1, Off: int64(u * k.lanes / 8)}, nil
	}
	j = b.Add(j, b.Int(int64(u*k.lanes)))
	return emit.At(b.AddP(p, b.Shr(j, b.Int(3))), 0), b.And(j, b.Int(7)) // one register, not two
}

// loadBits is vector u of those from column j on, as ones and zeros of t. No byte is read that has none of them.
func (k *stageKernel) loadBits(t dtype.Type, p, j *emit.Value, u int, c cut) *emit.Value {
	b := k.b
	at, bit := k.bitsAt(p, j, u)
	byteAt := func(off int64) *emit.Value {
		a := at
		a.Off += off
		return b.Zext(emit.I64, b.Load(emit.Scalar(emit.I8), a))
	}
	var bits *emit.Value
	switch {
	case k.lanes == 16 && c.mask == nil:
		bits = b.Zext(emit.I64, b.Load(emit.Scalar(emit.I16), at))
	case bit != nil:
		bits = b.Shr(byteAt(0), bit)
	default:
		bits = byteAt(0)
	}
	if k.lanes == 16 && c.mask != nil {
		bits = b.If(b.Cmp("gt", c.n, b.Int(8)), func() []*emit.Value {
			return []*emit.Value{b.Or(bits, b.Shl(byteAt(1), b.Int(8)))}
		}, func() []*emit.Value { return []*emit.Value{bits} })[0]
	}
	v := k.vector(t)
	return b.Select(b.MaskOf(v, bits), b.Const(v, 1), b.Const(v, 0))
}

// storeBits stores where x, vector u of those from column j on, is not 0. If a vector fills half a byte, the
// first half is there already.
func (k *stageKernel) storeBits(x, p, j *emit.Value, u int, c cut) {
	b := k.b
	set := b.Cmp("ne", x, b.Const(x.Type, 0))
	if c.mask != nil {
		set = b.And(set, c.mask)
	}
	at, bit := k.bitsAt(p, j, u)
	low := func(x *emit.Value) *emit.Value { return b.Trunc(emit.I8, x) }
	switch {
	case bit != nil:
		old := b.If(b.Cmp("gt", bit, b.Int(0)), func() []*emit.Value {
			return []*emit.Value{b.Zext(emit.I64, b.Load(emit.Scalar(emit.I8), at))}
		}, func() []*emit.Value { return []*emit.Value{b.Int(0)} })[0]
		b.Store(low(b.Or(old, b.Shl(b.MaskBits(set), bit))), at)
	case k.lanes == 16 && c.mask == nil:
		b.Store(b.Trunc(emit.I16, b.MaskBits(set)), at)
	case k.lanes == 16:
		bits := b.MaskBits(set)
		b.Store(low(bits), at)
		b.If(b.Cmp("gt", c.n, b.Int(8)), func() []*emit.Value {
			at.Off++
			b.Store(low(b.Shr(bits, b.Int(8))), at)
			return nil
		}, nil)
	default:
		b.Store(low(b.MaskBits(set)), at)
	}
}
