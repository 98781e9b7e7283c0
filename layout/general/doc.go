// Package general converts the matrices of gonum to those of this module and back,
// without copying an element: [From64] and [To64], [From32] and [To32].
//
// A mat.Dense goes through its RawMatrix:
//
//	cpu.SpMM(general.From64(out.RawMatrix()), a, general.From64(b.RawMatrix()))
//
// and a layout.Matrix becomes one with SetRawMatrix:
//
//	g, err := general.To64(m)
//	...
//	var d mat.Dense
//	d.SetRawMatrix(g)
//
// It is a package of its own so that generated code, which imports package layout, does not
// link gonum.
package general
