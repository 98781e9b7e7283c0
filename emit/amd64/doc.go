// Package amd64 prints functions as Go assembly for AVX2 with FMA and for
// AVX-512 (F, BW, DQ, VL).
//
// Start with [Backend]. The way of a function: legalize replaces what the
// machine has no single instruction for, live.go computes where each value is
// needed, alloc.go gives it a register or refuses, select.go has one row per
// operation with its mnemonics, print.go writes the file.
//
// Conventions: a kernel is TEXT with frame 0 and one argument, the pointer to
// its argument block, kept in DI. BP and SP are not used. There is no spilling:
// a kernel that needs more registers than there are is refused, since a spilled
// micro-kernel is never what its author wanted.
package amd64
