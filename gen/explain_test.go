package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

func TestExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	o := Options{Package: "p", Source: "spec.go"}
	spec := gemm.Spec[float64, float64, float64, float64]{Name: "Dense"}
	cases := []struct {
		e    Explanation
		want []string
		not  string
	}{
		{Explanation{Target: "avx2"}, []string{"after lower", "after fold", "after dce", "assembly\n\nTEXT ·dense_avx2_6x8(SB)", "RET\n", "registers ", "main loop  48 multiply-adds, 8 vector loads, 24 broadcasts", "code ", "bytes"}, "dense_avx512"},
		{Explanation{Target: "avx2", Pass: "asm", Func: "dense_avx2_packcols"}, []string{"TEXT ·dense_avx2_packcols(SB)", "registers "}, "after lower"},
		{Explanation{Func: "dense_avx2_1x4"}, []string{"== dense_avx2_1x4, avx2, after lower"}, "dense_avx512"},
		{Explanation{Pass: "lower"}, []string{"func @dense_avx512_"}, "assembly"},
	}
	for _, i := range level.Pick(len(cases), 0, 1) {
		x := cases[i]
		var b strings.Builder
		if err := x.e.Print(&b, o, spec); err != nil {
			t.Errorf("%+v: %v", x.e, err)
			continue
		}
		for _, w := range x.want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%+v: %q is missing", x.e, w)
			}
		}
		if strings.Contains(b.String(), x.not) {
			t.Errorf("%+v: %q is there", x.e, x.not)
		}
		if strings.Count(b.String(), "TEXT ") > 1 {
			t.Errorf("%+v: more than one function", x.e)
		}
	}
	spec.Tile = tiling.Micro{MR: 1, NV: 1}
	for e, why := range map[Explanation]string{
		{Target: "sm_80"}: "there is avx512, avx2", {Func: "nothing"}: "has no function", {Pass: "nothing"}: "the passes are lower",
	} {
		if err := e.Print(new(strings.Builder), o, spec); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%+v: %v, want an error with %q", e, err, why)
		}
	}
	e := Explanation{"a", "b", "c", "d"}
	if have, err := parseExplanation(e.Env()); err != nil || have != e {
		t.Errorf("%v became %v, %v", e, have, err)
	}
}

// TestExplainSummary: what is shown begins with what it is, which instruction set it is
// for, its registers, how fast it should be and what binds it, before IR and assembly; of a
// single pass there is that pass only.
func TestExplainSummary(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	o := Options{Package: "p", Source: "spec.go"}
	dense := gemm.Spec[float64, float64, float64, float64]{Name: "Dense"}
	rows := spec.SpMM[float32]{Name: "Rows", Format: format.CSR}
	cases := []struct {
		e     Explanation
		specs []Spec
		want  []string
	}{
		{Explanation{Target: "avx2"}, []Spec{dense}, []string{"== Dense, avx2, in short\n", "function   dense_avx2_6x8, one of its kernels; --func shows one of ", "ISA        avx2, vector registers of 256 bits\n",
			"registers  15 vector, ", "predicted  64 x 64 x 64 ", " GFLOP/s, ", " % of the ceiling, bound by fma (fma ", "           1024 x 1024 x 1024 ", "on one core of " + machine.Reference("avx2").Name + ";"}},
		{Explanation{Func: "Rows"}, []Spec{dense, rows}, []string{"== Rows, avx512, in short\n", "predicted  10000 x 128 x 10000 ", "bound by "}},
		{Explanation{}, []Spec{gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Narrow", Targets: GPU}}, []string{"== Narrow, sm_", "ISA        sm_"}},
	}
	for _, i := range level.Pick(len(cases), 0, 1) {
		x := cases[i]
		var b strings.Builder
		if err := x.e.Print(&b, o, x.specs...); err != nil {
			t.Errorf("%+v: %v", x.e, err)
			continue
		}
		head, _, _ := strings.Cut(b.String(), "after lower")
		for _, w := range x.want {
			if !strings.Contains(head, w) {
				t.Errorf("%+v: before the IR there is no %q:\n%s", x.e, w, head)
			}
		}
		if !strings.HasPrefix(head, "== ") || strings.Count(head, "\n") > 25 {
			t.Errorf("%+v: the summary is not the first, or too long:\n%s", x.e, head)
		}
	}
	dense.Tile = tiling.Micro{MR: 1, NV: 1}
	var b strings.Builder
	if err := (Explanation{Pass: "asm"}).Print(&b, o, dense); err != nil || strings.Contains(b.String(), "in short") {
		t.Errorf("%v, and of a single pass there is more:\n%s", err, b.String())
	}
}

// TestMeasure counts in a text that can be counted by hand.
func TestMeasure(t *testing.T) {
	const asm = `TEXT ·f(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), DI

l1:
	VPXORD Z0, Z0, Z0
	PCALIGN $32

l2:
	VMOVUPS (AX), Z1
	VBROADCASTSS (CX), Z2
	VFMADD231PS Z1, Z2, Z0
	VFMADD231PS (AX)(BX*1), Z2, Z0
	KMOVW DX, K1
	DECQ DX
	JNZ l2
	VMOVUPS Z0, (DI)
	JMP l3

l3:
	DECQ SI
	JNZ l1
	RET
`
	const neon = `TEXT ·f(SB), NOSPLIT, $0-8
	MOVD args+0(FP), R0
	BLE l4
	PCALIGN $32

l3:
	FMOVQ (R12), F20
	WORD $0x4d40ca3e // ld1r {v30.4s},[x17]
	WORD $0x4f961280 // fmla v0.4s,v20.4s,v22.s[0]
	WORD $0x4f9612a1 // fmla v1.4s,v21.4s,v22.s[1]
	ADD R11, R12, R12
	SUB $1, R14
	CBNZ R14, l3

l4:
	FMOVQ F0, (R1)
	B l5

l5:
	RET
`
	for arch, c := range map[string]struct {
		text string
		want mix
	}{"amd64": {asm, mix{fmas: 2, loads: 1, broadcasts: 1, others: 3}}, "arm64": {neon, mix{fmas: 2, loads: 1, broadcasts: 1, others: 3}}} {
		if have := readings[arch].busiest(c.text); have != c.want {
			t.Errorf("the loop for %s is %+v, want %+v", arch, have, c.want)
		}
	}
	x86 := readings["amd64"]
	for r, want := range map[string]int{"vector": distinct(x86.vector, asm), "general": distinct(x86.general, asm), "mask": distinct(x86.mask, asm)} {
		if have := map[string]int{"vector": 3, "general": 6, "mask": 1}[r]; have != want {
			t.Errorf("%s registers: %d, want %d", r, want, have)
		}
	}
}
