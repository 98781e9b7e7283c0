package gencmd

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestRangeFlag: the range of an operand as a command line has it, as generated files repeat it, and as a spec does.
func TestRangeFlag(t *testing.T) {
	for _, c := range []struct{ flag, again, text string }{ // without a text it is refused, since again
		{"eps=perrow:f32:0.001..1", "0.001..1", ".Within(float32(float64(0.0010000000474974513)), float32(float64(1)))"},
		{"eps=perrow::1e-3..", "0.001..", ".Within(float32(float64(0.0010000000474974513)), float32(math.Inf(1)))"},
		{"x=full:f64:..-0.1", "..-0.1", ".Within(float64(math.Inf(-1)), float64(float64(-0.1)))"},
		{"x=scalar:bf16:0.1..3", "0.100097656..3", ".Within(dtype.ToBF16(float64(0.10009765625)), dtype.ToBF16(float64(3)))"},
		{"i=scalar:i8:-7..", "-7..127", ".Within(-7, 127)"},
		{"i=scalar:u8:..200", "0..200", ".Within(0, 200)"},
		{"i=scalar:i32:..", "-2.147483648e+09..2.147483647e+09", ".Within(-2147483648, 2147483647)"},
		{"eps=perrow:f32:1..0.5", "the range is 1..0.5: want low < high", ""},
		{"eps=perrow:f32:1", `"1" is not a range; write LOW..HIGH`, ""},
		{"eps=perrow:f32:a..1", `"a" is no number`, ""}, {"eps=perrow:f32:0..NaN", `"NaN" is no number`, ""}, {"eps=perrow:f32:0..Inf", `"Inf" is no number`, ""},
		{"eps=perrow:f32:0..1e39", `the end "1e39" is beyond the numbers of f32`, ""}, {"x=full:e4m3:0..", `the end "" is beyond the numbers of e4m3`, ""},
		{"i=scalar:i8:0..300", "300 is no number of i8; want an integer from -128 to 127", ""}, {"i=scalar:i8:0..1.5", "1.5 is no number of i8", ""},
		{"c=full:c64:0..1", "numbers of c64 have no order", ""},
	} {
		in, err := operandOf(c.flag, dtype.F32)
		if c.text == "" {
			if err == nil || !strings.Contains(err.Error(), c.again) {
				t.Errorf("%s: %v, want %q", c.flag, err, c.again)
			}
			continue
		}
		if err != nil || rangeFlag(in) != ":"+c.again || rangeText(in) != c.text {
			t.Errorf("%s: %v, %s, %s, want %s, %s", c.flag, err, rangeFlag(in), rangeText(in), c.again, c.text)
			continue
		}
		same, err := operandOf("x=full:"+in.Type.String()+rangeFlag(in), dtype.F32)
		if err != nil || *same.Range != *in.Range {
			t.Errorf("%s: the flag that it is repeated as gives %v, %v", c.flag, same, err)
		}
	}
}
