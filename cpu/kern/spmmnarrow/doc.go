// Package spmmnarrow holds the stock kernels of sparse products in float32 with a dense
// operand in bfloat16 or half precision. It also holds those that widen stored values of these types. All are
// generated from spec.go.
package spmmnarrow

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
