package cpu

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// view is a matrix that repeats one element: a stride of 0 needs no more.
func view[T dtype.Elem](rows, cols int) layout.Matrix[T] {
	return layout.Matrix[T]{Data: make([]T, 1), Rows: rows, Cols: cols}
}

// huge is 1<<n, or the largest int where that is too small.
func huge(n int) int { return int(min(int64(1)<<n, math.MaxInt)) }

// refusal returns why f panics with a ShapeError, "" if it does not. Other panics go on.
func refusal(f func()) (why string) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(layout.ShapeError)
			if !ok {
				panic(r)
			}
			why = e.Why
		}
	}()
	f()
	return ""
}

// TestPackHuge: sizes whose product overflows, or is more than memory, are refused
// before anything is allocated or written.
func TestPackHuge(t *testing.T) {
	portable := ISAs()[0] == "go" || os.Getenv("TILESMITH_ISA") == "go" // needs no copy
	for _, s := range [][2]int{
		{huge(58), 48}, {huge(60), 16}, {48, huge(58)}, {huge(62), huge(62)}, {math.MaxInt, 1}, {1, math.MaxInt},
		{math.MaxInt, math.MaxInt}, {huge(30), huge(30)}, {huge(31), 1}, {huge(28), 48}, {16, huge(26)},
	} {
		for name, pack := range map[string]func(){
			"f32":   func() { Pack(view[float32](s[0], s[1])) },
			"f64":   func() { Pack(view[float64](s[0], s[1])) },
			"bytes": func() { PackOf[int32, uint8](view[int8](s[0], s[1])) },
			"bf16":  func() { PackOf[float32, dtype.BF16](view[dtype.BF16](s[0], s[1])) },
			"i16":   func() { PackOf[int32, int8](view[int16](s[0], s[1])) },
		} {
			t.Run(fmt.Sprintf("%dx%d/%s", s[0], s[1], name), func(t *testing.T) {
				why := ""
				if n := allocated(func() { why = refusal(pack) }); n > 1<<20 {
					t.Errorf("%d bytes allocated", n)
				}
				if !portable && !strings.Contains(why, "use it unpacked") {
					t.Errorf("refused with %q, want it to say what to do", why)
				}
			})
		}
	}
	// What lies in memory as a whole may be padded, and views may repeat a little.
	Pack(layout.New[float32](1<<12, 1))
	Pack(view[float32](1<<12, 1<<8))
}

// TestDepthHuge: the largest k has a limit, and it is said.
func TestDepthHuge(t *testing.T) {
	const k = math.MaxInt
	out, a, b := layout.New[float32](1, 1), view[float32](1, k), view[float32](k, 1)
	for name, call := range map[string]func(){
		"MatMul":      func() { MatMul(out, a, b) },
		"MatMulBatch": func() { MatMulBatch(Options{}, Batch{Count: 1}, out, a, b) },
		"MatMulOf":    func() { MatMulOf[int32](layout.New[int32](1, 1), view[uint8](1, k), view[int8](k, 1)) },
		"MatMulBatchOf": func() {
			MatMulBatchOf[float32](Options{}, Batch{Count: 1}, out, view[dtype.BF16](1, k), view[dtype.BF16](k, 1))
		},
	} {
		if why := refusal(call); !strings.Contains(why, "the most is") {
			t.Errorf("%s: refused with %q, want the limit", name, why)
		}
	}
}

// FuzzHuge calls dense entry points with sizes and strides near powers of two. Each
// either refuses them with a ShapeError or returns, and none allocates much.
func FuzzHuge(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 58, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{2, 0, 5, 0, 61, 0, 1, 2, 3, 4, 5})
	f.Add([]byte{2, 0, 5, 0, 20, 0, 1, 2, 3, 4, 5, 9, 9})
	f.Add([]byte{0, 0, 1, 0, 62, 2, 62, 3, 62, 4, 62, 5})
	addRandom(f, 200, 30)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := fuzzBytes(data)
		m, n, k := in.nearPower(62), in.nearPower(62), in.nearPower(62)
		if in.next()%2 == 0 { // few rows and columns, which a call gets further with
			m, n = m%50, n%50
		}
		if e := float64(k) * float64(n); e > 1<<18 && e < 1<<31 { // a copy of that size is lawful, and slow
			n = 0
		}
		a, b, out := hugeOperand[float32](&in, m, k), hugeOperand[float32](&in, k, n), hugeOperand[float32](&in, m, n)
		batch := Batch{Count: in.next() % 3, Out: in.nearPower(62), A: in.nearPower(62), B: in.nearPower(62)}
		calls := []func(){func() { Pack(b) }}
		lawful := a.Check("a") == nil && b.Check("b") == nil && out.CheckOut("out") == nil && k <= math.MaxInt/2
		if !lawful || float64(m)*float64(n)*float64(k) < 1<<26 { // else it would be computed, maybe for years
			calls = append(calls, func() { MatMul(out, a, b) },
				func() { MatMulOpt(Options{ISA: "go"}, out, a, b) },
				func() { MatMulBatch(Options{}, batch, out, a, b) },
				func() { MatMulOf[float32](out, alike8(a), alike8(b)) },
				func() { MatMulBatchOf[float32](Options{}, batch, out, alike8(a), b) })
		}
		for i, call := range calls {
			if bytes := allocated(func() { refusal(call) }); bytes > 64<<20 {
				t.Errorf("call %d of %d x %d x %d allocates %d bytes", i, m, n, k, bytes)
			}
		}
	})
}

// alike8 is a matrix of bytes with the shape and the strides of m.
func alike8(m layout.Matrix[float32]) layout.Matrix[int8] {
	return layout.Matrix[int8]{Data: make([]int8, len(m.Data)), Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}
