package fused

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
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
	portable := run.ISAs()[0] == "go" || os.Getenv("TILESMITH_ISA") == "go" // needs no copy
	for _, s := range [][2]int{
		{huge(58), 48}, {huge(60), 16}, {48, huge(58)}, {huge(62), huge(62)}, {math.MaxInt, 1}, {1, math.MaxInt},
		{math.MaxInt, math.MaxInt}, {huge(30), huge(30)}, {huge(31), 1}, {huge(28), 48}, {16, huge(26)},
	} {
		for name, pack := range map[string]func(){
			"DenseGELU":    func() { DenseGELUPack(view[float32](s[0], s[1])) },
			"DenseGELUF64": func() { DenseGELUF64Pack(view[float64](s[0], s[1])) },
			"MatMulF16":    func() { MatMulF16Pack(view[dtype.F16](s[0], s[1])) },
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
}

// TestDepthHuge: the largest k has a limit, and it is said.
func TestDepthHuge(t *testing.T) {
	const k = math.MaxInt
	out, a, b := layout.New[float32](1, 1), view[float32](1, k), view[float32](k, 1)
	if why := refusal(func() { DenseGELU(out, a, b, make([]float32, 1)) }); !strings.Contains(why, "the most is") {
		t.Errorf("refused with %q, want the limit", why)
	}
}

// hugeBytes hands out the bytes of an input, then zeros.
type hugeBytes []byte

func (f *hugeBytes) next() int {
	if len(*f) == 0 {
		return 0
	}
	b := (*f)[0]
	*f = (*f)[1:]
	return int(b)
}

// nearPower returns a size near a power of two, up to 2^most, or a small one.
func (f *hugeBytes) nearPower(most int) int {
	e, d := f.next()%(most+1), []int{0, 0, 1, -1, 2}[f.next()%5]
	return max(0, int(min(int64(1)<<e, math.MaxInt-2))+d)
}

// operand is a matrix of m x n with strides that may be 0, large or nonsense, and
// mostly as many elements as they need, if those are not too many.
func (f *hugeBytes) operand(m, n int) layout.Matrix[float32] {
	stride := func(dense int) int {
		return []int{0, 0, 1, dense, f.nearPower(20), f.nearPower(30), math.MaxInt, -1, math.MinInt}[f.next()%9]
	}
	x := layout.Matrix[float32]{Rows: m, Cols: n, RowStride: stride(max(n, 1)), ColStride: stride(max(m, 1))}
	length := 1 + float64(max(m-1, 0))*float64(x.RowStride) + float64(max(n-1, 0))*float64(x.ColStride)
	x.Data = make([]float32, max(0, int(max(0, min(length, 1<<20)))+[]int{0, 0, 0, 0, 1, -1}[f.next()%6]))
	for i := range x.Data {
		x.Data[i] = float32(i%3 - 1)
	}
	return x
}

// FuzzHuge calls fused products with sizes and strides near powers of two. Each
// either refuses them with a ShapeError or returns, and none allocates much.
func FuzzHuge(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 58, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{2, 0, 5, 0, 61, 0, 1, 2, 3, 4, 5})
	f.Add([]byte{2, 0, 5, 0, 20, 0, 1, 2, 3, 4, 5, 9, 9})
	for i := range 200 {
		var seed []byte
		for j := range 30 {
			seed = append(seed, byte((i+1)*(j+3)*7919>>3))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := hugeBytes(data)
		m, n, k := in.nearPower(62), in.nearPower(62), in.nearPower(62)
		if in.next()%2 == 0 { // few rows and columns, which a call gets further with
			m, n = m%50, n%50
		}
		if e := float64(k) * float64(n); e > 1<<18 && e < 1<<31 { // a copy of that size is lawful, and slow
			n = 0
		}
		a, b, out := in.operand(m, k), in.operand(k, n), in.operand(m, n)
		bias, colSum := make([]float32, min(n, 1<<16)), make([]float32, min(n, 1<<16))
		rowMax, class := make([]float32, min(m, 1<<16)), make([]int32, min(m, 1<<16))
		calls := []func(){func() { DenseGELUPack(b) }}
		lawful := a.Check("a") == nil && b.Check("b") == nil && out.CheckOut("out") == nil && k <= math.MaxInt/2
		if !lawful || float64(m)*float64(n)*float64(k) < 1<<26 { // else it would be computed, maybe for years
			calls = append(calls, func() { DenseGELU(out, a, b, bias) },
				func() { Logits(out, rowMax, class, colSum, a, b, bias) })
		}
		for i, call := range calls {
			if bytes := allocated(func() { refusal(call) }); bytes > 64<<20 {
				t.Errorf("call %d of %d x %d x %d allocates %d bytes", i, m, n, k, bytes)
			}
		}
	})
}
