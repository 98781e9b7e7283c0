package llvm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/llvm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// dots has an instruction add to its sums twice.
func dots(b *emit.Builder, i *emit.Instruction) {
	p, q := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
	sums := b.Load(i.In[0], emit.At(p, 0))
	for at := int64(0); at < 64; at += 32 {
		x, y := b.Load(i.In[1], emit.At(p, 256+at)), b.Load(i.In[2], emit.At(p, 272+at))
		sums = b.Inst(i, 0, sums, x, y)[0]
		b.Store(sums, emit.At(q, at/32*slotBytes))
	}
}

// TestArmDots compares the instructions that llc makes for products of narrow elements with
// the interpreter, bit for bit.
func TestArmDots(t *testing.T) {
	for _, c := range []struct {
		target emit.Target
		list   []*emit.Instruction
	}{
		{arm64.NEONDOT, []*emit.Instruction{inst.ArmDotI8, inst.ArmDotU8}},
		{arm64.NEONI8MM, []*emit.Instruction{inst.ArmDotI8, inst.ArmDotU8, inst.ArmSquareI8, inst.ArmSquareU8}},
		{arm64.NEONBF16, []*emit.Instruction{inst.ArmDotBF16, inst.ArmSquareBF16}},
	} {
		t.Run("target="+c.target.Name, func(t *testing.T) {
			var fs []*emit.Func
			for _, i := range c.list {
				fs = append(fs, build(t, i.Name[len("arm64."):], func(b *emit.Builder) { dots(b, i) }))
			}
			printed(t, llvm.Backend{}, c.target, fs...)
			o := llctest.Compile(t, c.target, fs)
			r := rand.New(level.PCG(5, 6))
			for k, f := range fs {
				call, slots := o.Call(f.Name), []emit.Type{c.list[k].Out[0], c.list[k].Out[0]}
				for range 300 {
					in := &input{mem: asmtest.DotInput(r).Mem[:inBytes]}
					want, err := interpret(f, in)
					if err != nil {
						t.Fatal(err)
					}
					have, err := native(call, in)
					if err != nil {
						t.Fatal(err)
					}
					if d := differ(slots, have, want); d != "" {
						t.Fatalf("%s: %s\n%s", c.target.Name, d, f)
					}
				}
			}
			t.Logf("%d instructions agree with the interpreter", len(fs))
		})
	}
}
