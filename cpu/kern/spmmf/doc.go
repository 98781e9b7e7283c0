// Package spmmf holds the stock kernels of sparse products in float32 and float64, generated
// from spec.go.
package spmmf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
