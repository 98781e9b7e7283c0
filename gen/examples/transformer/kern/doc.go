// Package kern has the kernels of package transformer. It has products with a layer's bias, activation or a
// derivative of one as epilogue, and equations of norms, losses, cells and steps of an optimiser. Each
// exists in three types: in float32; in float64 (F64), in which gradients are compared with differences;
// and with activations in bfloat16 (BF16) and sums of float32. All but this file and spec.go is generated.
package kern

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
