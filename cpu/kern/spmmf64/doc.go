// Package spmmf64 holds the stock kernels of sparse products in float64, generated
// from spec.go.
package spmmf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
