// Package sddmmf64 holds the stock kernels of sampled products in float64, generated
// from spec.go.
package sddmmf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
