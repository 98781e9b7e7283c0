// Package kern has the kernels of package transformer: products whose ends are a layer's bias,
// activation or the derivative of one, and equations of norms, losses, cells and steps of an optimiser. Each is there in
// float32, in float64 (F64), in which gradients are compared with differences, and with what goes between
// layers in bfloat16 (BF16), with sums of float32. All but this file and spec.go is generated.
package kern

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
