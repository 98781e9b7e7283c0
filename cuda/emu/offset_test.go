package emu

import (
	"strings"
	"testing"
)

// TestOffsets: a number is added to a register that is read, before the instruction, in
// as many bits as the register has. That is what ptxas 12.9 makes of it.
func TestOffsets(t *testing.T) {
	add := func(n uint64) func(x []uint64) uint64 {
		return func(x []uint64) uint64 { return (x[0] + n) & 0xffffffff }
	}
	testOps(t, []opTest{
		{"mov.u32 %d, %a + 4;", []int{4, 4}, add(4)},
		{"mov.u32 %d, %a + -4;", []int{4, 4}, add(^uint64(3))},
		{"mov.u32 %d, %a + (2 + 3) * 2;", []int{4, 4}, add(10)},
		{"mov.u32 %d, %a + 0x100000001;", []int{4, 4}, add(1)},
		{"add.u32 %d, %a + 3, %b + 5;", []int{4, 4, 4}, func(x []uint64) uint64 { return (x[0] + x[1] + 8) & 0xffffffff }},
		{"add.u32 %d, %a + 3, %a + 5;", []int{4, 4}, func(x []uint64) uint64 { return (2*x[0] + 8) & 0xffffffff }},
		{"mul.wide.u32 %d, %a + 1, %b;", []int{8, 4, 4}, func(x []uint64) uint64 { return (x[0] + 1) & 0xffffffff * x[1] }},
		{"mad.wide.u32 %d, %a + 1, 4, %b + 8;", []int{8, 4, 8}, func(x []uint64) uint64 { return (x[0]+1)&0xffffffff*4 + x[1] + 8 }},
		{"cvt.u32.u16 %d, %a + 1;", []int{4, 2}, func(x []uint64) uint64 { return (x[0] + 1) & 0xffff }},
		{"cvt.u64.u32 %d, %a + 1;", []int{8, 4}, add(1)},
		{"cvt.u32.u64 %d, %a + 1;", []int{4, 8}, add(1)},
		{"mov.u64 %d, %a + 0x100000000;", []int{8, 8}, func(x []uint64) uint64 { return x[0] + 1<<32 }},
		{"mov.u32 %d, WARP_SZ + 1;", []int{4}, func([]uint64) uint64 { return 33 }},
	})
	// Each time it is executed, and in lanes that execute it.
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 4*32))
	body := `mov.u32 %r1, %r0;
mov.u32 %r2, 0;
l: mov.u32 %r1, %r1 + 1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r0 + 1;
@%p1 bra l;
mul.wide.u32 %rd5, %r0, 4;
add.u64 %rd5, %rd5, %rd0;
st.global.u32 [%rd5], %r1 + 100;`
	if err := r.launch(kernel(1, body), "k", grid(1, 32, 0), m); err != nil {
		t.Fatal(err)
	}
	for i, v := range toWords(r.read(m)) {
		if v != uint32(2*i+101) {
			t.Errorf("lane %d has %d, want %d", i, v, 2*i+101)
		}
	}
	wantFault(t, r.launch(kernel(1, "st.global.u32 [%rd0], %r1 + 1;"), "k", grid(1, 1, 0), m), UninitReg, "%r1")
}

func TestRefusedOffsets(t *testing.T) {
	for text, why := range map[string]string{
		"mov.u32 %r1, %r2 - 1;":                     "- where mov wants , or ;",
		"mov.u32 %r1, 1 + %r2;":                     "%r2 where an operand wants an integer",
		"mov.u32 %r1, %r2 + %r3;":                   "%r3 where an offset wants an integer",
		"mov.u32 %r1, %tid.x + 1;":                  "+ where mov wants , or ;",
		"mov.u32 %r1, %clock + 1;":                  "nothing is added to %clock",
		"mov.u32 %r1 + 1, %r2;":                     "nothing is added to %r1",
		"mov.u32 %r1 + 0, %r2;":                     "nothing is added to %r1",
		"ld.global.u32 %r1 + 1, [%rd0];":            "nothing is added to %r1",
		"mov.b64 %rd1, {%r1 + 1, %r2};":             "+ where a list wants }",
		"st.global.f32 [%rd0], %f1 + 1;":            "%f1 is a float here",
		"st.global.b32 [%rd0], %f1 + 1;":            "%f1 is a float here",
		"add.f32 %f1, %r2 + 1, %f3;":                "%r2 is a float here",
		"add.f16 %h1, %h2 + 1, %h3;":                "%h2 is a float here",
		"mov.pred %p1, %p2 + 1;":                    "nothing is added to %p2",
		"bra l + 1; l:":                             "nothing is added to l",
		"vadd.u32.u32.u32 %r1, %r2 + 1, %r3;":       "nothing is added to %r2",
		"add.u32 %r1, -%r2, %r3;":                   "add: - stands before a number only",
		"vadd.u32.u32.u32 %r1, %r2, -%r3;":          "vadd: - stands before a number only",
		"vmad.u32.u32.u32 %r1, -%r2, %r3, -%r4;":    "either the product or the last operand",
		"vmad.u32.u32.u32.po %r1, %r2, %r3, -%r4;":  ".po goes with no negated operand",
		"vadd.u32.u32.u32 %r1, %r2.x, %r3;":         ".x selects nothing here",
		"vadd.u32.u32.u32.add %r1.b0, %r2, %r3, 4;": ".add goes with a whole register",
		"vadd.u32.u32.u32 %r1.b0, %r2, %r3;":        "has 3 operands, wants 4",
		"vshr.u32.u32.u32 %r1, %r2, %r3;":           "one of .clamp and .wrap is missing",
		"vset.u32.u32.hi %r1, %r2, %r3;":            "a comparison such as .lt is missing",
	} {
		_, err := newRig(t, Options{}).d.Load(kernel(1, text))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}
