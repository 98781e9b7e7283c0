package spec

import "github.com/tilesmith/tilesmith/layout/dtype"

// BlockAttention describes attention over blocks (Child et al., 2019; Beltagy et al., Longformer, 2020). For each
// head and each row i, out[i] is the sum of v[j] over the columns j of row i of a [mask.Mask]. The weights are the
// softmax of the scores epilogue(Scale * q[i]·k[j]).
//
// The generated function takes out (m x h), the mask (m x n), q (m x f), k (n x f) and v (n x h), and then
// the epilogue's operands. An operand has one element for each row of the mask, for each column, for each
// element, or is a scalar. An operand is for all heads, or has the elements of one head after the other. So
// you can compute the distance of positions from two operands, and a score of -Inf hides what the mask shows.
// The kernels of package cpu multiply blocks and compute powers of e, whatever Standalone says. All scores
// are never in memory at once.
type BlockAttention[T dtype.Float] struct {
	Name string
	// Heads that lie side by side in the columns of q, k, v and out; 0: one, or what
	// the options of a call say.
	Heads     int
	Width     int         // columns of a head of q, k, v and out; 0: known at run time
	Scale     float64     // 0: one over the square root of the columns of a head of q
	Causal    bool        // rows see no later columns, as of [mask.Mask.Causal]
	UnseenNaN bool        // rows that see nothing are NaN; else 0
	Epilogue  Epilogue[T] // the score, of the scaled product and operands; nil: the product
	Targets   Targets

	Standalone bool
}

// Attention has the fields of a [BlockAttention] other than its name, head's width and
// epilogue.
type Attention struct {
	Heads             int
	Scale             float64
	Causal, UnseenNaN bool
	// GradientsOf is the name of the spec whose gradients the spec is, of the same package; empty: it has none.
	GradientsOf string
}

// BlockAttentionBack describes the gradients of attention over blocks; [BlockAttention.Backward] makes one.
type BlockAttentionBack[T dtype.Float] struct{ of BlockAttention[T] }

// Backward returns the spec of the gradients of s, called Name + "Back", for the package of s. The generated function
// takes, in this order: options with the LogSums that a call of s filled; the gradients dq, dk and dv, which it sets;
// dx for each float operand x of s; the mask, q, k and v; out, the result of s; dout, the gradient by out;
// the operands of s. A dx has the length of x: one part for each head, or a sum over all heads. Pass nil, or
// the zero Matrix, if you do not want it. The generator derives the function of scores.
func (s BlockAttention[T]) Backward() BlockAttentionBack[T] { return BlockAttentionBack[T]{s} }

// Kernel returns the spec's name.
func (s BlockAttentionBack[T]) Kernel() string { return s.of.Name + "Back" }

// Describe returns the spec without its type parameters.
func (s BlockAttentionBack[T]) Describe() Description {
	d := s.of.Describe()
	d.Attention.GradientsOf, d.Name = d.Name, s.Kernel()
	return d
}

// Kernel returns the spec's name.
func (s BlockAttention[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s BlockAttention[T]) Describe() Description {
	return describe[T](Description{
		Operation: OpAttention, Name: s.Name, Features: s.Width, Attention: Attention{Heads: s.Heads, Scale: s.Scale, Causal: s.Causal, UnseenNaN: s.UnseenNaN},
		Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone,
	})
}
