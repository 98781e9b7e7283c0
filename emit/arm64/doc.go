// Package arm64 prints functions as Go assembly for NEON, the vectors of 128 bits that
// every arm64 core has, and for its extensions: products of half precision, bf16 and
// narrow integers.
//
// Start with [Backend]. Package asm does what all machines share: it computes where each
// value is needed and gives it a register or refuses. Here legalize replaces what the
// machine has no single instruction for. lanes.go makes multiply-adds by an element of a
// register of those that take a factor from memory. select.go and its families have one row
// per operation.
//
// Go's assembler knows hardly any vector arithmetic. Such an instruction is a WORD that
// package neon encodes, with the instruction as its comment.
//
// Vectors have 32, 64 or 128 bits. What has fewer than 128 lies in the low end of a
// register, and the bits above mean nothing. Masks are vectors, see package asm. Floats of
// 16 bits are stored and converted, not computed with. Rounding is to nearest and
// denormals stay, as Go leaves FPCR.
//
// A kernel is TEXT with one argument, the pointer to its argument block, kept in R0. R16,
// R17 and R26 hold what a row makes on the way. R18 is the system's, R27 the assembler's,
// R28 to R30 are the Go runtime's.
package arm64
