//go:build amd64 && !noasm && !purego

package amd64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// dots lists the instructions on narrow elements that a target has, by their results' lanes.
func dots(target emit.Target) (list []*emit.Instruction) {
	for lanes := 4; lanes <= target.Bits/32; lanes *= 2 {
		for _, i := range []*emit.Instruction{inst.DotBF16(lanes), inst.DotU8I8(lanes), inst.DotI16(lanes), inst.MulPairsI16(lanes)} {
			if provides(target, i.Needs) {
				list = append(list, i)
			}
		}
	}
	return list
}

// dotPrograms has a function for each of dots: each of its results is added to in turn, or
// is another's sum, so that results and sums take the same register and different ones.
func dotPrograms(t *testing.T, target emit.Target) (out []asmtest.Program) {
	out = tilePrograms(t, target)
	for _, i := range dots(target) {
		out = append(out, dotProgram(t, target, "dot_"+strings.ReplaceAll(i.Name, ".", "_"), func(b *asmtest.Body) {
			elems := i.In[len(i.In)-1]
			elem := func(at int) *emit.Value { return b.Load(elems, emit.At(b.P, int64(256+at*40%704))) }
			for s := range asmtest.MaxSlots / 2 {
				x, y := elem(2*s), elem(2*s+1)
				if len(i.In) == 2 {
					b.Put(b.Inst(i, 0, x, y)[0], b.Inst(i, 0, y, y)[0])
					continue
				}
				acc := b.Load(i.Out[0], emit.At(b.P, int64(s*16%192)))
				first := b.Inst(i, 0, acc, x, y)[0]
				b.Put(first) // before its register is taken over
				b.Put(b.Inst(i, 0, first, y, x)[0])
			}
		}))
	}
	return out
}

// dotProgram makes a program that is called with sums and narrow elements, and often.
func dotProgram(t *testing.T, target emit.Target, name string, fill func(b *asmtest.Body)) asmtest.Program {
	p := suite.Make(t, target, name, fill)
	p.Calls, p.Input = 300, asmtest.DotInput
	return p
}

// tilePrograms has a function for each product of tiles of a few shapes, rows, words of k
// and columns, whose configuration it makes in the frame: sums are loaded or begin at zero,
// and go to the frame, from where a row is a slot.
func tilePrograms(t *testing.T, target emit.Target) (out []asmtest.Program) {
	for kind := inst.TileBF16; kind <= inst.TileU8U8; kind++ {
		for _, shape := range [][3]int64{{1, 16, 16}, {5, 16, 3}, {inst.TileRows, 16, 16}, {7, 3, 15}} {
			dot, rows, depth, cols := inst.TileDot(kind), shape[0], shape[1], shape[2]
			if !provides(target, dot.Needs) {
				continue
			}
			out = append(out, dotProgram(t, target, fmt.Sprintf("dot_%s_%d_%d_%d", strings.ReplaceAll(dot.Name, ".", "_"), rows, depth, cols), func(b *asmtest.Body) {
				words := emit.Vector(emit.I32, 16)
				frame := b.Inst(inst.Scratch, inst.TileConfigBytes+2*1024)[0]
				for at := int64(0); at < inst.TileConfigBytes+2*1024; at += inst.TileBytes {
					b.Store(b.Const(words, 0), emit.At(frame, at))
				}
				b.Store(b.Int(1), emit.At(frame, 0))
				b.Store(b.Int(4*(cols+cols<<16+depth<<32+cols<<48)), emit.At(frame, inst.TileConfigWidth))
				b.Store(b.Int(rows+rows<<8+rows<<16+depth<<24), emit.At(frame, inst.TileConfigRows))
				b.Inst(inst.TileLoadConfig, 0, frame)
				load := func(n, off, apart int64) { b.Inst(inst.TileLoad, n, b.AddP(b.P, b.Int(off)), b.Int(apart)) }
				load(0, 0, 12)
				b.Inst(inst.TileZero, 1)
				load(2, 264, 40)
				load(3, 304, 43)
				for i := range 2 {
					b.Inst(dot, inst.DotOf(i, 2, 3))
					b.Inst(inst.TileStore, int64(i), b.AddP(frame, b.Int(int64(inst.TileConfigBytes+1024*i))), b.Int(inst.TileBytes))
				}
				b.Inst(inst.TileRelease, 0)
				sums := emit.Vector(emit.I32, 16)
				if kind == inst.TileBF16 {
					sums.Elem = emit.F32
				}
				for i := range int64(2) {
					for row := range min(rows, asmtest.MaxSlots/2) {
						b.Put(b.Load(sums, emit.At(frame, inst.TileConfigBytes+1024*i+inst.TileBytes*row)))
					}
				}
			}))
		}
	}
	return out
}
