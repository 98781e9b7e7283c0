// Package inst declares machine instructions, a family a file. An instruction is
// its own specification: operand types, meaning and text stand together. Start
// with mma.go, the shortest complete one.
//
// Section numbers are those of the PTX ISA 9.1. In a text, {0}, {1}, ... are the
// results and then the operands; a fragment is its registers separated by commas.
// {imm} is the operation's constant, and other braces stand for themselves. A name
// with a slash is one of several forms that the assembler tells apart by operands.
//
// The interpreter runs threads one after the other. So the meanings leave out caches,
// proxies and weak memory order. Reads and writes of asynchronous instructions happen
// at the latest legal moment, or at the earliest if the machine says so.
package inst
