package cpu

import "gonum.org/v1/gonum/blas"

// BLAS32 is gonum's float32 BLAS with a faster Level 3, and faster routines of Levels 1 and 2, to be installed by
//
//	blas32.Use(cpu.BLAS32{})
//
// Sgemm, Ssymm, Ssyrk, Ssyr2k, Strmm and Strsm are ours, and those of Levels 1 and 2 that [BLAS64] lists; so are Dsdot
// and Sdsdot. Every other routine is gonum's own. The notes on the routines of [BLAS64] apply to these as
// well. Snrm2 adds up squares in float64.
type BLAS32 struct{ float32Levels12 }

// Its methods, and those of CBLAS64, are in single.go, which a test of cpu/internal/level12 makes of those of BLAS64 and
// CBLAS128.
var _ blas.Float32 = BLAS32{}
