package transformer_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
)

// A network of one block learns to say which token comes next in a sequence that repeats.
func Example() {
	const tokens, length, width = 5, 10, 16
	k := transformer.Float32
	embedding := transformer.NewEmbedding(k, tokens, length, width, 0)
	block := transformer.NewBlock(k, transformer.Shape{Width: width, Heads: 2, Hidden: 32, Causal: true})
	head := transformer.NewHead(k, width, tokens)
	params := append(append(embedding.Params(), block.Params()...), head.Params()...)
	transformer.Init(params, 1)
	adam := transformer.NewAdamW(params, .01)

	text := []int32{0, 3, 1, 4, 2, 0, 3, 1, 4, 2, 0}
	seqs := transformer.Sequences{Length: length}
	var loss float64
	for step := range 60 {
		p := &transformer.Pass{Train: true, Step: uint64(step)}
		x, err := embedding.Forward(p, text[:length], seqs)
		if err != nil {
			panic(err)
		}
		head.Forward(p, block.Forward(p, x, seqs))
		loss = head.Loss(p, text[1:])
		embedding.Backward(p, block.Backward(p, head.Backward(p)))
		adam.Update(p)
	}
	fmt.Println(loss < .05)
	// Output: true
}
