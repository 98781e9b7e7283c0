// Package fused holds products with epilogues, generated from spec.go: what a
// fused layer of a neural network looks like as a Go function.
package fused

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
