// Package gpu holds a product for GPUs, generated from spec.go: its sub-package gpu has
// the function on matrices of a device. The spec is for CPUs, too; the function for
// those is in this package.
package gpu

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
