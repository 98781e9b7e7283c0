// Package gemmi8 holds the stock products of 8-bit integers, and of 8-bit with 16-bit ones, with sums of i32, generated from spec.go.
package gemmi8

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
