// Package attnf64 holds the stock kernels of graph attention in float64, generated
// from spec.go.
package attnf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
