// Package vector has what kernels for vector registers have in common, whatever they compute: rows reached by few
// pointers, panels of columns whose last vector is cut, and sums over lanes.
//
// Start with [Panel].
package vector
