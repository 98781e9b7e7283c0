// Package maskf32 holds the stock kernels that multiply float32 numbers by masks of dropout,
// generated from spec.go.
package maskf32

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
