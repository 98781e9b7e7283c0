package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// network is a network of some kind: its loss, and that with gradients.
type network[S dtype.Elem, P dtype.Float] struct {
	params []*Param[S, P]
	loss   func(back bool) float64
}

// encoder is an embedding, two blocks and a head, on sequences of which one is cut short and one closed.
func encoder[S dtype.Elem, P dtype.Float](k *Kernels[S, P], threads int, causal bool, drop float64, valid []int) network[S, P] {
	const length, width, classes = 7, 12, 5
	s := Shape{Width: width, Heads: 4, Hidden: 20, Causal: causal, Drop: drop}
	e, head := NewEmbedding(k, 9, length, width, drop), NewHead(k, width, classes)
	blocks := []*Block[S, P]{NewBlock(k, s), NewBlock(k, s)}
	seqs := Sequences{Length: length, Valid: valid}
	tokens, want := make([]int32, length*3), make([]int32, length*3)
	for i := range tokens {
		tokens[i], want[i] = int32(i*i%9), int32(i*3%classes)
	}
	want[4] = -1
	n := network[S, P]{params: e.Params()}
	for _, b := range blocks {
		n.params = append(n.params, b.Params()...)
	}
	n.params = append(n.params, head.Params()...)
	n.loss = func(back bool) float64 {
		p := &Pass{Train: true, Seed: 4, Step: 9, Threads: threads}
		x, err := e.Forward(p, tokens, seqs)
		if err != nil {
			panic(err)
		}
		for _, b := range blocks {
			x = b.Forward(p, x, seqs)
		}
		head.Forward(p, x)
		loss := head.Loss(p, want)
		if back {
			g := head.Backward(p)
			for i := len(blocks) - 1; i >= 0; i-- {
				g = blocks[i].Backward(p, g)
			}
			e.Backward(p, g)
		}
		return loss
	}
	return n
}

// recurrent is bags, an LSTM along five steps, and a head behind each.
func recurrent[S dtype.Elem, P dtype.Float](k *Kernels[S, P]) network[S, P] {
	const steps, n, in, width, classes = 5, 4, 6, 10, 3
	bag, l, head := NewEmbeddingBag(k, "bag", 8, in), NewLSTM(k, in, width), NewHead(k, width, classes)
	var lists [][]int
	for i := range steps * n {
		lists = append(lists, []int{i % 8, i * 3 % 8, i % 8}[:i%4])
	}
	bags, err := Bags[P](8, lists)
	if err != nil {
		panic(err)
	}
	want := make([]int32, steps*n)
	for i := range want {
		want[i] = int32(i * i % classes)
	}
	all, dx := layout.New[S](steps*n, width), layout.New[P](steps*n, in)
	var stored layout.Matrix[S]
	return network[S, P]{append(append(l.Params(), head.Params()...), bag.Table), func(back bool) float64 {
		p := &Pass{Train: true, Threads: 2}
		x := k.round(p.options(), &stored, bag.Forward(p, bags))
		var xs, outs []layout.Matrix[S]
		var dxs, douts []layout.Matrix[P]
		for t := range steps {
			xs, outs = append(xs, x.Slice(t*n, (t+1)*n, 0, in)), append(outs, all.Slice(t*n, (t+1)*n, 0, width))
			dxs = append(dxs, dx.Slice(t*n, (t+1)*n, 0, in))
		}
		l.Forward(p, outs, xs)
		head.Forward(p, all)
		loss := head.Loss(p, want)
		if back {
			g := head.Backward(p)
			for t := range steps {
				douts = append(douts, g.Slice(t*n, (t+1)*n, 0, width))
			}
			l.Backward(p, dxs, douts)
			bag.Backward(p, dx)
		}
		return loss
	}}
}

// networks are all kinds.
func networks[S dtype.Elem, P dtype.Float](k *Kernels[S, P]) map[string]network[S, P] {
	return map[string]network[S, P]{
		"encoder": encoder(k, 2, false, 0, nil), "padded": encoder(k, 2, false, 0, []int{7, 4, 0}), "causal": encoder(k, 2, true, 0, []int{7, 5, 7}),
		"dropped": encoder(k, 2, false, .25, []int{7, 7, 3}), "recurrent": recurrent(k),
	}
}

// shuffled gives all parameters numbers, also those that begin alike.
func (n network[S, P]) shuffled() {
	rng := rand.New(level.PCG(3, 4))
	for _, p := range n.params {
		for i := range p.Value.Data {
			p.Value.Data[i] += P(.4 * rng.NormFloat64())
		}
		p.Store()
	}
}

// Gradients by all parameters are those of central differences, with the masks of one step.
func TestGradients(t *testing.T) {
	for name, n := range networks(Float64) {
		t.Run(name, func(t *testing.T) {
			n.shuffled()
			n.loss(true)
			for _, p := range n.params {
				grad := append([]float64(nil), p.Grad.Data...)
				for i, g := range grad {
					if i%max(1, len(grad)/60) != 0 {
						continue
					}
					const h = 1e-5
					x := p.Value.Data[i]
					p.Value.Data[i] = x + h
					up := n.loss(false)
					p.Value.Data[i] = x - h
					down := n.loss(false)
					p.Value.Data[i] = x
					if want := (up - down) / (2 * h); !(math.Abs(g-want) <= 1e-6*max(1e-2, math.Abs(want))) {
						t.Fatalf("gradient %d of %s is %v, differences say %v", i, p.Name, g, want)
					}
				}
			}
		})
	}
}

// What float32 and bfloat16 compute is near what float64 does: losses, and gradients by their length.
func TestTypes(t *testing.T) {
	exact := networks(Float64)
	for name, n := range networks(Float32) {
		t.Run("f32/"+name, func(t *testing.T) { nearly(t, n, exact[name], 2e-6, 2e-5) })
	}
	exact = networks(Float64)
	for name, n := range networks(BFloat16) {
		t.Run("bf16/"+name, func(t *testing.T) { nearly(t, n, exact[name], .02, .08) })
	}
}

// nearly compares a network with one of float64: the loss, and every gradient, relative to the length of all.
func nearly[S dtype.Elem, P dtype.Float](t *testing.T, n network[S, P], exact network[float64, float64], loss, gradient float64) {
	n.shuffled()
	exact.shuffled()
	if have, want := n.loss(true), exact.loss(true); !(math.Abs(have-want) <= loss*math.Abs(want)) {
		t.Errorf("the loss is %v, want %v within %v of it", have, want, loss)
	}
	for i, p := range n.params {
		far, length := 0.0, 0.0
		for j, want := range exact.params[i].Grad.Data {
			far += math.Pow(float64(p.Grad.Data[j])-want, 2)
			length += want * want
		}
		if far = math.Sqrt(far); !(far <= gradient*max(math.Sqrt(length), 1e-2)) {
			t.Errorf("the gradient by %s is %.3g away from one of length %.3g; want %v of that", p.Name, far, math.Sqrt(length), gradient)
		}
	}
}

// Threads leave the bits alone.
func TestThreads(t *testing.T) {
	for _, drop := range []float64{0, .25} {
		var first []float32
		for _, threads := range []int{1, 3} {
			n := encoder(Float32, threads, true, drop, nil)
			n.shuffled()
			n.loss(true)
			var all []float32
			for _, p := range n.params {
				all = append(all, p.Grad.Data...)
			}
			if first == nil {
				first = all
			} else if fmt.Sprint(first) != fmt.Sprint(all) {
				t.Errorf("drop %v: gradients of %d threads differ", drop, threads)
			}
		}
	}
}
