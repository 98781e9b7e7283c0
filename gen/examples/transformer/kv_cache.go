package transformer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// A KVCache is queries, keys and values of the tokens that a block has seen of one sequence, for those that come later.
type KVCache[P dtype.Float] struct {
	qkv  layout.Matrix[P]
	seen int
	out  layout.Matrix[P]
}

// NewKVCache returns room for so many tokens of so many numbers.
func NewKVCache[P dtype.Float](length, width int) *KVCache[P] {
	return &KVCache[P]{qkv: layout.New[P](length, 3*width)}
}

// Reset begins another sequence.
func (c *KVCache[P]) Reset() { c.seen = 0 }

// attend sets out to what tokens that follow those in the cache see, and adds them to it.
func (a *attention[P]) attend(p *Pass, c *KVCache[P], qkv layout.Matrix[P]) layout.Matrix[P] {
	n, d := qkv.Rows, qkv.Cols/3
	if c.seen+n > c.qkv.Rows || qkv.Cols != c.qkv.Cols {
		panic(layout.ShapeError{What: "transformer.Block.Decode", Why: fmt.Sprintf("%d tokens of %d numbers after %d; the cache has room for %d of %d",
			n, d, c.seen, c.qkv.Rows, c.qkv.Cols/3)})
	}
	copy(c.qkv.Data[c.seen*qkv.Cols:], qkv.Data)
	c.seen += n
	mask, err := mask.Full(n, c.seen, blockSize)
	if err != nil {
		panic(layout.ShapeError{What: "transformer.Block.Decode", Why: err.Error()})
	}
	if a.causal { // of the last rows of a square
		mask = mask.Causal()
	}
	width := d / a.heads
	part := func(m layout.Matrix[P], from, rows, col int) layout.Matrix[P] {
		return layout.Matrix[P]{Data: m.Data[from*m.Cols+col : (from+rows)*m.Cols], Rows: rows, Cols: width, RowStride: m.Cols, ColStride: 1}
	}
	out := sized(&c.out, n, d)
	o := cpu.BlockAttentionOptions{Options: p.options(), Heads: cpu.Heads{Count: a.heads, Out: width, Q: width, K: width, V: width}}
	cpu.BlockAttention(o, part(out, 0, n, 0), mask, part(c.qkv, c.seen-n, n, 0), part(c.qkv, 0, c.seen, d), part(c.qkv, 0, c.seen, 2*d))
	return out
}

// Decode is Forward, without a way back, of tokens that follow others of one sequence, which the cache has. It panics with a [layout.ShapeError]
// if that has no room for them.
func (b *Block[S, P]) Decode(p *Pass, x layout.Matrix[S], c *KVCache[P]) layout.Matrix[S] {
	return b.forward(p, x, func(qkv layout.Matrix[P]) layout.Matrix[P] { return b.attend.attend(p, c, qkv) })
}

// Decode is Forward, without a way back, for tokens of one sequence. The first token stands at a given
// place.
func (e *Embedding[S, P]) Decode(p *Pass, tokens []int32, place int) (layout.Matrix[S], error) {
	places := make([]int32, len(tokens))
	for i := range places {
		places[i] = int32(place + i)
	}
	return e.forward(p, tokens, places)
}
