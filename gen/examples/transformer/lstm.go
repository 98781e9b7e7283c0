package transformer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An LSTM goes along sequences and keeps a cell state. See Hochreiter and Schmidhuber, "Long short-term
// memory", 1997; the forget gate is that of Gers and others, 2000. A step is one product, of all gates at
// once, and one kernel.
type LSTM[S dtype.Elem, P dtype.Float] struct {
	In, Width int
	// Weights is (In + Width) x 4 Width, with the columns of the gates in, forget, update and output one after another.
	Weights, Bias *Param[S, P]

	k     *Kernels[S, P]
	steps []lstmStep[S, P]
	count int // of steps in the last Forward

	dgates             layout.Matrix[S]
	dconcat            layout.Matrix[P] // by what is multiplied
	dhidden, dcellNext layout.Matrix[P]
	dcell              layout.Matrix[P]
	colSums            []P
}

// lstmStep is what a step keeps.
type lstmStep[S dtype.Elem, P dtype.Float] struct {
	concat layout.Matrix[S] // what comes in, and the hidden state of the step before, side by side
	gates  layout.Matrix[P]
	next   layout.Matrix[P] // the cell state after it
}

// NewLSTM returns an LSTM whose weights are zero, [Init] fills them, and whose gates begin by forgetting little. It panics with a [layout.ShapeError] if a size is not positive.
func NewLSTM[S dtype.Elem, P dtype.Float](k *Kernels[S, P], in, width int) *LSTM[S, P] {
	if in < 1 || width < 1 {
		panic(layout.ShapeError{What: "transformer.NewLSTM", Why: fmt.Sprintf("%d numbers come in and %d are kept; want 1 or more", in, width)})
	}
	l := &LSTM[S, P]{In: in, Width: width, k: k, Weights: newParam(k, "gates", in+width, 4*width, 0), Bias: newParam(k, "gates bias", 1, 4*width, 0)}
	for i := range width {
		l.Bias.Value.Data[width+i] = 1
	}
	l.Bias.Store()
	return l
}

// Params returns what the LSTM learns.
func (l *LSTM[S, P]) Params() []*Param[S, P] { return []*Param[S, P]{l.Weights, l.Bias} }

// Forward sets out[t] to what the LSTM says after xs[0] to xs[t], sequences x In each; out[t] is sequences x Width. It begins without a cell state. It panics with a
// [layout.ShapeError] if shapes do not agree.
func (l *LSTM[S, P]) Forward(p *Pass, out, xs []layout.Matrix[S]) {
	if len(out) != len(xs) {
		panic(layout.ShapeError{What: "transformer.LSTM", Why: fmt.Sprintf("%d results for %d steps", len(out), len(xs))})
	}
	for t, x := range xs {
		if n := xs[0].Rows; x.Rows != n || x.Cols != l.In || out[t].Rows != n || out[t].Cols != l.Width || x.ColStride != 1 || out[t].ColStride != 1 {
			panic(layout.ShapeError{What: "transformer.LSTM", Why: fmt.Sprintf("step %d takes %d x %d and gives %d x %d; want %d x %d and %[6]d x %d, with rows that are contiguous",
				t, x.Rows, x.Cols, out[t].Rows, out[t].Cols, n, l.In, l.Width)})
		}
	}
	l.count = len(xs)
	for len(l.steps) < len(xs) {
		l.steps = append(l.steps, lstmStep[S, P]{})
	}
	var cell layout.Matrix[P]
	for t, x := range xs {
		s, n, opt := &l.steps[t], x.Rows, p.options()
		concat := sized(&s.concat, n, l.In+l.Width)
		for i := range n {
			row := concat.Data[i*concat.Cols:][:concat.Cols]
			copy(row[:l.In], x.Data[i*x.RowStride:])
			if t == 0 {
				clear(row[l.In:])
			} else {
				copy(row[l.In:], out[t-1].Data[i*out[t-1].RowStride:])
			}
		}
		if t == 0 {
			cell = layout.New[P](n, l.Width)
		}
		l.k.linear(opt, sized(&s.gates, n, 4*l.Width), concat, l.Weights.Stored, l.Bias.row())
		g := l.gatesOf(s.gates)
		l.k.lstmCell(opt, out[t], sized(&s.next, n, l.Width), g[0], g[1], g[2], g[3], cell)
		cell = s.next
	}
}

// gatesOf are the columns of each gate.
func (l *LSTM[S, P]) gatesOf(m layout.Matrix[P]) [4]layout.Matrix[P] { return gatesOf(m, l.Width) }

func gatesOf[T dtype.Elem](m layout.Matrix[T], width int) (gates [4]layout.Matrix[T]) {
	for i := range gates {
		gates[i] = m.Slice(0, m.Rows, i*width, (i+1)*width)
	}
	return gates
}

// Backward takes the gradients by the results of the last Forward. It sets those of the parameters and,
// unless dx is nil, sets dx[t] to the gradient by xs[t].
func (l *LSTM[S, P]) Backward(p *Pass, dx, dhidden []layout.Matrix[P]) {
	if len(dhidden) != l.count || dx != nil && len(dx) != l.count {
		panic(layout.ShapeError{What: "transformer.LSTM", Why: fmt.Sprintf("%d gradients, and %d to set, for %d steps", len(dhidden), len(dx), l.count)})
	}
	opt := p.options()
	clear(l.Bias.Grad.Data)
	for t := l.count - 1; t >= 0; t-- {
		s := &l.steps[t]
		n := s.concat.Rows
		cell := layout.New[P](n, l.Width)
		if t > 0 {
			cell = l.steps[t-1].next
		}
		// The gradient that comes back from this step's output and, except in the last step,
		// from the next step.
		d := sized(&l.dhidden, n, l.Width)
		for i := range n {
			row := d.Data[i*l.Width:][:l.Width]
			copy(row, dhidden[t].Data[i*dhidden[t].RowStride:])
			if t < l.count-1 {
				for j, x := range l.dconcat.Data[i*(l.In+l.Width)+l.In:][:l.Width] {
					row[j] += x
				}
			}
		}
		dcellNext := sized(&l.dcellNext, n, l.Width)
		if t == l.count-1 {
			clear(dcellNext.Data)
		}
		dgates := sized(&l.dgates, n, 4*l.Width)
		g, dg := l.gatesOf(s.gates), gatesOf(dgates, l.Width)
		l.k.lstmHiddenBackward(opt, dg[3], sized(&l.dcell, n, l.Width), g[3], s.next, d, dcellNext)
		l.k.lstmCellBackward(opt, dg[0], dg[1], dg[2], dcellNext, g[0], g[1], g[2], cell, l.dcell)
		l.addGradients(opt, t, s.concat, dgates)
		l.k.product(opt, sized(&l.dconcat, n, l.In+l.Width), dgates, l.Weights.Stored.T())
		if dx != nil {
			for i := range n {
				copy(dx[t].Data[i*dx[t].RowStride:][:l.In], l.dconcat.Data[i*(l.In+l.Width):])
			}
		}
	}
}

// addGradients adds the gradients of a step by the parameters to those of later steps.
func (l *LSTM[S, P]) addGradients(opt run.Options, t int, concat, dgates layout.Matrix[S]) {
	if len(l.colSums) == 0 {
		l.colSums = make([]P, 4*l.Width)
	}
	l.k.colSum(opt, l.colSums, dgates)
	for i, x := range l.colSums {
		l.Bias.Grad.Data[i] += x
	}
	o := opt
	if t < l.count-1 {
		o = accumulate(opt)
	}
	l.k.product(o, l.Weights.Grad, concat.T(), dgates)
}
