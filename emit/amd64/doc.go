// Package amd64 prints functions as Go assembly for AVX2 with FMA, BMI2 and F16C,
// and for AVX-512 (F, BW, DQ, VL).
//
// Start with [Backend]. Package asm does what all machines share: it computes where each
// value is needed and gives it a register or refuses. Here legalize replaces what the
// machine has no single instruction for. regs.go and shape.go say what registers and
// operands there are. select.go and its families have one row per operation with its
// mnemonics. masks.go says how AVX-512 holds masks.
//
// Vectors have 32 bits times a power of two, up to the target's width. Below 128 bits
// they lie in the low end of a register, and the bits above mean nothing. Floats of 16
// bits are stored and converted, not computed with. Rounding is to nearest, as Go
// leaves MXCSR.
//
// A kernel is TEXT with one argument, the pointer to its argument block, kept in DI. It
// does not use BP. A function that needs too many registers is refused, since a spilled
// micro-kernel is never what its author wanted. Only an epilogue may spill to its frame;
// other kernels have a frame of 0 bytes.
package amd64
