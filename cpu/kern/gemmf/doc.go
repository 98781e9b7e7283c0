// Package gemmf holds the stock kernels of products in float32 and float64, generated
// from spec.go.
package gemmf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
