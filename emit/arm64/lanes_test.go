package arm64

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// factors makes a random program of numbers in every lane and of multiply-adds that take them:
// numbers in any order, with gaps, of two pointers, twice, as both factors, also taken by other
// operations, in nested blocks, and with stores between them.
func factors(t *testing.T, seed uint64) asmtest.Program {
	return suite.Make(t, NEON, fmt.Sprintf("factors%d", seed), func(b *asmtest.Body) {
		r := rand.New(level.PCG(seed, 64))
		ty := asmtest.Pick(r, []emit.Type{emit.Vector(emit.F32, 4), emit.Vector(emit.F32, 4), emit.Vector(emit.F64, 2)})
		size := ty.Elem.Bytes()
		base := int64(asmtest.InF32)
		if ty.Elem == emit.F64 {
			base = asmtest.InF64
		}
		ptrs := []*emit.Value{b.P, b.P, b.AddP(b.P, b.Mul(b.And(b.Param("n", emit.Int64), b.Int(3)), b.Int(8)))}
		indices := []*emit.Value{b.And(b.Param("n", emit.Int64), b.Int(3)), b.And(b.Param("k", emit.Int64), b.Int(3))}
		vals := []*emit.Value{b.Load(ty, emit.At(b.P, base+64)), b.Load(ty, emit.At(b.P, base+80)), b.Load(ty, emit.At(b.P, base+96))}
		used := map[int64]bool{}
		var lines func(n, depth int)
		lines = func(n, depth int) {
			var held []*emit.Value
			for range n {
				switch k := r.IntN(10); {
				case k < 4:
					for range 1 + r.IntN(5) {
						off := base + int64(size*r.IntN(8))
						if r.IntN(20) == 0 {
							off++ // overlaps
						}
						if used[off] && r.IntN(3) > 0 {
							continue
						}
						used[off] = true
						at := emit.At(asmtest.Pick(r, ptrs), off)
						if r.IntN(3) == 0 {
							at.Index, at.Scale = asmtest.Pick(r, indices), asmtest.Pick(r, []int64{1, 4, 8, 8})
						}
						if r.IntN(3) == 0 { // what is stored there before or after
							at = emit.At(b.Q, int64(asmtest.SlotBytes*r.IntN(4)+size*r.IntN(ty.Lanes)))
						}
						held = append(held, b.LoadSplat(ty, at))
					}
				case k < 8 && len(held) > 0:
					for range 1 + r.IntN(4) {
						x, y := asmtest.Pick(r, held), asmtest.Pick(r, vals)
						if r.IntN(10) == 0 {
							y = asmtest.Pick(r, held)
						}
						if r.IntN(2) == 0 {
							x, y = y, x
						}
						acc := asmtest.Pick(r, vals)
						if r.IntN(12) == 0 {
							acc = asmtest.Pick(r, held)
						}
						vals[r.IntN(len(vals))] = b.FMA(acc, x, y)
					}
				case k == 8 && len(held) > 0 && r.IntN(4) == 0:
					vals[0] = b.Add(vals[0], asmtest.Pick(r, held))
				case k == 8:
					b.Store(asmtest.Pick(r, vals), emit.At(b.Q, int64(asmtest.SlotBytes*r.IntN(4))))
				case k == 9 && depth > 0:
					n := b.And(b.Param("k", emit.Int64), b.Int(3))
					outer := held
					vals = slices.Clone(b.For(b.Int(0), n, 1, slices.Clone(vals), func(_ *emit.Value, x []*emit.Value) []*emit.Value {
						vals = slices.Clone(x)
						if r.IntN(2) == 0 && len(outer) > 0 { // taken in an inner block
							vals[0] = b.FMA(vals[0], asmtest.Pick(r, outer), vals[1])
						}
						lines(3+r.IntN(4), depth-1)
						return vals
					}))
				}
			}
		}
		for range 4 { // slots that are written again
			b.Put(vals[0])
		}
		lines(6+r.IntN(20), 1)
		b.Put(vals...)
	})
}

// TestFactors: what becomes of such programs does the same, and reads no byte that they do not.
func TestFactors(t *testing.T) {
	grouped := 0
	for seed := range uint64(level.Of(10, 25, 300)) {
		p := factors(t, seed)
		run := func(f *emit.Func, in *asmtest.Input, undef []uint64) (string, error) {
			src, dst := &emit.Memory{Name: "p", Data: in.Mem[:], ReadOnly: true, Undef: undef}, &emit.Memory{Name: "q", Data: make([]byte, asmtest.MaxSlots*asmtest.SlotBytes)}
			m := &emit.Machine{}
			m.Bind("p", emit.PtrTo(src, 0))
			m.Bind("q", emit.PtrTo(dst, 0))
			m.Bind("n", emit.IntWord(in.N))
			m.Bind("k", emit.IntWord(in.K))
			err := m.Run(f)
			return string(dst.Data), err
		}
		in := &asmtest.Input{N: int64(seed % 5), K: int64(seed % 4)}
		for i := range in.Mem { // numbers without NaN
			in.Mem[i] = byte(seed*uint64(i)*7+uint64(i)) >> 1 & 0x3f
		}
		// What the program does not read: 64 bytes at once, or one of them.
		unread := make([]uint64, asmtest.InBytes/64)
		for i := range unread {
			without := func(bits uint64) {
				one := make([]uint64, len(unread))
				one[i] = bits
				if _, err := run(p.F, in, one); err == nil {
					unread[i] |= bits
				}
			}
			without(^uint64(0))
			for bit := uint64(1); bit != 0 && unread[i] != ^uint64(0); bit <<= 1 {
				without(bit)
			}
		}
		want, err := run(p.F, in, unread)
		if err != nil {
			t.Fatal(err)
		}
		f := p.F.Clone()
		takeElements(f)
		f.Number()
		have, err := run(f, in, unread)
		if err != nil || have != want {
			t.Fatalf("%v, or another result:\n%s\nof\n%s", err, f, p.F)
		}
		grouped += strings.Count(f.String(), "arm64.low4") + strings.Count(f.String(), "arm64.low2")
	}
	if grouped == 0 {
		t.Error("no load brings several numbers")
	}
}
