// Package sweep checks kernels and then times them over shapes, transposes, types,
// instruction sets and numbers of threads. It compares them with measured ceilings and
// other libraries. `tilesmith verify` and `tilesmith sweep` run it for the stock kernels
// and for those of your specs.
//
// Start with [Session], which takes [Kernel] values. [Dense], [Fixed] and [Mixed] make one
// from a function, [Of] one from the description in a generated test; [Stock] lists the
// stock kernels. A kernel that does not match is reported and never timed.
package sweep
