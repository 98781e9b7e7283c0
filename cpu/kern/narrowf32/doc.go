// Package narrowf32 has products of float32 with narrower results. These are rounded to bfloat16 or half
// precision, or quantised to int8 or uint8 by a scale and a zero point for each row or column. The kernels
// that multiply are those of package gemmf. The kernels that round and quantise also serve other products
// with such sums, and matrices that exist already: see [BFloat16s] and [I8sByColumn].
package narrowf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
