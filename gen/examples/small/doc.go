// Package small holds kernels for products whose shape is known when they are
// generated: small square ones, a rectangular one, and a layer.
package small

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
