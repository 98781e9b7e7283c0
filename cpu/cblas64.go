package cpu

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// CBLAS64 is gonum's complex64 BLAS with a faster Level 3:
//
//	cblas64.Use(cpu.CBLAS64{})
//
// Cgemm, Csymm, Chemm, Csyrk, Cherk, Csyr2k, Cher2k, Ctrmm and Ctrsm are ours, every other routine is
// gonum's own. The notes on the routines of [CBLAS128] apply to these as well.
type CBLAS64 struct{ gonum.Implementation }

var _ blas.Complex64 = CBLAS64{}
