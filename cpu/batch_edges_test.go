package cpu_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A nesting is how matrices of a batch lie in memory.
type nesting struct {
	order [3]int // from the innermost dimension: 0 is rows, 1 columns, 2 matrices
	gaps  [2]int // elements after the innermost dimension and after the next
	same  bool   // all matrices are one
}

// strides are those of rows, columns and matrices.
func (x nesting) strides(sizes [3]int) (strides [3]int) {
	at := 1
	for level, d := range x.order {
		if d == 2 && x.same {
			continue
		}
		strides[d] = at
		if at *= sizes[d]; level < 2 {
			at += x.gaps[level]
		}
	}
	return strides
}

// nestings are all orders, with and without gaps.
func nestings(same bool) (list []nesting) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for gaps := range 4 {
			list = append(list, nesting{order, [2]int{gaps % 2, gaps / 2}, same})
		}
	}
	return list
}

// TestMatMulBatchEdges compares batches that are one large product, or nearly so, with plain loops. What lies between results stays. It tries
// one of 97, and in a long run all 12 million, which takes a minute.
func TestMatMulBatchEdges(t *testing.T) {
	t.Run("f32", batchEdges[float32, float32, float32])
	t.Run("f64", batchEdges[float64, float64, float64])
	t.Run("bf16", batchEdges[dtype.BF16, float32, dtype.BF16])
	t.Run("i8", batchEdges[int8, int32, int32])
}

func batchEdges[T batchElem, Acc dtype.Sum, Out batchElem](t *testing.T) {
	factors := append(nestings(false), nestings(true)...)
	i, step := 0, level.Of(971, 97, 1)
	for m := 1; m <= 3; m++ {
		for n := 1; n <= 3; n++ {
			for k := 1; k <= 2; k++ {
				for count := 1; count <= 3; count++ {
					for _, to := range nestings(false) {
						for _, a := range factors {
							for _, b := range factors {
								if i++; i%step == 0 {
									if err := batchEdge[T, Acc, Out](i, m, n, k, count, to, a, b); err != "" {
										t.Fatalf("%d products of %d x %d x %d, out %v, a %v, b %v: %s", count, m, n, k, to, a, b, err)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("one of %d batches in %d", i, step)
}

type batchElem interface {
	float32 | float64 | dtype.BF16 | int8 | int32
}

func batchEdge[T batchElem, Acc dtype.Sum, Out batchElem](seed, m, n, k, count int, to, byA, byB nesting) string {
	var x [3][3]int // strides of out, a and b
	x[0], x[1], x[2] = to.strides([3]int{m, n, count}), byA.strides([3]int{m, k, count}), byB.strides([3]int{k, n, count})
	out := batchOperand[Out](m, n, count, x[0], func(int) float64 { return 77 })
	a := batchOperand[T](m, k, count, x[1], func(i int) float64 { return float64((i*5+seed)%7 - 3) })
	b := batchOperand[T](k, n, count, x[2], func(i int) float64 { return float64((i*3+seed)%5 - 2) })
	want := make([]float64, len(out.Data))
	for i := range want {
		want[i] = 77
	}
	for z := range count {
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += check.Float64(a.Data[i*x[1][0]+l*x[1][1]+z*x[1][2]]) * check.Float64(b.Data[l*x[2][0]+j*x[2][1]+z*x[2][2]])
				}
				want[i*x[0][0]+j*x[0][1]+z*x[0][2]] = sum
			}
		}
	}
	opt := cpu.Options{}
	if seed/97%5 == 0 {
		opt.ISA = run.Portable
	}
	cpu.MatMulBatchOf[Acc](opt, cpu.Batch{Count: count, Out: x[0][2], A: x[1][2], B: x[2][2]}, out, a, b)
	for i, v := range out.Data {
		if have := check.Float64(v); have != want[i] {
			return fmt.Sprintf("place %d is %v, want %v", i, have, want[i])
		}
	}
	return ""
}

func batchOperand[T batchElem](rows, cols, count int, strides [3]int, f func(i int) float64) layout.Matrix[T] {
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: strides[0], ColStride: strides[1]}
	m.Data = make([]T, (rows-1)*strides[0]+(cols-1)*strides[1]+(count-1)*strides[2]+1)
	for i := range m.Data {
		switch p := any(&m.Data[i]).(type) {
		case *float32:
			*p = float32(f(i))
		case *float64:
			*p = f(i)
		case *dtype.BF16:
			*p = dtype.ToBF16(float32(f(i)))
		case *int8:
			*p = int8(f(i))
		case *int32:
			*p = int32(f(i))
		}
	}
	return m
}
