// Package fn turns an ordinary Go function of scalars into vector IR that means
// the same in every lane.
//
// Start with [Load], which reads the packages, then [Program.Lookup] with a
// reference made by [ValueOf] or [Named], then [Func.Emit].
//
// The package executes a function symbolically. Branches become selects, loops with a
// bounded number of trips are unrolled, and calls of other Go functions are inlined. The
// result is one expression for each result, which does not depend on the number of lanes.
// docs/language.md says what a function may contain and what each form means. A test
// writes it from the tables that the translator looks up, in form.go and other files.
// Everything else is refused, with its place and the reason.
//
// Syntax and types come from go/types and the go command's export data, so nothing
// outside the standard library is needed.
package fn
