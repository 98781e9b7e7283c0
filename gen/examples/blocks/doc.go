// Package blocks has sums of products of pairs of small blocks: batch-reduce GEMM, of which
// convolutions and products of blocked matrices are made. Blocks are given by offsets, by a
// stride or as a list of slices, and the tile of the result stays in registers over all of them.
package blocks

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
