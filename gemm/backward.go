package gemm

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Backward returns the spec of the gradients of s, called Name + "Back". The generated function multiplies again, so the
// product is not kept between the two, and ends it with the derivative of the function of s.
//
// It takes, in this order: out, which becomes the gradient by a*b; a and b; the operands of s; dout, the
// gradient by the result of s; a dx for each float operand x. dx is a matrix if x is [Full]. It has the sums
// of columns if x is [PerColumn], and the sums of rows if x is [PerRow] or [Scalar]. The gradient of a scalar
// is the sum of those. For each reduction r of s to a sum, a sum of squares or a log-sum-exp it takes dr, the
// gradient by r. A log-sum-exp r itself comes before its dr. A result that is only reduced has no gradient of
// its own. Maxima and minima are refused, and indices have no gradient.
//
// The gradients by a and by b are the products out*bᵀ and aᵀ*out. Lowering the spec reports what is refused.
func (s Spec[A, B, Acc, Out]) Backward() Spec[A, B, Acc, Acc] {
	back := Spec[A, B, Acc, Acc]{Name: s.Name + "Back", Operator: s.Operator, Shape: s.Shape, Tile: s.Tile, GPU: s.GPU, Targets: s.Targets, Standalone: s.Standalone, Structure: s.Structure}
	var fusion *Fusion
	if s.Epilogue != nil {
		fusion = s.Epilogue.Fusion()
	}
	back.Epilogue = Epilogue[Acc, Acc]{fusion.Gradients(dtype.Of[Acc]())}
	return back
}

// Backward returns the epilogue of the gradients of a product that ends in e, see [Spec.Backward].
func (e Epilogue[Acc, Out]) Backward() Epilogue[Acc, Acc] {
	return Epilogue[Acc, Acc]{e.fusion.Gradients(dtype.Of[Acc]())}
}

// Gradients is the epilogue of the gradients of a product that ends in e and has sums of a type, see [Spec.Backward].
func (e *Fusion) Gradients(acc dtype.Type) *Fusion {
	back := &Fusion{Acc: acc, Out: acc}
	switch {
	case e == nil:
		back.refused = errors.New("backward: the spec has no epilogue, so the gradient by the product equals that by the result, and nothing needs to be generated")
		return back
	case !differs(acc):
		back.refused = fmt.Errorf("backward: sums of %v have no derivative", acc)
	}
	back.Where, back.Inputs = e.Where, append(back.Inputs, e.Inputs...)
	d := emit.Derivative{Of: e.Fn, By: []int{0}}
	for i, o := range e.Results() {
		if i == 0 {
			o.Type = e.Returns()
		}
		switch {
		case !differs(o.Type):
		case o.Unstored:
			d.Unread = append(d.Unread, i)
		default:
			back.Inputs = append(back.Inputs, Input{Name: "d" + o.Name, Pattern: FullPattern, Type: o.Type})
		}
	}
	for _, r := range e.Reduces {
		if err := back.through(&d, r, e.Result(r), e.ReducedType(r)); err != nil && back.refused == nil {
			back.refused = err
		}
	}
	for i, in := range e.Inputs {
		if !differs(in.Type) {
			continue
		}
		d.By = append(d.By, i+1)
		out := Output{Name: "d" + in.Name, Type: dtype.F32}
		if in.Type == dtype.F64 {
			out.Type = dtype.F64
		}
		if in.Pattern != FullPattern {
			out.Unstored = true
			out.Name += "Each"
			back.Reduces = append(back.Reduces, Reduce{Name: "d" + in.Name, Op: Sum, Col: in.Pattern == ColumnPattern, Of: out.Name})
		}
		back.Also = append(back.Also, out)
	}
	back.Fn = d
	return back
}

// through adds what a gradient that comes through a reduction of a result needs: operands by row or column.
func (e *Fusion) through(d *emit.Derivative, r Reduce, result int, t dtype.Type) error {
	switch {
	case r.Op.Arg() || !differs(t):
		return nil // an integer, which nothing changes by little
	case !r.Op.Adds() && r.Op != LogSumExp:
		return fmt.Errorf("backward: %s is the %v of many numbers, and which of equal ones it is cannot be told from one of them; take the index, "+
			"by a reduction to it, and add its gradient there yourself", r.Name, r.Op)
	}
	d.Reduced = append(d.Reduced, emit.Reduced{Result: result, How: r.Op})
	p := RowPattern
	if r.Col {
		p = ColumnPattern
	}
	if r.Op == LogSumExp {
		e.Inputs = append(e.Inputs, Input{Name: r.Name, Pattern: p, Type: t})
	}
	e.Inputs = append(e.Inputs, Input{Name: "d" + r.Name, Pattern: p, Type: t})
	return nil
}

// differs reports whether numbers of a type change by little.
func differs(t dtype.Type) bool { return ElemOf(t).Float() }
