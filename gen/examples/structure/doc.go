// Package structure is products of symmetric and triangular matrices with epilogues, generated
// from spec.go: see docs/howto-structure.md.
package structure

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
