// Package asm is what all backends share that print Go assembly. An architecture is a
// [Machine], which says what registers and operands it has, and a [Speller], which
// prints the instruction of each operation.
//
// A function goes through these steps. [Expansions] replace what the machine has no
// single instruction for, and [CutMasks] makes masks fit where they are vectors. Hoist,
// Invariants and Spill of the Machine move values to where registers are. live.go
// computes where each value is needed, and alloc.go gives it a register or refuses.
// [Print] writes the file.
package asm
