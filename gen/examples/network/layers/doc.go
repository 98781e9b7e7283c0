// Package layers has the products of the network that package network trains: a dense layer
// with ReLU, and one of logits, in float32, bfloat16 and int8. All but this file and spec.go
// is generated.
//
// Start with DenseInt8, whose results are uint8 again. Its epilogue adds the bias in the unit
// of the sums, scales, rounds, and saturates at 0, which is the ReLU.
package layers

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
