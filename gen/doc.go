// Package gen turns specs into files. A spec file is a Go program that ends in
// [Main]; `tilesmith run spec.go` runs it for the package it lies in, which is
// what a go:generate line calls.
//
// Start with [Main]; [Generate] is the same without the file system.
//
// A product whose Targets are [GPU] or [All] is written for GPUs, too: PTX and a
// package of its own in the sub-folder gpu. A type of spec of one's own, in any module, has
// the methods of a unit.Spec; docs/howto-spec.md shows one.
package gen
