// Package gemmf32 holds the stock float32 product, generated from spec.go.
package gemmf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
