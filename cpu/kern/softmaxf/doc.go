// Package softmaxf holds the stock kernels of attention over blocks in float32 and float64, generated
// from spec.go.
package softmaxf

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
