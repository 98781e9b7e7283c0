// Package gpu checks generated GPU kernels against the oracles of verify/check, on the
// emulator and on a GPU. The test of a generated package gpu calls it, and `tilesmith
// gpu`. Start with [Check].
//
// A trial is one product. Operands lie on the device in a way that one kernel is written
// for, aligned as it needs and not better. Memory between the rows of an input is never
// written; memory between the rows of an output must stay as it was. Outputs begin as NaN.
package gpu
