// Package bsrf64 holds the stock kernels of products of dense blocks in float64,
// generated from spec.go.
package bsrf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
