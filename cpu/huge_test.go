package cpu_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// view is a matrix that repeats one element: a stride of 0 needs no more.
func view[T dtype.Elem](rows, cols int) layout.Matrix[T] {
	return layout.Matrix[T]{Data: make([]T, 1), Rows: rows, Cols: cols}
}

// huge is 1<<n, or the largest int where that is too small.
func huge(n int) int {
	if v := int64(1) << n; v < math.MaxInt {
		return int(v)
	}
	return math.MaxInt
}

// TestPackHuge: sizes whose product overflows, or is more than memory, are refused
// before anything is allocated or written.
func TestPackHuge(t *testing.T) {
	for _, s := range [][2]int{
		{huge(58), 48}, {huge(60), 16}, {48, huge(58)}, {huge(62), huge(62)}, {math.MaxInt, 1}, {1, math.MaxInt},
		{math.MaxInt, math.MaxInt}, {huge(30), huge(30)}, {huge(31), 1}, {huge(28), 48}, {16, huge(26)},
	} {
		for name, pack := range map[string]func(){
			"f32":             func() { cpu.Pack(view[float32](s[0], s[1])) },
			"f64":             func() { cpu.Pack(view[float64](s[0], s[1])) },
			"DenseGELU":       func() { fused.DenseGELUPack(view[float32](s[0], s[1])) },
			"DenseGELUDouble": func() { fused.DenseGELUDoublePack(view[float64](s[0], s[1])) },
			"Half":            func() { fused.HalfPack(view[dtype.F16](s[0], s[1])) },
		} {
			t.Run(fmt.Sprintf("%dx%d/%s", s[0], s[1], name), func(t *testing.T) {
				before := total()
				defer func() {
					err, _ := recover().(error)
					var shape layout.ShapeError
					switch {
					case err == nil && (cpu.ISAs()[0] == "go" || os.Getenv("TILESMITH_ISA") == "go"): // needs no copy
					case !errors.As(err, &shape) || !strings.Contains(shape.Why, "use it unpacked"):
						t.Errorf("panics with %v, want a ShapeError that says what to do", err)
					}
					if n := total() - before; n > 1<<20 {
						t.Errorf("%d bytes allocated", n)
					}
				}()
				pack()
			})
		}
	}
	// What lies in memory as a whole may be padded, and views may repeat a little.
	cpu.Pack(layout.New[float32](1<<12, 1))
	cpu.Pack(view[float32](1<<12, 1<<8))
}

func total() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}

// TestDepthHuge: the largest k has a limit, and it is said.
func TestDepthHuge(t *testing.T) {
	const k = math.MaxInt
	for name, call := range map[string]func(){
		"MatMul": func() { cpu.MatMul(layout.New[float32](1, 1), view[float32](1, k), view[float32](k, 1)) },
		"DenseGELU": func() {
			fused.DenseGELU(layout.New[float32](1, 1), view[float32](1, k), view[float32](k, 1), make([]float32, 1))
		},
		"MatMulBatch": func() {
			cpu.MatMulBatch(cpu.Options{}, cpu.Batch{Count: 1}, layout.New[float32](1, 1), view[float32](1, k), view[float32](k, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				err, _ := recover().(error)
				var shape layout.ShapeError
				if !errors.As(err, &shape) || !strings.Contains(shape.Why, "the most is") {
					t.Errorf("panics with %v, want a ShapeError", err)
				}
			}()
			call()
		})
	}
}

// FuzzHuge calls dense entry points with sizes and strides near powers of two. Each
// either refuses them with a ShapeError or returns, and none allocates much.
func FuzzHuge(f *testing.F) {
	f.Add([]byte{1, 1, 58, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{3, 50, 61, 0, 1, 2, 3, 4, 5})
	f.Add([]byte{3, 50, 20, 0, 1, 2, 3, 4, 5, 9, 9})
	f.Add([]byte{0, 1, 62, 62, 62, 62, 62, 62, 62, 2})
	f.Add([]byte{63, 63, 63, 63, 63, 63, 63, 63, 63, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		byte := func() int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b)
		}
		near := func() int { // 0, 1, or 1<<n -1, +0, +1
			b := byte()
			switch n := b % 64; {
			case n < 2:
				return n
			case n == 63:
				return math.MaxInt
			default:
				return int(uint(1)<<n+uint(b/64)-1) & math.MaxInt
			}
		}
		m, n, k := near(), near(), near()
		operand := func(rows, cols int) layout.Matrix[float32] {
			return layout.Matrix[float32]{Data: make([]float32, 1+byte()*8), Rows: rows, Cols: cols, RowStride: near(), ColStride: near()}
		}
		a, b := operand(m, k), operand(k, n)
		out := operand(m, n)
		if work := float64(m) * float64(n) * float64(k); work > 1<<26 && a.Check("a") == nil && b.Check("b") == nil && out.CheckOut("out") == nil && k <= math.MaxInt/2 {
			m = 0 // it would be computed, for years
			a, out = operand(m, k), operand(m, n)
		}
		if e := float64(k) * float64(n); e > 1<<18 && e < 1<<31 { // a copy of that size is lawful, and slow
			b = operand(k, 0)
			n, out = 0, operand(m, 0)
		}
		for _, call := range []func(){
			func() { cpu.MatMul(out, a, b) },
			func() { cpu.MatMulOpt(cpu.Options{ISA: "go"}, out, a, b) },
			func() {
				cpu.MatMulBatch(cpu.Options{}, cpu.Batch{Count: byte() % 3, Out: near(), A: near(), B: near()}, out, a, b)
			},
			func() { cpu.Pack(b) },
			func() { fused.DenseGELUPack(b) },
			func() { fused.DenseGELU(out, a, b, make([]float32, min(n, 1<<16))) },
			func() {
				fused.Logits(out, make([]float32, min(m, 1<<16)), make([]int32, min(m, 1<<16)), make([]float32, min(n, 1<<16)), a, b, make([]float32, min(n, 1<<16)))
			},
		} {
			before := total()
			func() {
				defer func() {
					if r := recover(); r != nil {
						if _, ok := r.(layout.ShapeError); !ok {
							panic(r)
						}
					}
				}()
				call()
			}()
			if bytes := total() - before; bytes > 64<<20 {
				t.Errorf("%d bytes allocated for %d x %d x %d", bytes, m, n, k)
			}
		}
	})
}
