package amd64

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// tileLoop multiplies up to 16 rows of A by n columns, k in steps of 64 bytes, begun at zero,
// with a configuration that lies at q.
func tileLoop(b *emit.Builder) {
	p, q, n := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), b.Param("n", emit.Int64)
	b.Inst(inst.TileLoadConfig, 0, q)
	b.Inst(inst.TileZero, 3)
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{p}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		b.Inst(inst.TileLoad, 4, x[0], n)
		b.Inst(inst.TileLoad, 6, q, n)
		b.Inst(inst.TileDot(inst.TileU8I8), inst.DotOf(3, 4, 6))
		return []*emit.Value{b.AddP(x[0], b.Int(64))}
	})
	b.Inst(inst.TileStore, 3, q, n)
	b.Inst(inst.TileRelease, 0)
}

// TestTileText: instructions name the tiles of their constants, and stay in order.
func TestTileText(t *testing.T) {
	f, err := emit.Build("f", asmtest.Frame, tileLoop)
	if err != nil {
		t.Fatal(err)
	}
	text, err := compile(AMXINT8, f)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(text, "MOVQ args+0(FP), DI\n")
	want := `
		MOVQ 0(DI), AX
		MOVQ 8(DI), CX
		MOVQ 16(DI), DX
		BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0x01 // LDTILECFG (CX)
		BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xd8 // TILEZERO T3
		MOVQ 24(DI), BX
		TESTQ BX, BX
		JLE l2
		PCALIGN $32
		l1:
		BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x24; BYTE $0x10 // TILELOADD (AX)(DX*1), T4
		BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x4b; BYTE $0x34; BYTE $0x11 // TILELOADD (CX)(DX*1), T6
		BYTE $0xc4; BYTE $0xe2; BYTE $0x49; BYTE $0x5e; BYTE $0xdc // TDPBUSD T6, T4, T3
		ADDQ $64, AX
		DECQ BX
		JNZ l1
		l2:
		BYTE $0xc4; BYTE $0xe2; BYTE $0x7a; BYTE $0x4b; BYTE $0x1c; BYTE $0x11 // TILESTORED T3, (CX)(DX*1)
		BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0 // TILERELEASE
		VZEROUPPER
		RET`
	if d := cmp.Diff(asmtest.Lines(want), asmtest.Lines(text)); d != "" {
		t.Errorf("-want +have:\n%s", d)
	}
}

// TestTileRefusals: what a target has not is an error with a reason.
func TestTileRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		target emit.Target
		want   string
		body   func(b *emit.Builder)
	}{
		{"no tiles", AVX512VNNI, "amd64.LDTILECFG needs amxbf16 or amxint8, which avx512vnni is not", tileLoop},
		{"other tiles", AMXBF16, "amd64.TDPBUSD needs amxint8, which amxbf16 is not", tileLoop},
		{"a square", AMXINT8, "TDPBSSD T2, T2, T1: the three tiles of a product have to differ", func(b *emit.Builder) {
			b.Inst(inst.TileDot(inst.TileI8I8), inst.DotOf(1, 2, 2))
		}},
	} {
		f, err := emit.Build("f", asmtest.Frame, c.body)
		if err == nil {
			_, err = compile(c.target, f)
		}
		if err == nil || emit.AsError(err).Why != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
