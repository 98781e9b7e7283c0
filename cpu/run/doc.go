// Package run is what generated CPU kernels need at run time: the choice of a
// variant, block sizes, packing, worker goroutines and buffers. Generated code,
// the project's own and its users', imports it, package layout, the matrices of package
// sparse and the stock kernels under cpu/kern, and nothing that generates.
//
// Start with [Set.Gemm], which every generated product calls. The loops are in
// product.go, from the outside in:
//
//	for panels of C's columns, for slabs of k     compute: what of B is packed at once
//	  for blocks of C's rows (shared by workers)  work: tasks off a counter
//	    for k-blocks                              block: A in place, or a copy of the block
//	      for panels of nr columns                packPanel: B in place, or packed once
//	        for tiles of mr rows                  one call into assembly
package run
