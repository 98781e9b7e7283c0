// Package roof measures the ceilings of this machine: multiply-adds from registers, and
// bytes read from each level of memory. Every speed that the project states is a share of
// one of these, measured in the same run.
//
// Start with [FMA] and [Read]. [Machine] measures everything that plans use.
package roof

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
