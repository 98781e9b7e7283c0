// Package narrowf32 has products of float32 whose results are narrower: rounded to bfloat16 or half precision, or quantised to int8 or uint8 by a scale and
// a zero point for each row or column. The kernels that multiply are those of package gemmf32; those that round and quantise do so
// behind other products of such sums as well, and on matrices that are there already: see [BFloat16s] and [I8sByColumn].
package narrowf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
