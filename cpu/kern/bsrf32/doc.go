// Package bsrf32 holds the stock kernels of products of dense blocks in float32,
// generated from spec.go.
package bsrf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
