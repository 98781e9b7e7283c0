// Package bsrf holds the stock kernels of products of dense blocks in float32 and float64, generated
// from spec.go.
package bsrf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
