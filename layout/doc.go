// Package layout describes where the elements of a matrix lie in memory.
//
// Start with [Matrix]: a slice with a shape and two strides. Row-major,
// column-major, transposed, sub- and strided matrices are all the same type, so
// no kernel has transpose flags.
package layout
