// Package spmmf32 holds the stock kernels of sparse products in float32, generated
// from spec.go.
package spmmf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
