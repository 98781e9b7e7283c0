// Package ptx prints functions as PTX text for NVIDIA GPUs from compute capability
// 8.0 on.
//
// Start with [Backend] and [List]. A function goes through these steps. Passes fold
// constants, put constant offsets into addresses and turn small ifs into selects. live.go
// finds where each value is needed. webs.go lets values share a register if a copy
// between them would do nothing. select.go and its families have one row per operation.
// control.go has the loops, and print.go writes the module.
//
// # Registers
//
// PTX has as many registers as a kernel wants; ptxas and the driver assign the real
// ones. A scalar is one register, a fragment as many as it says, and a vector one per
// lane. Elements of 8 and 16 bits share 32 bits, as mma wants them (registers.go).
// Operations on vectors go lane by lane. The operand that an instruction overwrites
// (emit.Instruction.Tied) shares a register with its result. No copy is ever printed
// between the two: ptxas would give up wgmma's asynchrony (its remark C7515).
//
// # Memory
//
// Every access names its state space; pointers of no space are generic addresses.
// Pointers to shared memory are 32 bits wide, others 64. An access of several elements
// is refused unless the pointer's type promises its alignment or constants prove it.
// The offset of an argument is the offset in the parameter block of a launch.
//
// # Numbers
//
// Results are those of the op table, bit for bit except for the payload of a NaN.
// Operations carry .rn, so ptxas does not contract them, and never .ftz, so denormals
// are kept.
//
// The text has the lowest .version that its instructions accept, because a driver
// refuses versions newer than itself. Sections are those of the PTX ISA 9.1.
package ptx
