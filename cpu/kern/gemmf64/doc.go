// Package gemmf64 holds the stock float64 product, generated from spec.go.
package gemmf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
