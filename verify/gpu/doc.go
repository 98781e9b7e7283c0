// Package gpu checks generated GPU kernels against the oracles of verify/check, on
// the emulator and on a GPU: what the test of a generated package gpu calls, and
// `tilesmith gpu`. Start with [Check].
//
// A trial is one product: the operands are put on the device in a way that one
// kernel is written for, aligned as it needs and not better, what lies between their
// rows is never written where they are read and must stay as it was where they are
// written, and outputs begin as NaN.
package gpu
