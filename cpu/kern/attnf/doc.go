// Package attnf holds the stock kernels of graph attention in float32 and float64, generated
// from spec.go.
package attnf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
