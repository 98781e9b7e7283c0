// Package moves holds the stock kernels that transpose and interleave rows of elements of one
// to eight bytes, generated from spec.go.
package moves

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
