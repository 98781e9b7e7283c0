package transformer

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/gen/examples/transformer/kern"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/peer/python"
)

// bert is a layer of BERT base, on 512 tokens.
var bert = Shape{Width: 768, Heads: 12, Hidden: 3072}

const bertTokens = 512

// ready is a block with random weights, an input and a gradient of its result.
func ready[S dtype.Elem](k *Kernels[S, float32], s Shape, tokens int) (b *Block[S, float32], x layout.Matrix[S], g layout.Matrix[float32]) {
	b = NewBlock(k, s)
	Init(b.Params(), 1)
	wide := layout.New[float32](tokens, s.Width)
	g = layout.New[float32](tokens, s.Width)
	rand.Normal(rand.Stream{Seed: 2}, 0, wide.Data, 0, 1)
	rand.Normal(rand.Stream{Seed: 3}, 0, g.Data, 0, 1)
	return b, k.round(options(1), new(layout.Matrix[S]), wide), g
}

// timed is the median milliseconds of some calls.
func timed(times int, f func()) float64 {
	var took []float64
	for range times {
		start := time.Now()
		f()
		took = append(took, 1e3*time.Since(start).Seconds())
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// BenchmarkBlock is a layer of BERT base, forward for answers and backward.
func BenchmarkBlock(b *testing.B) {
	b.Run("f32", func(b *testing.B) { benchmarkBlock(b, Float32) })
	b.Run("bf16", func(b *testing.B) { benchmarkBlock(b, BFloat16) })
}

func benchmarkBlock[S dtype.Elem](b *testing.B, k *Kernels[S, float32]) {
	block, x, g := ready(k, bert, bertTokens)
	block.Pack()
	seqs := Sequences{Length: bertTokens}
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			block.Forward(&Pass{Threads: 1}, x, seqs)
		}
	})
	b.Run("train", func(b *testing.B) {
		for b.Loop() {
			p := &Pass{Threads: 1, Train: true}
			block.Forward(p, x, seqs)
			block.Backward(p, g)
		}
	})
}

// unfused is the forward pass of a block by calls that do one thing each: products, and between them softmax, sums, activations and norms of whole
// matrices. products leaves out all but the products.
type unfused struct {
	b                                   *Block[float32, float32]
	packed                              [4]*run.Packed
	qkv, a, part, sum, mid, f, act, out layout.Matrix[float32]
	scores, weights                     layout.Matrix[float32]
	gain, bias                          [2][]float32
}

func newUnfused(b *Block[float32, float32], n int) *unfused {
	d := b.Width
	u := &unfused{b: b}
	for _, m := range []struct {
		m    *layout.Matrix[float32]
		cols int
	}{{&u.qkv, 3 * d}, {&u.a, d}, {&u.part, d}, {&u.sum, d}, {&u.mid, d}, {&u.f, b.Hidden}, {&u.act, b.Hidden}, {&u.out, d}} {
		*m.m = layout.New[float32](n, m.cols)
	}
	u.scores, u.weights = layout.New[float32](n, n), layout.New[float32](n, n)
	for i, w := range []*Param[float32, float32]{b.QKV, b.Out, b.Up, b.Down} {
		u.packed[i] = cpu.Pack(w.Value)
	}
	return u
}

// forward returns what a block makes of x.
func (u *unfused) forward(opt run.Options, x layout.Matrix[float32], products bool) layout.Matrix[float32] {
	b, d := u.b, u.b.Width
	width := d / b.Heads
	product := func(out, a layout.Matrix[float32], i int, w *Param[float32, float32]) {
		o := opt
		o.B = u.packed[i]
		cpu.MatMulOpt(o, out, a, w.Value)
	}
	bias := func(x layout.Matrix[float32], w *Param[float32, float32]) {
		if !products {
			kern.AddBiasOpt(opt, x, x, w.row())
		}
	}
	product(u.qkv, x, 0, b.QKV)
	bias(u.qkv, b.QKVBias)
	for h := range b.Heads {
		part := func(i int) layout.Matrix[float32] {
			return u.qkv.Slice(0, x.Rows, i*d+h*width, i*d+(h+1)*width)
		}
		o := opt
		o.Scaling = run.Scale(1/math.Sqrt(float64(width)), 0)
		cpu.MatMulOpt(o, u.scores, part(0), part(1).T())
		if !products {
			tensors.SoftmaxOpt(opt, u.weights, u.scores)
		}
		cpu.MatMulOpt(opt, u.a.Slice(0, x.Rows, h*width, (h+1)*width), u.weights, part(2))
	}
	product(u.part, u.a, 1, b.Out)
	bias(u.part, b.OutBias)
	norm := func(out, res layout.Matrix[float32], i int) {
		if !products {
			kern.AddOpt(opt, u.sum, u.part, res)
			tensors.LayerNormOpt(opt, out, u.sum, b.norms[i].Gain.row(), b.norms[i].Bias.row(), eps)
		}
	}
	norm(u.mid, x, 0)
	product(u.f, u.mid, 2, b.Up)
	bias(u.f, b.UpBias)
	if !products {
		tensors.GELUOpt(opt, u.act, u.f)
	}
	product(u.part, u.act, 3, b.Down)
	bias(u.part, b.DownBias)
	norm(u.out, u.mid, 1)
	return u.out
}

// BenchmarkTorchTable prints the times of a layer of BERT base by us, by our calls that do one thing each, of its products alone, and of PyTorch in the fastest of its ways, the same
// number of threads, in turns, after results and gradients were compared.
//
//	VIRTUAL_ENV=(where pip installed torch) go test -run '^$' -bench TorchTable -benchtime 1x ./gen/examples/transformer
func BenchmarkTorchTable(b *testing.B) {
	folder := b.TempDir()
	p, err := python.Start(filepath.Join("testdata", "pytorch.py"), folder)
	if err != nil {
		b.Skip(err)
	}
	defer p.Close()
	ask := func(question ...any) string {
		answer, err := p.Ask(question...)
		if err != nil {
			b.Fatal(err)
		}
		return answer[0]
	}
	number := func(question ...any) (ms float64) {
		if _, err := fmt.Sscan(ask(question...), &ms); err != nil {
			b.Fatal(err)
		}
		return ms
	}
	block, x, g := ready(Float32, bert, bertTokens)
	seqs := Sequences{Length: bertTokens}
	var weights []float32
	for _, p := range block.Params() {
		weights = append(weights, p.Value.Data...)
	}
	for name, data := range map[string][]float32{"weights": weights, "x": x.Data, "g": g.Data} {
		if err := os.WriteFile(filepath.Join(folder, name+".f32"), bytesOf(data), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	ask("shape", bertTokens, bert.Width, bert.Heads, bert.Hidden, 0)
	ask("check")
	pass := &Pass{Train: true}
	y := block.Forward(pass, x, seqs)
	dx := block.Backward(pass, g)
	plain := newUnfused(block, bertTokens)
	opt := options(0)
	for name, have := range map[string][]float32{"y": y.Data, "dx": dx.Data, "dqkv": block.QKV.Grad.Data} {
		want, err := os.ReadFile(filepath.Join(folder, name+".f32"))
		if err != nil {
			b.Fatal(err)
		}
		near(b, name, have, floatsOf(want))
	}
	near(b, "unfused", plain.forward(opt, x, false).Data, y.Data)

	narrow, x16, _ := ready(BFloat16, bert, bertTokens)
	block.Pack()
	narrow.Pack()
	fmt.Printf("\n%s; %s\n\n| | threads | ours, ms | PyTorch, ms | as | times | unfused, ms | products, ms | outside products, of unfused |\n|---|---|---|---|---|---|---|---|---|\n", p.Version, runtime.Version())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2} {
		runtime.GOMAXPROCS(threads)
		opt, p := options(threads), Pass{Threads: threads}
		learn := Pass{Threads: threads, Train: true}
		for _, row := range []struct {
			name, ask string
			ways      []string
			ours      func() float64
			parts     bool
		}{
			{"forward, f32", "forward", []string{"eager", "unfused", "compiled"}, func() float64 { return timed(3, func() { block.Forward(&p, x, seqs) }) }, true},
			{"backward, f32", "backward", []string{"eager", "unfused", "compiled"}, func() float64 {
				block.Forward(&learn, x, seqs)
				return timed(3, func() { block.Backward(&learn, g) })
			}, false},
			{"forward, bf16", "forward", []string{"eager-bf16", "unfused-bf16", "compiled-bf16"}, func() float64 { return timed(3, func() { narrow.Forward(&p, x16, seqs) }) }, false},
			{"backward, bf16", "backward", []string{"eager-bf16", "unfused-bf16", "compiled-bf16"}, func() float64 {
				narrow.Forward(&learn, x16, seqs)
				return timed(3, func() { narrow.Backward(&learn, g) })
			}, false},
		} {
			if strings.HasSuffix(row.name, "bf16") && !slices.ContainsFunc(run.ISAs(), func(isa string) bool { return strings.HasSuffix(isa, "bf16") }) {
				continue // PyTorch takes seconds without such instructions
			}
			way, least := "", math.Inf(1)
			for _, w := range row.ways {
				if ms := number(row.ask, w, threads, 5); ms < least {
					way, least = w, ms
				}
			}
			var ours, theirs, times, apart, products, outside, unfused []float64
			for range 15 {
				theirs = append(theirs, number(row.ask, way, threads, 3))
				time.Sleep(300 * time.Millisecond) // for 200 its threads wait for more, and take cores
				ours = append(ours, row.ours())
				times = append(times, theirs[len(theirs)-1]/ours[len(ours)-1])
			}
			for i := 0; row.parts && i < 45; i++ { // in turns call by call: it is differences that count
				o := timed(1, func() { block.Forward(&p, x, seqs) })
				a := timed(1, func() { plain.forward(opt, x, false) })
				p := timed(1, func() { plain.forward(opt, x, true) })
				apart, products = append(apart, a), append(products, p)
				outside, unfused = append(outside, o-p), append(unfused, a-p)
			}
			fmt.Printf("| %s | %d | %.2f | %.2f | %s | %.2f |", row.name, threads, median(ours), median(theirs), way, median(times))
			if row.parts {
				o, u := median(outside), median(unfused)
				fmt.Printf(" %.2f | %.2f | %.2f of %.2f ms, %.0f %% |\n", median(apart), median(products), o, u, 100*o/u)
			} else {
				fmt.Println(" | | |")
			}
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func bytesOf(x []float32) []byte {
	b := make([]byte, 4*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

func floatsOf(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// near compares two lists by their distance, of the length of one.
func near(tb testing.TB, name string, have, want []float32) {
	tb.Helper()
	far, length := 0.0, 0.0
	for i, w := range want {
		far += math.Pow(float64(have[i]-w), 2)
		length += math.Pow(float64(w), 2)
	}
	if len(have) != len(want) || !(far <= 1e-10*length) {
		tb.Fatalf("%s: %d numbers are %.3g of their length from %d that are wanted", name, len(have), math.Sqrt(far/length), len(want))
	}
}
