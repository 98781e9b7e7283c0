package amd64

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// TestDotsRefused: a plain target never runs a dot product.
func TestDotsRefused(t *testing.T) {
	for _, c := range []struct {
		inst   *emit.Instruction
		target emit.Target
		want   string
	}{
		{inst.DotBF16(16), AVX512, "amd64.VDPBF16PS.16 needs avx512bf16, which avx512 is not"},
		{inst.DotU8I8(16), AVX512BF16, "amd64.VPDPBUSD.16 needs avx512vnni or avxvnni, which avx512bf16 is not"},
		{inst.DotI16(8), AVX2, "amd64.VPDPWSSD.8 needs avx512vnni or avxvnni, which avx2 is not"},
	} {
		f, err := emit.Build("f", asmtest.Frame, func(b *emit.Builder) {
			p := b.Param("p", emit.Ptr)
			load := func(i int) *emit.Value { return b.Load(c.inst.In[i], emit.At(p, 0)) }
			b.Store(b.Inst(c.inst, 0, load(0), load(1), load(2))[0], emit.At(p, 0))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile(c.target, f); err == nil || emit.AsError(err).Why != c.want {
			t.Errorf("%s on %s: %v, want %q", c.inst.Name, c.target.Name, err, c.want)
		}
	}
}

// TestDotRows: sums stay in one register, the bytes stand before what they spell, and
// where AVX-512 is not there the prefix is the other one.
func TestDotRows(t *testing.T) {
	for _, c := range []struct {
		target emit.Target
		body   string
		want   string
	}{
		{AVX512BF16, `
			%x = load %p : bf16x32
			%g = loadb %p {off=64} : i32x16
			%y = recast %g : bf16x32
			%a = load %p {off=128} : f32x16
			%r = inst "amd64.VDPBF16PS.16" %a, %x, %y : f32x16
			store %r, %p`, `
			VMOVDQU16 (AX), Z0
			VPBROADCASTD 64(AX), Z1
			VMOVUPS 128(AX), Z2
			BYTE $0x62; BYTE $0xf2; BYTE $0x7e; BYTE $0x48; BYTE $0x52; BYTE $0xd1 // VDPBF16PS Z1, Z0, Z2
			VMOVUPS Z2, (AX)`},
		{AVX512VNNI, `
			%x = load %p : i8x64
			%a = load %p {off=128} : i32x16
			%r = inst "amd64.VPDPBUSD.16" %a, %x, %x : i32x16
			store %r, %p`, `
			VMOVDQU8 (AX), Z0
			VMOVDQU32 128(AX), Z1
			VPDPBUSD Z0, Z0, Z1
			VMOVDQU32 Z1, (AX)`},
		{AVXVNNI, `
			%x = load %p : i8x32
			%a = load %p {off=128} : i32x8
			%r = inst "amd64.VPDPBUSD.8" %a, %x, %x : i32x8
			store %r, %p`, `
			VMOVDQU (AX), Y0
			VMOVDQU 128(AX), Y1
			BYTE $0xc4; BYTE $0xe2; BYTE $0x7d; BYTE $0x50; BYTE $0xc8 // VPDPBUSD Y0, Y0, Y1
			VMOVDQU Y1, (AX)`},
		{AVX2, `
			%x = load %p : i16x16
			%r = inst "amd64.VPMADDWD.8" %x, %x : i32x8
			store %r, %p`, `
			VMOVDQU (AX), Y0
			VPMADDWD Y0, Y0, Y1
			VMOVDQU Y1, (AX)`},
	} {
		have, err := assemble(t, c.target, c.body)
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(asmtest.Lines(c.want), have); d != "" {
			t.Errorf("%s (-want +have):\n%s", c.target.Name, d)
		}
	}
}
