package gemm

import "fmt"

// Sparsity says how the A of a product is stored. The zero value is in full.
type Sparsity uint8

// Sparse24 is an A with half its elements zero, which tensor cores skip. Two of each four
// neighbours along a row are stored; for float32 with [TF32], one of two. The generated
// function takes a [cuda.Sparse24], of a matrix that sparse24.Pack made and checked. To have
// B sparse, compute the transpose: out^T = B^T * A^T.
//
// Elements that are not stored are not multiplied, so they make no NaN of an infinity or NaN of b. Zeros that
// are stored are multiplied like any other element. It is of tensor cores of GPUs from sm_80 on, of bf16,
// f16, tf32 and 8-bit types. CPUs have no such instruction, so a spec with CPU targets is refused. On CPUs,
// cpu.MatMul24 computes the same product. For an epilogue, use a spec with a dense A and pass what
// Matrix.Unpack returns.
//
// [cuda.Sparse24]: https://pkg.go.dev/github.com/tilesmith/tilesmith/cuda#Sparse24
const Sparse24 Sparsity = 1

// checkSparse refuses sparse products that no target has.
func (d Description) checkSparse() error {
	if d.Sparse == 0 {
		return nil
	}
	if d.Sparse != Sparse24 {
		return fmt.Errorf("Sparse is %d; want Sparse24, or leave it out", d.Sparse)
	}
	return nil
}
