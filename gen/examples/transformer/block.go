package transformer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Shape is that of a block.
type Shape struct {
	Width, Heads, Hidden int // numbers of a token, heads that share them, and numbers between the two layers behind attention
	Causal               bool
	Drop                 float64 // the probability with which training drops a weight of attention, and a number of what is added to a residual
}

// A Block is a layer of an encoder as BERT has it, or with causal attention of GPT's first form. It has
// attention, and two layers with GELU between them. Each of the two parts is dropped in part, added to its
// input, and normalised.
type Block[S dtype.Elem, P dtype.Float] struct {
	Shape
	// QKV is Width x 3 Width, Out Width x Width, Up Width x Hidden, Down Hidden x Width.
	QKV, QKVBias, Out, OutBias, Up, UpBias, Down, DownBias *Param[S, P]

	norms  [2]addNorm[S, P] // behind attention, and at the end
	k      *Kernels[S, P]
	attend attention[P]
	packed [4]*run.Packed

	x, a, mid, f, dpre, dq layout.Matrix[S]
	qkv, part, pre, da     layout.Matrix[P]
}

// NewBlock returns a block whose matrices are zero: [Init] fills them. It panics with a [layout.ShapeError] if the shape is none.
func NewBlock[S dtype.Elem, P dtype.Float](k *Kernels[S, P], s Shape) *Block[S, P] {
	if s.Width < 1 || s.Heads < 1 || s.Hidden < 1 || s.Width%s.Heads != 0 || !(s.Drop >= 0 && s.Drop < 1) {
		panic(layout.ShapeError{What: "transformer.NewBlock", Why: fmt.Sprintf("%+v; want a Width that is a multiple of Heads, a Hidden above 0, and a Drop from 0 to below 1", s)})
	}
	d := s.Width
	param := func(name string, rows, cols int) *Param[S, P] { return newParam(k, name, rows, cols, 0) }
	return &Block[S, P]{
		Shape: s, k: k, attend: attention[P]{heads: s.Heads, causal: s.Causal, drop: s.Drop},
		norms: [2]addNorm[S, P]{newAddNorm(k, "attention", d, s.Drop), newAddNorm(k, "block", d, s.Drop)},
		QKV:   param("qkv", d, 3*d), QKVBias: param("qkv bias", 1, 3*d), Out: param("out", d, d), OutBias: param("out bias", 1, d),
		Up: param("up", d, s.Hidden), UpBias: param("up bias", 1, s.Hidden), Down: param("down", s.Hidden, d), DownBias: param("down bias", 1, d),
	}
}

// Params returns what the block learns, always in the same order.
func (b *Block[S, P]) Params() []*Param[S, P] {
	return []*Param[S, P]{b.QKV, b.QKVBias, b.Out, b.OutBias, b.norms[0].Gain, b.norms[0].Bias, b.Up, b.UpBias, b.Down, b.DownBias, b.norms[1].Gain, b.norms[1].Bias}
}

// Pack packs the weights for passes that do not train, until [Block.Unpack].
func (b *Block[S, P]) Pack() {
	b.packed = [4]*run.Packed{b.k.pack(b.QKV.Stored), b.k.pack(b.Out.Stored), b.k.packGELU(b.Up.Stored), b.k.pack(b.Down.Stored)}
}

// Unpack forgets packed weights, which no longer are those of the parameters.
func (b *Block[S, P]) Unpack() { b.packed = [4]*run.Packed{} }

// Forward returns what the block makes of x, tokens x Width. x must not change until Backward is done.
func (b *Block[S, P]) Forward(p *Pass, x layout.Matrix[S], seqs Sequences) layout.Matrix[S] {
	return b.forward(p, x, func(qkv layout.Matrix[P]) layout.Matrix[P] { return b.attend.forward(p, qkv, seqs) })
}

func (b *Block[S, P]) forward(p *Pass, x layout.Matrix[S], attend func(qkv layout.Matrix[P]) layout.Matrix[P]) layout.Matrix[S] {
	k, n, d, opt := b.k, x.Rows, b.Width, p.options()
	with := func(i int) run.Options {
		o := opt
		if !p.Train {
			o.B = b.packed[i]
		}
		return o
	}
	b.x = x
	k.linear(with(0), sized(&b.qkv, n, 3*d), x, b.QKV.Stored, b.QKVBias.row())
	b.a = k.round(opt, &b.a, attend(b.qkv))
	k.linear(with(1), sized(&b.part, n, d), b.a, b.Out.Stored, b.OutBias.row())
	b.mid = b.norms[0].forward(p, b.part, x)
	if p.Train {
		k.geluPre(opt, sized(&b.f, n, b.Hidden), sized(&b.pre, n, b.Hidden), b.mid, b.Up.Stored, b.UpBias.row())
	} else {
		k.gelu(with(2), sized(&b.f, n, b.Hidden), b.mid, b.Up.Stored, b.UpBias.row())
	}
	k.linear(with(3), b.part, b.f, b.Down.Stored, b.DownBias.row())
	return b.norms[1].forward(p, b.part, b.mid)
}

// Backward takes the gradient of the result of the last training Forward. It sets the gradient of each
// parameter and returns that of x, which stands until the next call. g is not changed.
func (b *Block[S, P]) Backward(p *Pass, g layout.Matrix[P]) layout.Matrix[P] {
	k, n, d, opt := b.k, g.Rows, b.Width, p.options()
	dout, dmid := b.norms[1].backward(opt, b.DownBias.Grad.Data, g)
	k.geluBackward(opt, sized(&b.dpre, n, b.Hidden), b.UpBias.Grad.Data, dout, b.Down.Stored.T(), b.pre)
	k.product(opt, b.Down.Grad, b.f.T(), dout)
	k.product(opt, b.Up.Grad, b.mid.T(), b.dpre)
	k.product(accumulate(opt), dmid, b.dpre, b.Up.Stored.T())
	dpart, dx := b.norms[0].backward(opt, b.OutBias.Grad.Data, dmid)
	k.product(opt, b.Out.Grad, b.a.T(), dpart)
	k.product(opt, sized(&b.da, n, d), dpart, b.Out.Stored.T())
	b.dq = k.round(opt, &b.dq, b.attend.backward(b.da))
	k.colSum(opt, b.QKVBias.Grad.Data, b.dq)
	k.product(opt, b.QKV.Grad, b.x.T(), b.dq)
	k.product(accumulate(opt), dx, b.dq, b.QKV.Stored.T())
	return dx
}
