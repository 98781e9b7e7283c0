// Package sddmmf32 holds the stock kernels of sampled products in float32, generated
// from spec.go.
package sddmmf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
