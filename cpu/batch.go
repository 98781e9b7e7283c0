package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Batch is the number of products of a call of [MatMulBatch], and for each matrix the
// distance, in elements, from its beginning to that of the next product's. A stride of
// 0 gives all products the same a or b.
type Batch = dense.Batch

// MatMulBatch computes n.Count products of one shape in one call. out, a and b describe
// the first as for [MatMul]; their slices hold all products. The results are those of
// MatMul, bit for bit. Threads divide the products among them, so several threads pay
// even for small products. MatMulBatch panics with a [layout.ShapeError], before it
// reads an element, in these cases: a product does not fit its slices, a stride is
// negative, two results share a place, or out shares memory with a or b.
func MatMulBatch[T dtype.Float](opt Options, n Batch, out, a, b layout.Matrix[T]) {
	opt.Caller = opt.Name("cpu.MatMulBatch")
	if unsafe.Sizeof(*new(T)) == 4 {
		gemmf.SGEMMBatched(opt, n, *as[float32](unsafe.Pointer(&out)), *as[float32](unsafe.Pointer(&a)), *as[float32](unsafe.Pointer(&b)))
	} else {
		gemmf.DGEMMBatched(opt, n, *as[float64](unsafe.Pointer(&out)), *as[float64](unsafe.Pointer(&a)), *as[float64](unsafe.Pointer(&b)))
	}
}
