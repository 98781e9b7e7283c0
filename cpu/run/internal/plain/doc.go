// Package plain multiplies matrices in plain Go: what runs on machines without generated kernels,
// and wherever a few elements are not worth one. Start with [Multiply] and [Operand].
package plain
