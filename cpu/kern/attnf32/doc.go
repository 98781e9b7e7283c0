// Package attnf32 holds the stock kernels of graph attention in float32, generated
// from spec.go.
package attnf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
