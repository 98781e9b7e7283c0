// Package layout describes where the elements of a matrix lie in memory.
//
// Start with [Matrix]: a slice with a shape and two strides. Row-major,
// column-major, transposed, sub- and strided matrices are all the same type, so
// no kernel has transpose flags.
//
// [Layout] is the algebra that generators use for tiles, shared memory and
// fragments: a function from coordinates to offsets, written shape:stride. See
// docs/layout.md.
package layout
