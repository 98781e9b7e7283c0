// Package gemmbf16 holds the stock product of bf16 with sums of f32, generated from spec.go.
package gemmbf16

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
