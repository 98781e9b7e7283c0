// Package data has what networks on graphs learn from. It is three files in the format of Matrix Market,
// which [Read] reads, or a graph with relations that [Planted] makes up.
package data
