package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// The attention of Longformer: each token sees a window around it, and all see the first
// block, which sees all. Four heads lie side by side in what a layer's projections made.
func ExampleBlockAttention_longformer() {
	const tokens, heads, width, block = 512, 4, 16, 32
	rng := rand.New(rand.NewPCG(1, 2))
	q, k, v := normal[float32](rng, tokens, heads*width), normal[float32](rng, tokens, heads*width), normal[float32](rng, tokens, heads*width)

	window, err := mask.Band(tokens, block, 2)
	if err != nil {
		panic(err)
	}
	global, err := mask.Global(tokens, block, 1)
	if err != nil {
		panic(err)
	}
	mask, err := window.Or(global)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, %.0f%% of the scores\n", mask, 100*mask.Density())

	// The matrices of the first head; the others begin so many elements further on.
	head := func(m layout.Matrix[float32]) layout.Matrix[float32] { m.Cols = width; return m }
	out := layout.New[float32](tokens, heads*width)
	cpu.BlockAttention(cpu.BlockAttentionOptions{Heads: cpu.Heads{Count: heads, Out: width, Q: width, K: width, V: width}},
		head(out), mask, head(q), head(k), head(v))

	// Token 200 of head 3 by hand.
	const i, h = 200, 3
	sum, want := 0.0, make([]float64, width)
	for j := range tokens {
		if !mask.Has(i, j) {
			continue
		}
		score := 0.0
		for c := range width {
			score += float64(q.At(i, h*width+c)) * float64(k.At(j, h*width+c))
		}
		weight := math.Exp(score / math.Sqrt(width))
		sum += weight
		for c := range want {
			want[c] += weight * float64(v.At(j, h*width+c))
		}
	}
	worst := 0.0
	for c := range want {
		worst = max(worst, math.Abs(want[c]/sum-float64(out.At(i, h*width+c))))
	}
	fmt.Println("right:", worst < 1e-5)
	// Output:
	// 512 x 512 mask of 100 blocks of 32, 39% of the scores
	// right: true
}
