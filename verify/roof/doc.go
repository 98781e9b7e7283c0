// Package roof measures what this machine can do at most: multiply-adds from
// registers, and bytes read from each level of memory. Every speed that the
// project states is a share of one of these, measured in the same run.
//
// Start with [FMA] and [Read]. [Machine] measures all that plans are made with.
package roof

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
