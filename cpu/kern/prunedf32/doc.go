// Package prunedf32 holds the stock kernels of products of pruned weights in
// float32, generated from spec.go.
package prunedf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
