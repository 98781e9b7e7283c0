// Package conv has convolutions of images with channels last: forward, with a bias and a rectifier if wanted,
// and both derivatives. It has strides, dilation, padding, batches and depthwise filters, in float32, float64
// and bf16 with sums of float32.
//
//	c, err := conv.New[float32, float32](conv.Square(n, 56, 64, 64, 3, 1)) // images of 56 x 56 pixels, 64 channels, 3 x 3 taps
//	w := c.Pack(weights)                                                  // once
//	c.ForwardBiasReLU(run.Options{}, out, in, w, bias)
//
// Each is made of sums of products of pairs of blocks (batch-reduce GEMM,
// [github.com/tilesmith/tilesmith/gemm.BatchReduce]). A block of A is some pixels of a row that a tap of the
// filter meets. A block of B has the weights of that tap for a panel of 32 channels. One kernel for each type
// takes any number of pixels and channels; spec.go is what they are generated from. README.md says how it
// goes.
//
// Padding is zeros. Taps above and below an image are left out. Those on its left and right may be
// multiplied, so weights that are not finite make pixels at these edges NaN.
package conv

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
