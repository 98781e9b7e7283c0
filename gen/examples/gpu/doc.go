// Package gpu holds products for GPUs, generated from spec.go: its sub-package gpu has
// the functions on matrices of a device. One of the specs is for CPUs, too; its
// function for those is in this package.
package gpu

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
