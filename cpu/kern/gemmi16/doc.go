// Package gemmi16 holds the stock product of 16-bit integers with sums of i32, generated from spec.go.
package gemmi16

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
