// Package vector holds the stock kernels of Levels 1 and 2 of BLAS, passes over vectors and
// rows of matrices, generated from spec.go.
package vector

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
