// Package prunedf64 holds the stock kernels of products of pruned weights in
// float64, generated from spec.go.
package prunedf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
