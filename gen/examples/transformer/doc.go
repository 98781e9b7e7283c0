// Package transformer has the layers of transformers and of recurrent networks, forward and backward: what a program
// that trains one is made of. Products end in biases, activations and their derivatives, and norms begin with
// dropout and a residual. Scores of attention are never in memory as a whole. Package kern has the kernels,
// and its spec.go says of what.
//
// Layers are generic. S is the type of activations between layers and of what products multiply. P is the
// type of sums, parameters, gradients and what a layer keeps for itself:
//
//	float32 and float32, for which Kernels are [Float32]
//	dtype.BF16 and float32, [BFloat16]: attention, norms and losses compute in float32 too, and parameters keep all of their bits
//	float64 and float64, [Float64], in which gradients are compared with differences
//
// Tokens lie one under another, those of a sequence together. Start with [NewBlock] and [NewEmbedding]; gen/examples/gpt puts
// them together. A layer's results belong to it and stand until its next call. One layer serves one goroutine
// at a time, and its results have the same bits for any number of threads.
package transformer
