// Package gen turns specs into files. A spec file is a Go program that ends in [Main].
// `tilesmith run spec.go`, which a go:generate line calls, runs it for its package.
//
// Start with [Main]; [Generate] does the same without the file system.
//
// If the Targets of a product are [GPU] or [All], the files include PTX and a package in
// the sub-folder gpu. Your own type of spec, in any module, has the methods of a
// unit.Spec; docs/howto-spec.md shows one.
package gen
