// Package blocks sums products of pairs of blocks, by kernels that do so in one call: the batch-reduce
// product, from which convolutions are made. Start with [Sum] and [Operand].
package blocks
