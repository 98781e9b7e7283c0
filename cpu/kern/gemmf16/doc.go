// Package gemmf16 holds the stock product of f16 with sums of f32, generated from spec.go.
package gemmf16

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
