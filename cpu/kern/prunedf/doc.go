// Package prunedf holds the stock kernels of products of pruned weights in float32 and float64, generated
// from spec.go.
package prunedf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
