// Package gen turns specs into files. A spec file is a Go program that ends in
// [Main]; `tilesmith run spec.go` runs it for the package it lies in, which is
// what a go:generate line calls.
//
// Start with [Main]; [Generate] is the same without the file system.
package gen
