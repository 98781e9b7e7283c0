package gencmd

import "github.com/tilesmith/tilesmith/sparse/spec"

// A sparseOp is a kind of sparse product that gen takes: its name as an argument, the type of its specs, and what its
// help says.
type sparseOp struct {
	op        spec.Operation
	typ, help string
	// The flags that it has beside those of all: the format of the matrix and of its parts, the reduction, the number
	// of features, and whether values are read.
	hasFormat, hasReduce, hasFeatures, hasPattern bool
}

var sparseOps = []sparseOp{
	{op: spec.OpSpMM, typ: "SpMM", help: "a product of a sparse and a dense matrix", hasFormat: true, hasReduce: true, hasFeatures: true, hasPattern: true},
	{op: spec.OpSpMV, typ: "SpMV", help: "a product of a sparse matrix and a vector", hasFormat: true, hasReduce: true, hasPattern: true},
	{op: spec.OpSDDMM, typ: "SDDMM", help: "a product of dense matrices, at the entries of a sparse one", hasFeatures: true, hasPattern: true},
	{op: spec.OpRGMS, typ: "RGMS", help: "a product by relations: a layer of a graph network, a convolution over points"},
	{op: spec.OpSegments, typ: "SegmentReduce", help: "a reduction of rows that belong together, segment by segment", hasReduce: true, hasFeatures: true},
	{op: spec.OpEdgeSoftmax, typ: "EdgeSoftmax", help: "a softmax over the rows of a sparse matrix, of scores that a Go function gives its entries"},
	{op: spec.OpAttention, typ: "BlockAttention", help: "attention over the blocks of a mask, with scores that a Go function may change"},
}

// kinds are the kinds of products that gen takes.
func kinds() []string {
	all := []string{"gemm"}
	for _, op := range sparseOps {
		all = append(all, string(op.op))
	}
	return all
}
