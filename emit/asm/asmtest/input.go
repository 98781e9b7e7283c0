package asmtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/emit"
)

// An Input is what one call gets.
type Input struct {
	N, K int64
	X    float32
	_    uint32
	Y    float64
	Mem  [InBytes]byte
}

// specials are the values at which operations change their mind.
var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, -0x1p-1050, math.MaxFloat32, math.MaxFloat64, 0x1.fffffep-127, 1 + 0x1p-23, 1 + 0x1p-52,
	// Halfway between integers, bf16, f16 and f32 numbers, and just beside; the ends of the ints.
	0.5, -0.5, 1.5, 2.5, -3.5, 0x1p-25, 0x1.8p-25, 65519.996, 65520, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-23, 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-24, 1 + 0x3p-24,
	0x1p31, -0x1p31, -0x1p31 - 1, 0x1p31 - 128, 0x1p31 - 0.5, 0x1p63, -0x1p63, 0x1p52 + 0.5, 0x1.ffp127, 0x1p-134}

func randomInput(r *rand.Rand, c int) *Input {
	in := &Input{N: int64(c % 18), K: int64(r.IntN(22) - 1)}
	float := func() float64 {
		switch r.IntN(4) {
		case 0:
			return Pick(r, specials)
		case 1:
			return math.Float64frombits(r.Uint64())
		}
		return r.NormFloat64()
	}
	f32 := func() float32 {
		switch r.IntN(16) {
		case 0, 1, 2:
			return math.Float32frombits(r.Uint32())
		case 3: // NaNs that lose their payload, or would overflow, when they are rounded
			return math.Float32frombits(Pick(r, []uint32{0x7f800001, 0xff80ffff, 0xffffffff}))
		}
		return float32(float())
	}
	in.X, in.Y = f32(), float()
	for at := InF32; at < InF64; at += 4 {
		binary.LittleEndian.PutUint32(in.Mem[at:], math.Float32bits(f32()))
	}
	for at := InF64; at < InI64; at += 8 {
		binary.LittleEndian.PutUint64(in.Mem[at:], math.Float64bits(float()))
	}
	for at := InI64; at < InBytes; at += 8 {
		x := r.Uint64()
		switch r.IntN(8) {
		case 0, 1, 2, 3:
			x = uint64(r.IntN(20) - 8)
		case 4:
			x = Pick(r, []uint64{1 << 63, 1<<63 - 1, 1<<31<<32 | 1<<31, 1<<32 - 1, 0x8000_7fff_0080_ff7f, 0x7fff_ffff_0000_7fff, 0xffff_7fff_ffff_8000})
		}
		binary.LittleEndian.PutUint64(in.Mem[at:], x)
	}
	return in
}

const (
	outBytes = MaxSlots * SlotBytes
	filler   = 0x5a
)

// interpret returns what f leaves at q.
func interpret(f *emit.Func, in *Input) ([]byte, error) {
	src := &emit.Memory{Name: "p", Data: in.Mem[:], ReadOnly: true}
	dst := &emit.Memory{Name: "q", Data: bytes.Repeat([]byte{filler}, outBytes)}
	m := &emit.Machine{}
	m.Bind("p", emit.PtrTo(src, 0))
	m.Bind("q", emit.PtrTo(dst, 0))
	m.Bind("n", emit.IntWord(in.N))
	m.Bind("k", emit.IntWord(in.K))
	m.Bind("x", emit.F32Word(in.X))
	m.Bind("y", emit.F64Word(in.Y))
	err := m.Run(f)
	return dst.Data, err
}

// differ says where two results differ, slot by slot; which NaN it is does not
// count.
func differ(slots []emit.Type, have, want []byte) string {
	for i := range MaxSlots {
		e := emit.I64
		if i < len(slots) && slots[i].Elem.Float() {
			e = slots[i].Elem
		}
		for at := i * SlotBytes; at < (i+1)*SlotBytes; at += e.Bytes() {
			var h, w uint64
			for b := range e.Bytes() {
				h |= uint64(have[at+b]) << (8 * b)
				w |= uint64(want[at+b]) << (8 * b)
			}
			if h == w || e.Float() && math.IsNaN(e.Decode(h)) && math.IsNaN(e.Decode(w)) {
				continue
			}
			s := fmt.Sprintf("slot %d, byte %d: have %#x, want %#x", i, at%SlotBytes, h, w)
			if e.Float() {
				s += fmt.Sprintf(" (%v: %g, %g)", e, e.Decode(h), e.Decode(w))
			}
			return s
		}
	}
	return ""
}
