// Package neon encodes A64 SIMD and floating-point instructions, most of which Go's
// assembler lacks.
//
// Start with [Encode]. It reads one instruction as GNU as and llvm-mc do and returns its
// word. An instruction is a row of a table: its name, its operands, its arrangements and
// the word without them. table.go says how a row is written, field.go where the numbers
// of operands go, and one file has the rows of each family.
//
// The words are those of the Arm Architecture Reference Manual, DDI 0487, section C7.2
// (SIMD and floating-point instructions, by name) and C6.2 for PRFM. Section C4.1 draws
// the classes that the families follow.
package neon
