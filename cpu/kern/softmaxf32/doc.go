// Package softmaxf32 holds the stock kernels of attention over blocks in float32, generated
// from spec.go.
package softmaxf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
