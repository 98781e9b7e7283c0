// Package quant8 has the products of quantised matrices; call them by cpu.QuantMatMul. They multiply
// uint8 or int8 by int8, with sums of int32 that become int8, uint8 or float32. The kernels that multiply
// are those of package gemmi8.
package quant8

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
