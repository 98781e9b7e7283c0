// Package ptx prints functions as PTX text for NVIDIA GPUs from compute capability
// 8.0 on.
//
// Start with [Backend] and [List]. The way of a function: passes fold constants,
// put constant offsets into addresses and make selects of small ifs; live.go finds
// where each value is needed, webs.go lets values share a register where a copy
// between them would do nothing, select.go and its families have one row per
// operation, control.go the loops, print.go writes the module.
//
// # Registers
//
// PTX has as many registers as a kernel wants; ptxas and the driver assign the real
// ones. A scalar is one register, a fragment as many as it says, and a vector one a
// lane, but elements of 8 and 16 bits lie together in 32 bits, as mma wants them
// (registers.go). Operations on vectors are done lane by lane. What an instruction
// overwrites (emit.Instruction.Tied) is one register with its result, and no copy
// is ever printed between the two: ptxas would give up wgmma's asynchrony (its
// remark C7515).
//
// # Memory
//
// Every access names its state space; pointers of no space are generic addresses.
// Pointers to shared memory are 32 bits wide, others 64. An access of several
// elements at once needs an alignment that the pointer's type promises or constants
// prove; without, it is refused. The offset of an argument is the offset in the
// parameter block of a launch.
//
// # Numbers
//
// As the op table says, bit for bit but for the payload of a NaN: operations carry
// .rn, so that ptxas does not contract them, and never .ftz, so that denormals are
// kept.
//
// The text has the lowest .version that its instructions accept, because a driver
// refuses versions newer than itself. Sections are those of the PTX ISA 9.1.
package ptx
