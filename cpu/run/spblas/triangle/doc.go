// Package triangle solves sparse triangular systems, by kernels of compressed rows for
// several right sides and by a Go loop for one.
package triangle
