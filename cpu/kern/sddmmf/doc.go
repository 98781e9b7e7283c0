// Package sddmmf holds the stock kernels of sampled products in float32 and float64, generated
// from spec.go.
package sddmmf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
