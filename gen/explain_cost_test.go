package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEpilogueCost counts in a text that can be counted by hand.
func TestEpilogueCost(t *testing.T) {
	const asm = `TEXT ·f_epi(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), DI
	VBROADCASTSS const32_3f800000<>(SB), Z0
	VPXORD Z5, Z5, Z5
	TESTQ AX, AX
	JLE l2

l1:
	XORL R8, R8

l3:
	VMOVUPS (BX)(R8*4), Z21
	VMULPS const32_40000000<>(SB), Z21, Z22
	VFMADD213PS Z4, Z21, Z22
	VPXORD Z7, Z22, Z22
	VDIVPS Z22, Z0, Z22
	VSQRTPS Z22, Z22
	VMOVUPS Z22, (SI)(R8*4)
	ADDQ $16, R8
	CMPQ R8, CX
	JLT l3
	VMOVUPS.Z (BX)(CX*4), K1, Z21
	DECQ AX
	JNZ l1

l2:
	VZEROUPPER
	RET
`
	code := codeOf(asm)
	head, loop := code.head, code.loop
	if n := constantsOf(head); n != 2 {
		t.Errorf("%d constants are kept, want 2", n)
	}
	if n := constantsOf(loop); n != 1 {
		t.Errorf("%d constants are loaded in the loop, want 1", n)
	}
	c := costOf(loop)
	// A load, a product, a multiply-add, an exclusive or, a division, a root, a store.
	if want := (loopCost{arith: 2, vector: 7, divider: 10.5, chain: 7 + 3 + 4 + 1 + 11 + 15 + 1}); c != want {
		t.Errorf("the loop costs %+v, want %+v:\n%s", c, want, strings.Join(loop, "\n"))
	}
	for _, x := range []struct {
		c      loopCost
		cycles float64
		bound  string
	}{
		{c, 10.5, "divider"}, {loopCost{arith: 8, vector: 9}, 4, "FMAs"}, {loopCost{arith: 1, vector: 9}, 2.25, "number"}, {loopCost{}, 0, ""},
		{loopCost{arith: 20, vector: 42, chain: 100}, 20, "wait"},
	} {
		if x.c.cycles() != x.cycles || !strings.Contains(x.c.bound(), x.bound) {
			t.Errorf("%+v: %v cycles bound by %s, want %v, %s", x.c, x.c.cycles(), x.c.bound(), x.cycles, x.bound)
		}
	}
	// A vector of 1024 steps takes 512 cycles; half a vector a turn, half of it.
	if have := (loopCost{divider: 16}).share(0.5, 1024); math.Abs(have-16./272) > 1e-12 {
		t.Errorf("the share is %v, want %v", have, 16./272)
	}
}

// TestChain: what waits for what.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		what, lines string
		want        float64
	}{
		{"nothing", "ADDQ $1, AX", 0},
		{"a load", "VMOVUPS (AX), Z0", 7},
		{"a sum of what the turn before left", "VADDPS Z1, Z2, Z3", 3},
		{"a product and its sum", "VMULPS Z1, Z2, Z3\nVADDPS Z3, Z4, Z5", 6},
		{"two products", "VMULPS Z1, Z2, Z3\nVMULPS Z1, Z2, Z4", 3},
		{"the destination of a multiply-add is a term", "VMULPS Z1, Z2, Z3\nVFMADD231PS Z4, Z5, Z3", 7},
		{"and so are its factors", "VMULPS Z1, Z2, Z3\nVFMADD231PS Z3, Z5, Z6", 7},
		{"a destination is written anew", "VDIVPS Z1, Z2, Z3\nVMOVAPS Z4, Z3\nVADDPS Z3, Z4, Z5", 11},
		{"halves of a register are the same register", "VMULPS Z1, Z2, Z3\nVADDPS Y3, Y4, Y5", 6},
		{"a mask", "VCMPPS $17, Z1, Z2, K1\nVBLENDMPS Z3, Z4, K1, Z5", 6},
		{"zeros wait for nothing", "VDIVPS Z1, Z2, Z3\nVPXORD Z3, Z3, Z3\nVADDPS Z3, Z1, Z4", 11},
		{"a constant is there", "VMULPS const32_40000000<>(SB), Z1, Z2", 3},
		{"an operand in memory", "VADDPS (AX)(BX*4), Z1, Z2", 10},
		{"a store", "VADDPS Z1, Z2, Z3\nVMOVUPS Z3, (AX)", 4},
	} {
		if have := chainOf(strings.Split(c.lines, "\n")); have != c.want {
			t.Errorf("%s: %v cycles, want %v", c.what, have, c.want)
		}
	}
}

// TestCodeOf: what an epilogue's assembly does for a vector, for a row and for as many rows
// as there are lanes.
func TestCodeOf(t *testing.T) {
	const asm = `	MOVQ (DI), AX
l1:
	VPXORD Z0, Z0, Z0
l2:
	VMOVUPS (BX), Z1
	JLT l2
	VMOVUPS Z0, (R9)
	JNZ l1
l3:
	VADDPS Z1, Z2, Z3
	JLT l3
l4:
	VMAXPS Z1, Z2, Z3
	JLT l4
l5:
	VMULPS Z1, Z2, Z3
	DECQ BX
	JNZ l5
	RET`
	c := codeOf(asm)
	want := epilogueCode{head: []string{"	MOVQ (DI), AX"}, loop: []string{"	VMOVUPS (BX), Z1"}, row: []string{"	VPXORD Z0, Z0, Z0", "	VMOVUPS Z0, (R9)"},
		joins: [][]string{{"	VADDPS Z1, Z2, Z3"}, {"	VMAXPS Z1, Z2, Z3"}}, again: [][]string{{"	VMULPS Z1, Z2, Z3", "	DECQ BX"}}}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(epilogueCode{})); diff != "" {
		t.Error(diff)
	}
	if c := codeOf("	RET"); c.loop != nil || c.joins != nil {
		t.Errorf("code without a loop has %+v", c)
	}
}
