// Package sweep checks kernels and then times them: over shapes, transposes, types,
// instruction sets and numbers of threads, beside measured ceilings and other
// libraries. It is what `tilesmith verify` and `tilesmith sweep` run, for the stock
// kernels and for those of a user's spec.
//
// Start with [Session], which takes [Kernel] values: [Dense], [Fused], [SpMM],
// [SDDMM], [RGMS], [EdgeSoftmax] and [BlockAttention] make one of a function, [Stock] lists ours. A kernel that does not
// match is reported and never timed.
package sweep
