// Package gemmc64 holds the stock complex64 product, generated from spec.go.
package gemmc64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
