package neon

import (
	"strings"
	"testing"
)

// TestEncode: spaces, both spellings of integers, and what section C7.2 gives more than one
// name, have the same words.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint32
	}{
		{"fmla v1.4s, v5.4s, v3.s[1]", 0x4fa310a1},
		{"  fmla\tv1.4s,v5.4s ,  v3.s[1] ", 0x4fa310a1},
		{"ld1 { v0.4s, v1.4s }, [ x0 ], #0x20", 0x4cdfa800},
		{"ld1 {v31.4s, v0.4s}, [sp]", 0x4c40abff},
		{"movi v0.2d, #0xffffffffffffff00", 0x6f07e7c0},
		{"movi v0.2d, #-256", 0x6f07e7c0},
		{"mov v3.16b, v7.16b", 0x4ea71ce3},
		{"orr v3.16b, v7.16b, v7.16b", 0x4ea71ce3},
		{"sxtl v3.8h, v7.8b", 0x0f08a4e3},
		{"sshll v3.8h, v7.8b, #0", 0x0f08a4e3},
		{"fmov v0.2d, #1.0", 0x6f03f600},
		{"fmov v0.2d, #10.0e-1", 0x6f03f600},
		{"fcsel s0, s1, s2, hs", 0x1e222c20},
		{"fcsel s0, s1, s2, cs", 0x1e222c20},
	} {
		got, err := Encode(c.text)
		if got != c.want || err != nil {
			t.Errorf("%s: the word is %08x, %v; want %08x", c.text, got, err, c.want)
		}
	}
}

// TestRefused: an error says what is wrong, behind the text.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `the mnemonic "" is unknown`},
		{"FADD v0.4s, v1.4s, v2.4s", `the mnemonic "FADD" is unknown`},
		{"vaddps v0.4s, v1.4s", `the mnemonic "vaddps" is unknown`},
		{"fadd", "fadd takes 3 operands, not 0"},
		{"fadd v0.4s, v1.4s", "fadd takes 3 operands, not 2"},
		{"fmadd s0, s1, s2", "fmadd takes 4 operands, not 3"},
		{"movi v0.4s", "movi takes 2 or 3 operands, not 1"},
		{"fadd v0.8b, v1.8b, v2.8b", "the arrangement is not one that fadd has: vD.2s, vN.2s, vM.2s; vD.4s, vN.4s, vM.4s; vD.2d, vN.2d, vM.2d; " +
			"vD.4h, vN.4h, vM.4h; vD.8h, vN.8h, vM.8h; sD, sN, sM; dD, dN, dM; hD, hN, hM"},
		{"smmla v0.4s, v1.8b, v2.16b", "the arrangement is not one that smmla has: vD.4s, vN.16b, vM.16b"},
		{"fmla v0.4s, v1.2s, v2.s[0]", "the arrangement is not one that fmla has: vD.2s, vN.2s, vM.2s; vD.4s, vN.4s, vM.4s; vD.2d, vN.2d, vM.2d; " +
			"vD.4h, vN.4h, vM.4h; vD.8h, vN.8h, vM.8h; vD.4h, vN.4h, vL.h[HLM]; vD.8h, vN.8h, vL.h[HLM]; vD.2s, vN.2s, vM.s[HL]; ..."},
		{"smmla v0.4s, v1.16b, x2", "the operands are not of a kind that smmla has: vD.4s, vN.16b, vM.16b"},
		{"cmle v0.4s, v1.4s, #0.0", "the operands are not of a kind that cmle has: vD.8b, vN.8b, #0; vD.16b, vN.16b, #0; vD.4h, vN.4h, #0; " +
			"vD.8h, vN.8h, #0; vD.2s, vN.2s, #0; vD.4s, vN.4s, #0; vD.2d, vN.2d, #0"},
		{"smmla v0.4s, v1.16b v2.16b", "smmla takes 3 operands, not 2"},
		{"smmla v0 .4s, v1.16b, v2.16b", "the operands are not of a kind that smmla has: vD.4s, vN.16b, vM.16b"},
		{"smmla v%.4s, v1.16b, v2.16b", "% belongs to no operand"},

		{"fadd v32.4s, v1.4s, v2.4s", "register v32 is not in 0 to 31"},
		{"fadd v0.4s, v01.4s, v2.4s", "v01 is no number"},
		{"fadd v0.4s, v1.4s, v99999999999999999999.4s", "v99999999999999999999 has more than 64 bits"},
		{"fmla v0.8h, v1.8h, v16.h[0]", "register v16 is not in 0 to 15"},
		{"fmlal v0.4s, v1.4h, v16.h[0]", "register v16 is not in 0 to 15"},
		{"dup v0.4s, w31", "register w31 is not in 0 to 30 and zr"},
		{"dup v0.2d, sp", "register sp is not in 0 to 30 and zr"},
		{"ldr q0, [x31]", "register x31 is not in x0 to x30 and sp"},
		{"ldr q0, [xzr]", "register xzr is not in x0 to x30 and sp"},
		{"ldp q3, q3, [x0]", "register q3 is loaded twice"},
		{"ld1 {v30.4s, v31.4s, v1.4s}, [x0]", "register v1 does not follow the one before it in the list"},
		{"tbl v0.8b, {v1.16b, v1.16b}, v2.8b", "register v1 does not follow the one before it in the list"},

		{"fmla v0.8h, v1.8h, v15.h[8]", "lane 8 is not in 0 to 7"},
		{"fmla v0.4s, v1.4s, v15.s[4]", "lane 4 is not in 0 to 3"},
		{"fmla v0.2d, v1.2d, v15.d[2]", "lane 2 is not in 0 to 1"},
		{"mov v0.s[4], w1", "lane 4 is not in 0 to 3"},
		{"mov v0.b[15], v1.b[16]", "lane 16 is not in 0 to 15"},
		{"fmov v0.d[0], x1", "0 has to be 1 here"},
		{"shl v0.4s, v1.4s, #32", "shift #32 is not in 0 to 31"},
		{"sshr v0.4s, v1.4s, #0", "shift #0 is not in 1 to 32"},
		{"shrn v0.8b, v1.8h, #9", "shift #9 is not in 1 to 8"},
		{"movi v0.4s, #1, lsl #4", "shift #4 is no multiple of 8"},
		{"movi v0.8h, #1, lsl #16", "shift #16 is not in 0 to 8"},
		{"movi v0.4s, #1, msl #0", "shift #0 is not in 8 to 16"},
		{"movi v0.16b, #256", "immediate #256 is not in 0 to 255"},
		{"movi v0.2d, #0xff01", "immediate #0xff01 has a byte other than 0 and 0xff"},
		{"movi v0.2d, #-2", "immediate #-2 has a byte other than 0 and 0xff"},
		{"fmov v0.4s, #0.1", "immediate #0.1 is not n/16*2^r with n in 16 to 31 and r in -3 to 4"},
		{"fmov v0.4s, #1.0e999", "#1.0e999 is out of range"},
		{"fmov v0.4s, #1.", "#1. is no number"},
		{"cmeq v0.4s, v1.4s, #1", "#1 has to be 0 here"},
		{"fcmeq v0.4s, v1.4s, #1.0", "#1.0 has to be 0.0 here"},
		{"ext v0.8b, v1.8b, v2.8b, #8", "index #8 is not in 0 to 7"},
		{"ldr q0, [x0, #8]", "offset #8 is no multiple of 16"},
		{"ldr q0, [x0, #010]", "#010 is no number"},
		{"ldr q0, [x0, #-16]", "offset #-16 is not in 0 to 65520"},
		{"ldr q0, [x0, x1, lsl #3]", "#3 has to be 4 here"},
		{"ldp d0, d1, [x0, #512]", "offset #512 is not in -512 to 504"},
		{"ldur q0, [x0, #256]", "offset #256 is not in -256 to 255"},
		{"ld1 {v0.4s}, [x0], #32", "#32 has to be 16 here"},
		{"ld1 {v0.s}[4], [x0]", "lane 4 is not in 0 to 3"},
	} {
		word, err := Encode(c.text)
		if err == nil {
			t.Errorf("%s: the word is %08x; want the error %q", c.text, word, c.want)
			continue
		}
		if _, what, _ := strings.Cut(err.Error(), `": `); what != c.want {
			t.Errorf("%s: the error is %q, want %q", c.text, what, c.want)
		}
	}
}

// FuzzEncode: hostile text is an error, with the text and short, or a word.
func FuzzEncode(f *testing.F) {
	for _, r := range families() {
		f.Add(r.name + " " + r.forms()[0].text(r.forms()[0].legal(), func(n int) int { return n - 1 }, -1, ""))
	}
	for _, s := range []string{"ld1 {v0.s}[18446744073709551616], [x0]", "movi d0, #-9223372036854775808", "fmov s0, #1.0e+", "ldr q0, [[x0]]", "tbl v0.8b, {}, v1.8b", "\xff v0%!d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word, err := Encode(text)
		if err != nil && (word != 0 || len(err.Error()) > 2000) {
			t.Errorf("%q: %x, %v", text, word, err)
		}
	})
}
