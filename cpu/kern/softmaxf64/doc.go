// Package softmaxf64 holds the stock kernels of attention over blocks in float64, generated
// from spec.go.
package softmaxf64

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
