// Package fn turns an ordinary Go function of scalars into vector IR that means
// the same in every lane.
//
// Start with [Load], which reads the packages, then [Program.Lookup] with a
// reference made by [ValueOf] or [Named], then [Func.Emit].
//
// A function is executed symbolically: branches become selects, loops with a
// bounded number of trips are unrolled, calls of other Go functions are put in
// their place. What that leaves is one expression for each result, which does not
// depend on the number of lanes. What a function may contain, and what each form
// means, is in docs/language.md, which a test writes from the tables that the
// translator looks up, in form.go and the files beside it; everything else is refused,
// with its place and the reason.
//
// Package syntax and types come from go/types and the export data that the go
// command hands out, so nothing outside the standard library is needed.
package fn
