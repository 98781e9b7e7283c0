// Package amd64 prints functions as Go assembly for AVX2 with FMA, BMI2 and F16C,
// and for AVX-512 (F, BW, DQ, VL).
//
// Start with [Backend]. The way of a function: legalize replaces what the
// machine has no single instruction for, live.go computes where each value is
// needed, alloc.go gives it a register or refuses, select.go and its families have
// one row per operation with its mnemonics, print.go writes the file. How the two
// targets hold masks: masks.go.
//
// Vectors have 32 bits or a multiple by a power of two, up to the target's; below
// 128 they lie in the low end of a register, and what is above means nothing.
// Floats of 16 bits are stored and converted, not computed with. Rounding is to
// nearest: Go leaves MXCSR so.
//
// Conventions: a kernel is TEXT with frame 0 and one argument, the pointer to
// its argument block, kept in DI. BP and SP are not used. There is no spilling:
// a kernel that needs more registers than there are is refused, since a spilled
// micro-kernel is never what its author wanted.
package amd64
