package layout

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestFormat(t *testing.T) {
	m := RowMajor([]float64{1, -2.5, 1e9, math.NaN(), math.Inf(-1), 0.125}, 2, 3)
	ints := RowMajor([]int8{1, -20, 3, 127}, 2, 2)
	count := New[float32](12, 11)
	for i := range count.Data {
		count.Data[i] = float32(i)
	}
	narrow := RowMajor([]dtype.BF16{dtype.ToBF16(float32(1.5)), dtype.ToBF16(float32(-2))}, 1, 2)
	repeated := Matrix[float32]{Data: []float32{5}, Rows: 1 << 30, Cols: 2}
	for _, c := range []struct {
		format string
		m      any
		want   string
	}{
		{"%v", m, "[  1  -2.5  1e+09]\n[NaN  -Inf  0.125]"},
		{"%s", m, "[  1  -2.5  1e+09]\n[NaN  -Inf  0.125]"},
		{"%.1f", m, "[1.0  -2.5  1000000000.0]\n[NaN  -Inf           0.1]"},
		{"%5.2g", m.Slice(0, 1, 0, 2), "[    1   -2.5]"},
		{"%-5.2g", m.Slice(0, 1, 0, 2), "[1      -2.5 ]"},
		{"%-v", m, "[1    -2.5  1e+09]\n[NaN  -Inf  0.125]"},
		{"%+.2g", m.Slice(0, 1, 0, 2), "[+1  -2.5]"},
		{"%+v", m, "2 x 3 of f64, strides (3, 1)\n[  1  -2.5  1e+09]\n[NaN  -Inf  0.125]"},
		{"%+v", m.T(), "3 x 2 of f64, strides (1, 3)\n[    1    NaN]\n[ -2.5   -Inf]\n[1e+09  0.125]"},
		{"%v", m.Slice(1, 2, 1, 3), "[-Inf  0.125]"},
		{"%d", ints, "[1  -20]\n[3  127]"},
		{"%+04d", ints, "[+001  -020]\n[+003  +127]"},
		{"%x", ints, "[1  -14]\n[3   7f]"},
		{"%v", narrow, "[1.5  -2]"},
		{"%.2f", narrow, "[1.50  -2.00]"},
		{"%v", RowMajor([]dtype.F16{dtype.ToF16(0.5)}, 1, 1), "[0.5]"},
		{"%v", RowMajor([]dtype.F8E4M3{dtype.ToF8E4M3(float32(448))}, 1, 1), "[448]"},
		{"%v", RowMajor([]dtype.F8E5M2{dtype.ToF8E5M2(float32(-3))}, 1, 1), "[-3]"},
		{"%v", RowMajor([]int32{math.MinInt32}, 1, 1), "[-2147483648]"},
		{"%v", count, "12 x 11 of f32\n" +
			"[  0    1    2    3  ...    7    8    9   10]\n[ 11   12   13   14  ...   18   19   20   21]\n" +
			"[ 22   23   24   25  ...   29   30   31   32]\n[ 33   34   35   36  ...   40   41   42   43]\n...\n" +
			"[ 88   89   90   91  ...   95   96   97   98]\n[ 99  100  101  102  ...  106  107  108  109]\n" +
			"[110  111  112  113  ...  117  118  119  120]\n[121  122  123  124  ...  128  129  130  131]"},
		{"%v", count.Slice(0, 1, 0, 10), "[0  1  2  3  4  5  6  7  8  9]"},
		{"%v", count.Slice(0, 2, 0, 11), "2 x 11 of f32\n[ 0   1   2   3  ...   7   8   9  10]\n[11  12  13  14  ...  18  19  20  21]"},
		{"%v", repeated, "1073741824 x 2 of f32\n" + strings.Repeat("[5  5]\n", 4) + "..." + strings.Repeat("\n[5  5]", 4)},
		{"%v", Matrix[float32]{}, "0 x 0 of f32\n[]"},
		{"%v", New[float32](0, 5), "0 x 5 of f32\n[]"},
		{"%.2f", New[dtype.BF16](1<<20, 0), "1048576 x 0 of bf16\n[]"},
		{"%+v", New[float32](0, 5), "0 x 5 of f32, strides (5, 1)\n[]"},
		{"%v", Matrix[float64]{Data: make([]float64, 3), Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}, "%!v(2 x 2 of f64: 3 elements do not hold 2 x 2 with strides (2, 1); want at least 4)"},
		{"%g", Matrix[float64]{Rows: -2, Cols: 2}, "%!g(-2 x 2 of f64: size -2 x 2 is negative; want 0 or more)"},
		{"%#v", ints, "layout.Matrix[int8]{Data:[]int8{1, -20, 3, 127}, Rows:2, Cols:2, RowStride:2, ColStride:1}"},
		{"%q", ints.Slice(0, 1, 0, 1), `['\x01']`},
		{"%z", m.Slice(0, 1, 0, 1), "[%!z(float64=1)]"},
		{"%T", ints, "layout.Matrix[int8]"},
		{"%v", &ints, "[1  -20]\n[3  127]"},
		{"%v", (*Matrix[float32])(nil), "<nil>"},
	} {
		if have := fmt.Sprintf(c.format, c.m); have != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.format, have, c.want)
		}
	}
	if have := m.T().String(); have != fmt.Sprint(m.T()) {
		t.Errorf("String gives\n%s", have)
	}
}

// TestFormatNeverPanics: nothing that a Matrix can hold, and no verb, makes one.
func TestFormatNeverPanics(t *testing.T) {
	sizes := []int{math.MinInt, -1, 0, 1, 3, 11, math.MaxInt}
	for _, rows := range sizes {
		for _, cols := range sizes {
			for _, stride := range sizes {
				for _, data := range [][]float32{nil, make([]float32, 5), make([]float32, 200)} {
					m := Matrix[float32]{data, rows, cols, stride, 1}
					for _, x := range []Matrix[float32]{m, m.T(), {data, rows, cols, 0, 0}} {
						for _, format := range []string{"%v", "%+v", "%s", "%8.3f", "%-d", "%q", "%x"} {
							if have := fmt.Sprintf(format, x); strings.Contains(have, "PANIC") || len(have) > 2000 {
								t.Fatalf("%s of %#v: %d characters, %.200s", format, x, len(have), have)
							}
						}
					}
				}
			}
		}
	}
}
