// Package dense runs the kernels of dense products: it chooses a variant, blocks and
// packs, and shares the work out among goroutines.
//
// Start with [Gemm], which every generated product calls. The loops are in
// product.go, from the outside in:
//
//	for panels of C's columns, for slabs of k     compute: what of B is packed at once
//	  for blocks of C's rows (shared by workers)  work: tasks off a counter
//	    for k-blocks                              block: A in place, or a copy of the block
//	      for panels of nr columns                packPanel: B in place, or packed once
//	        for tiles of mr rows                  one call into assembly
package dense
