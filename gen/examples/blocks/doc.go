// Package blocks has sums of products of pairs of small blocks: batch-reduce GEMM, of which
// convolutions and products of blocked matrices are made. You give blocks by offsets, by a
// stride or as a list of slices. The tile of the result stays in registers over all of them.
package blocks

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
