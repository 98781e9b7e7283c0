// Package nn has the pieces that networks on graphs are put together from. A layer is one step along the
// lines of NN-TGAR (GraphTheta, Liu and others 2021), forward and backward:
//
//	transform  rows times weights, GEMM, SpMM     Words, Transform, Pruned
//	edges      a number for each edge, SDDMM      Attend
//	gather     sums over neighbours, SpMM         Gather, Attend, Relate
//	apply      a function of each number          Apply, Dropout
//
// and a network is a [Chain] of them. Every layer is generic, so that gradients are checked in float64 and
// networks run in float32. The derivatives of activations are generated: spec.go lists them. Start with [Layer].
package nn

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
