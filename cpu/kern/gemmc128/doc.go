// Package gemmc128 holds the stock complex128 product, generated from spec.go.
package gemmc128

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
