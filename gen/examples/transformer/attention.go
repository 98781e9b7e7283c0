package transformer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// Sequences says which tokens belong together: Length each, one sequence under another.
type Sequences struct {
	Length int
	// Valid is how many tokens of each sequence there are; those behind them fill it up, see nothing and are not
	// seen. If it attends to none, its attention is 0. nil: all sequences are full.
	Valid []int
}

// attention is heads of a network that attend to tokens of the same sequence: Vaswani and others, "Attention is all you need", 2017. q, k and v lie
// side by side in a row, and the heads side by side in each. It is [cpu.BlockAttention] of a full mask for each sequence, which goes along
// keys with a running maximum and sum (Dao and others, "FlashAttention", 2022).
type attention[P dtype.Float] struct {
	heads  int
	causal bool
	drop   float64

	qkv, out, dqkv layout.Matrix[P]
	sums           []float64 // of each head of each sequence: what its weights are divided by
	seqs           Sequences
	stream         rand.Stream
	threads        int
	masks          map[int]mask.Mask // by length
}

// blockSize is how many rows and columns of scores are hidden together, where later tokens are.
const blockSize = 64

// valid returns how many sequences there are, and checks them.
func (s Sequences) valid(rows int) int {
	switch {
	case s.Length < 1 || rows%s.Length != 0:
		panic(layout.ShapeError{What: "transformer", Why: fmt.Sprintf("%d tokens are no sequences of %d; want a multiple", rows, s.Length)})
	case s.Valid != nil && len(s.Valid) != rows/s.Length:
		panic(layout.ShapeError{What: "transformer", Why: fmt.Sprintf("Valid has %d numbers for %d sequences", len(s.Valid), rows/s.Length)})
	}
	for i, n := range s.Valid {
		if n < 0 || n > s.Length {
			panic(layout.ShapeError{What: "transformer", Why: fmt.Sprintf("sequence %d has %d tokens of %d; want from 0 to that", i, n, s.Length)})
		}
	}
	return rows / s.Length
}

func (s Sequences) of(i int) int {
	if s.Valid == nil {
		return s.Length
	}
	return s.Valid[i]
}

// forward sets out to what the heads make of qkv, which it keeps.
func (a *attention[P]) forward(p *Pass, qkv layout.Matrix[P], seqs Sequences) layout.Matrix[P] {
	count, d := seqs.valid(qkv.Rows), qkv.Cols/3
	a.qkv, a.seqs, a.threads = qkv, seqs, p.Threads
	a.stream = rand.Stream{}
	if p.Train && a.drop > 0 {
		a.stream = p.stream()
	}
	if n := qkv.Rows * a.heads; len(a.sums) != n {
		a.sums = make([]float64, n)
	}
	out := sized(&a.out, qkv.Rows, d)
	for i := range count { // before goroutines ask for masks
		a.mask(seqs.of(i))
	}
	a.each(count, p.Train, func(i int, o cpu.BlockAttentionOptions) {
		n := seqs.of(i)
		if first := (i*seqs.Length + n) * d; n < seqs.Length {
			clear(out.Data[first : (i+1)*seqs.Length*d])
		}
		if n > 0 {
			x := a.parts(qkv, i)
			cpu.BlockAttention(o, a.head(out, i, 0), a.masks[n], x[0], x[1], x[2])
		}
	})
	return out
}

// backward returns the gradients by qkv of dout, that by what forward returned.
func (a *attention[P]) backward(dout layout.Matrix[P]) layout.Matrix[P] {
	dqkv := sized(&a.dqkv, a.qkv.Rows, a.qkv.Cols)
	a.each(a.qkv.Rows/a.seqs.Length, true, func(i int, o cpu.BlockAttentionOptions) {
		n := a.seqs.of(i)
		if first := (i*a.seqs.Length + n) * dqkv.Cols; n < a.seqs.Length {
			clear(dqkv.Data[first : (i+1)*a.seqs.Length*dqkv.Cols])
		}
		if n > 0 {
			x, d := a.parts(a.qkv, i), a.parts(dqkv, i)
			cpu.BlockAttentionBack(o, d[0], d[1], d[2], a.masks[n], x[0], x[1], x[2], a.head(a.out, i, 0), a.head(dout, i, 0))
		}
	})
	return dqkv
}

// each does something with every sequence, some of them at once, or one after the other if there are fewer than threads.
func (a *attention[P]) each(count int, keep bool, do func(i int, o cpu.BlockAttentionOptions)) {
	inside, outside := a.threads, 1
	if count > 1 {
		inside, outside = 1, a.threads
	}
	each(count, outside, func(i int) {
		width := a.qkv.Cols / 3 / a.heads
		o := cpu.BlockAttentionOptions{Options: options(inside), Heads: cpu.Heads{Count: a.heads, Out: width, Q: width, K: width, V: width}}
		if keep {
			o.LogSums = a.sums[i*a.seqs.Length*a.heads:][:a.seqs.of(i)*a.heads]
		}
		if a.stream != (rand.Stream{}) {
			o.Drop, o.Stream = a.drop, a.stream
			o.Stream.Seed += uint64(i) << 32 // a stream for each sequence
		}
		do(i, o)
	})
}

// mask is that of a sequence of n tokens.
func (a *attention[P]) mask(n int) {
	if _, ok := a.masks[n]; ok || n == 0 {
		return
	}
	if a.masks == nil {
		a.masks = map[int]mask.Mask{}
	}
	mask, err := mask.Full(n, n, blockSize)
	if err != nil {
		panic(layout.ShapeError{What: "transformer", Why: err.Error()})
	}
	if a.causal {
		mask = mask.Causal()
	}
	a.masks[n] = mask
}

// parts are the first heads of q, k and v of sequence i.
func (a *attention[P]) parts(qkv layout.Matrix[P], i int) (parts [3]layout.Matrix[P]) {
	for n := range parts {
		parts[n] = a.head(qkv, i, n*qkv.Cols/3)
	}
	return parts
}

// head is the first head of sequence i, from a column on.
func (a *attention[P]) head(m layout.Matrix[P], i, col int) layout.Matrix[P] {
	first := i * a.seqs.Length * m.Cols
	data := m.Data[first+col : first+a.seqs.Length*m.Cols]
	return layout.Matrix[P]{Data: data, Rows: a.seqs.of(i), Cols: a.qkv.Cols / 3 / a.heads, RowStride: m.Cols, ColStride: 1}
}
