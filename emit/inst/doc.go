// Package inst declares machine instructions, a family a file. An instruction is
// its own specification: operand types, meaning and text stand together. Start
// with mma.go, the shortest complete one.
//
// Section numbers are those of the PTX ISA 9.1. In a text, {0}, {1}, ... are the
// results and then the operands, a fragment as its registers with commas between,
// and {imm} is the operation's constant; other braces stand for themselves. A
// name with a slash is one of several forms that the assembler tells apart by
// their operands.
//
// The meanings leave out what the interpreter cannot see because its threads run
// one after the other: caches, proxies and weak memory order. Reads and writes of
// asynchronous instructions happen at the latest legal moment, or at the earliest
// if the machine says so.
package inst
