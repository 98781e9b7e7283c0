package emu

import (
	"fmt"
	"testing"
)

// TestHalfCompare holds the comparisons of half floats against those of single
// precision, each half of a pair on its own.
func TestHalfCompare(t *testing.T) {
	var list []opTest
	for _, name := range []string{"f16", "bf16"} {
		h := formats[name]
		one := map[string]uint64{"f16": 0x3c00, "bf16": 0x3f80}[name]
		for _, op := range []string{"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"} {
			is := func(x, y uint64) bool {
				a, b := h.decode(x&0xffff), h.decode(y&0xffff)
				nan := a != a || b != b
				switch op {
				case "num":
					return !nan
				case "nan":
					return nan
				}
				if len(op) == 3 && nan {
					return true
				}
				return map[string]bool{"eq": a == b, "ne": a < b || a > b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op[:2]]
			}
			num := func(b bool, v uint64) uint64 { return uint64(btoi(b)) * v }
			both := func(x []uint64, v uint64) uint64 { return num(is(x[0], x[1]), v) | num(is(x[0]>>16, x[1]>>16), v)<<16 }
			list = append(list,
				opTest{fmt.Sprintf("set.%s.%s.%s %%d, %%a, %%b;", op, name, name), []int{2, 2, 2}, func(x []uint64) uint64 { return num(is(x[0], x[1]), one) }},
				opTest{fmt.Sprintf("set.%s.u16.%s %%d, %%a, %%b;", op, name), []int{2, 2, 2}, func(x []uint64) uint64 { return num(is(x[0], x[1]), 0xffff) }},
				opTest{fmt.Sprintf("set.%s.u32.%s %%d, %%a, %%b;", op, name), []int{4, 2, 2}, func(x []uint64) uint64 { return num(is(x[0], x[1]), 0xffffffff) }},
				opTest{fmt.Sprintf("set.%s.%sx2.%sx2 %%d, %%a, %%b;", op, name, name), []int{4, 4, 4}, func(x []uint64) uint64 { return both(x, one) }},
				opTest{fmt.Sprintf("set.%s.u32.%sx2 %%d, %%a, %%b;", op, name), []int{4, 4, 4}, func(x []uint64) uint64 { return both(x, 0xffff) }},
				opTest{fmt.Sprintf("setp.%s.%s %%p1, %%a, %%b;\nselp.b32 %%d, 1, 2, %%p1;", op, name), []int{4, 2, 2}, func(x []uint64) uint64 { return 2 - num(is(x[0], x[1]), 1) }},
				// %p3 is bit 0 of the first operand.
				opTest{fmt.Sprintf("and.b32 %%r30, %%a, 1;\nsetp.ne.u32 %%p3, %%r30, 0;\nsetp.%s.or.%sx2 %%p1|%%p2, %%a, %%b, !%%p3;\nselp.b32 %%d, 1, 0, %%p1;\n@%%p2 or.b32 %%d, %%d, 2;", op, name), []int{4, 4, 4},
					func(x []uint64) uint64 {
						if x[0]&1 == 0 {
							return 3
						}
						return num(is(x[0], x[1]), 1) | num(is(x[0]>>16, x[1]>>16), 2)
					}})
		}
	}
	testOps(t, list)
}
