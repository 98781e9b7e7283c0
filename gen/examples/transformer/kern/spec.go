//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// What products end in.

func addBias[T dtype.Float](acc, bias T) T { return acc + bias }

// activate is the end of a layer that keeps what its activation was made of.
func activate[T dtype.Float](acc, bias T) (out, pre T) {
	pre = acc + bias
	return act.GELU(pre), pre
}

// infer is activate where nothing is kept.
func infer[T dtype.Float](acc, bias T) T { return act.GELU(acc + bias) }

// deactivate hands the gradient acc of an activation on to what that was made of.
func deactivate[T dtype.Float](acc, pre T) T { return acc * act.DGELU(pre) }

// cell is the memory of an LSTM after a step, of its gates before their activations.
func cell[T dtype.Float](in, forget, update, memory T) T {
	return act.Sigmoid(forget)*memory + act.Sigmoid(in)*act.Tanh(update)
}

// emitted is what an LSTM says of its memory.
func emitted[T dtype.Float](out, memory T) T { return act.Sigmoid(out) * act.Tanh(memory) }

// moved is a weight after a step of Adam with decay apart (AdamW), of the running means of the gradient and of its square. rate has in it what
// makes up for means that began at 0, as in the more efficient order at the end of section 2 of the paper.
func moved[T dtype.Float](w, mean, square, rate, decay T) T {
	return w - rate*mean/(T(math.Sqrt(float64(square)))+1e-8) - decay*w
}

// part is an average that moves a share of the way to x.
func part[T dtype.Float](old, x, share T) T { return old + share*(x-old) }

// kit is what equations of one type are made of. Package tpp takes functions by their source, which those of a generic
// function have not, so that each type lists its own.
type kit struct {
	suffix                    string                       // of names
	full, stored, column, one func(name string) tpp.Tensor // operands; stored is one that lies between layers
	store                     func(x tpp.Tensor) tpp.Tensor
	add, mul, exp             any
	cell, emitted             any
	square, part, moved       any
}

func in[T dtype.Elem](o func(string) gemm.Operand[T]) func(string) tpp.Tensor {
	return func(name string) tpp.Tensor { return tpp.In(o(name)) }
}

// unhurried are the targets of float64, in which gradients are compared with differences.
var unhurried = []emit.Target{amd64.AVX2}

func same(x tpp.Tensor) tpp.Tensor { return x }

var (
	single = kit{"", in(gemm.Full[float32]), in(gemm.Full[float32]), in(gemm.PerColumn[float32]), in(gemm.Scalar[float32]), same,
		op.Add[float32], op.Mul[float32], op.Exp[float32], cell[float32], emitted[float32], op.Square[float32], part[float32], moved[float32]}
	double = kit{"Double", in(gemm.Full[float64]), in(gemm.Full[float64]), in(gemm.PerColumn[float64]), in(gemm.Scalar[float64]), same,
		op.Add[float64], op.Mul[float64], op.Exp[float64], cell[float64], emitted[float64], op.Square[float64], part[float64], moved[float64]}
	brain = kit{"BF16", single.full, in(gemm.Full[dtype.BF16]), single.column, single.one, tpp.Convert[dtype.BF16],
		single.add, single.mul, single.exp, single.cell, single.emitted, single.square, single.part, single.moved}
)

func (k kit) spec(name string, operands []tpp.Tensor, outs ...tpp.Output) gen.Spec {
	s := tpp.Spec{Name: name + k.suffix, Outs: outs, Operands: operands}
	if k.suffix == "Double" {
		s.Targets = unhurried
	}
	return s
}

// norms are what a part of a block ends in: what it computed, x, some of it dropped, is added to what it was given,
// res, and each row of that sum is normalised. On the way back dx goes through the part, whose bias has the
// sums of its columns as gradient, and dres around it.
func (k kit) norms() (list []gen.Spec) {
	x, res, gain, bias, eps := k.full("x"), k.stored("res"), k.column("gain"), k.column("bias"), k.one("eps")
	sum, g := k.full("sum"), k.full("g")
	drop, scale := tpp.In(gemm.Scalar[int32]("drop")), k.one("scale")
	y, _, _ := tpp.RowNorm(sum, eps)
	d := tpp.Gradient(tpp.Map(k.mul, y, gain), g, sum, gain)
	for _, training := range []bool{false, true} {
		name, part, back, more := "Norm", x, d[0], []tpp.Tensor(nil)
		if training {
			name, part, back, more = "DropNorm", tpp.Dropout(x, drop, scale), tpp.Dropout(d[0], drop, scale), []tpp.Tensor{drop, scale}
		}
		total := tpp.Map(k.add, part, tpp.Widen(res))
		list = append(list,
			k.spec(name, append([]tpp.Tensor{x, res, gain, bias, eps}, more...), tpp.Out("out", k.store(tpp.LayerNorm(total, gain, bias, eps))), tpp.Out("sum", total)),
			k.spec(name+"Back", append([]tpp.Tensor{sum, gain, g, eps}, more...), tpp.Out("dx", k.store(back)), tpp.Out("dres", d[0]),
				tpp.Out("dgain", d[1]), tpp.Out("dbias", tpp.ColSum(g)), tpp.Out("dlast", tpp.ColSum(back))))
	}
	return list
}

// losses are the logarithms of probabilities, and what a mean loss changes by with each logit, but for the one that is
// right: that is share less.
func (k kit) losses() []gen.Spec {
	x, share := k.full("x"), k.one("share")
	log := tpp.LogSoftmax(x)
	return []gen.Spec{k.spec("Loss", []tpp.Tensor{x, share}, tpp.Out("logs", log), tpp.Out("dx", k.store(tpp.Map(k.mul, tpp.Map(k.exp, log), share))))}
}

// sums are those of columns: the gradient of a bias.
func (k kit) sums() []gen.Spec {
	x := k.stored("x")
	return []gen.Spec{k.spec("Columns", []tpp.Tensor{x}, tpp.Out("sums", tpp.ColSum(tpp.Widen(x))))}
}

// cells are a step of an LSTM (Hochreiter and Schmidhuber, 1997; with a gate to forget, Gers and others, 2000) from the sums of its
// gates on, and back: to the memory first, of which total is all of the gradient, and from there to the other gates.
func (k kit) cells() []gen.Spec {
	in, forget, update, output := k.full("in"), k.full("forget"), k.full("update"), k.full("output")
	memory, next, dout, dnext, total := k.full("memory"), k.full("next"), k.full("dout"), k.full("dnext"), k.full("total")
	made := tpp.Map(k.cell, in, forget, update, memory)
	said := tpp.Map(k.emitted, output, next)
	d := tpp.Gradient(said, dout, output, next)
	e := tpp.Gradient(made, total, in, forget, update, memory)
	return []gen.Spec{
		k.spec("Cell", []tpp.Tensor{in, forget, update, output, memory}, tpp.Out("out", k.store(tpp.Map(k.emitted, output, made))), tpp.Out("next", made)),
		k.spec("CellOutBack", []tpp.Tensor{output, next, dout, dnext}, tpp.Out("doutput", k.store(d[0])), tpp.Out("total", tpp.Map(k.add, dnext, d[1]))),
		k.spec("CellBack", []tpp.Tensor{in, forget, update, memory, total}, tpp.Out("din", k.store(e[0])), tpp.Out("dforget", k.store(e[1])),
			tpp.Out("dupdate", k.store(e[2])), tpp.Out("dmemory", e[3])),
	}
}

// steps are one of Adam (Kingma and Ba, 2015) with decay apart (Loshchilov and Hutter, 2019). What products take of a weight may be rounded:
// both are written.
func (k kit) steps() []gen.Spec {
	w, g, mean, square := k.full("w"), k.full("g"), k.full("mean"), k.full("square")
	rate, decay, first, second := k.one("rate"), k.one("decay"), k.one("first"), k.one("second")
	m := tpp.Map(k.part, mean, g, first)
	v := tpp.Map(k.part, square, tpp.Map(k.square, g), second)
	next := tpp.Map(k.moved, w, m, v, rate, decay)
	outs := []tpp.Output{tpp.Out("next", next), tpp.Out("nextMean", m), tpp.Out("nextSquare", v)}
	if k.suffix == "BF16" {
		outs = append(outs, tpp.Out("stored", k.store(next)))
	}
	return []gen.Spec{k.spec("Adam", []tpp.Tensor{w, g, mean, square, rate, decay, first, second}, outs...)}
}

// products are layers of S by S with sums and what layers keep for the way back of P, given what they end in.
func products[S dtype.Elem, P dtype.Float](suffix string, targets []emit.Target, add, infer func(acc, bias P) P, activate, deactivate any) []gen.Spec {
	bias := gemm.PerColumn[P]("bias")
	return []gen.Spec{
		gemm.Spec[S, S, P, P]{Name: "Linear" + suffix, Targets: targets, Epilogue: gemm.Map2(add, bias)},
		gemm.Spec[S, S, P, S]{Name: "GELU" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](infer, nil, bias.In())},
		gemm.Spec[S, S, P, S]{Name: "GELUKept" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](activate, []gemm.Output{gemm.Also[P]("pre")}, bias.In())},
		gemm.Spec[S, S, P, S]{Name: "GELUBack" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](deactivate, nil, gemm.Full[P]("pre").In()).ColSum("dbias")},
	}
}

func main() {
	var specs []gen.Spec
	for _, k := range []kit{single, double, brain} {
		for _, s := range [][]gen.Spec{k.norms(), k.losses(), k.cells(), k.steps(), k.sums()} {
			specs = append(specs, s...)
		}
	}
	specs = append(specs, products[float32, float32]("", nil, addBias[float32], infer[float32], activate[float32], deactivate[float32])...)
	specs = append(specs, products[float64, float64]("Double", unhurried, addBias[float64], infer[float64], activate[float64], deactivate[float64])...)
	specs = append(specs, products[dtype.BF16, float32]("BF16", nil, addBias[float32], infer[float32], activate[float32], deactivate[float32])...)
	x := single.full("x")
	specs = append(specs, brain.spec("Narrow", []tpp.Tensor{x}, tpp.Out("out", brain.store(x)))) // as a product takes it
	y, bias := single.full("y"), single.column("bias")
	// What layers fuse, alone, to be compared with.
	specs = append(specs, single.spec("Sum", []tpp.Tensor{x, y}, tpp.Out("out", tpp.Map(single.add, x, y))),
		single.spec("Biased", []tpp.Tensor{x, bias}, tpp.Out("out", tpp.Map(single.add, x, bias))))
	gen.Main(specs...)
}
