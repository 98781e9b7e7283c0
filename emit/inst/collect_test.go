package inst_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// The lanes of a vector collected from four, or two, places, exchanged, and the
// first of them.
func TestCollect(t *testing.T) {
	for _, c := range []struct {
		elem        emit.Elem
		data, index any
		by          int
		want        []float64 // the lanes, then exchanged, then the first
	}{
		{emit.F32, []float32{10, 11, 12, 13, 14}, []int32{-7, 4, 0, 2, 4}, 2, []float64{14, 10, 12, 14, 12, 14, 14, 10, 14}},
		{emit.F32, []float32{10, 11, 12, 13, 14}, []int32{0, 4, 0, 2, 4}, 1, []float64{14, 10, 12, 14, 10, 14, 14, 12, 14}},
		{emit.F64, []float64{10, 11, 12, 13, 14}, []int32{-7, 3, 1}, 1, []float64{13, 11, 11, 13, 13}},
	} {
		size := int64(c.elem.Bytes())
		lanes := 16 / int(size)
		out := emit.NewMemory("out", emit.Generic, 48)
		m := &emit.Machine{}
		m.Bind("x", emit.PtrTo(emit.MemoryOf("x", emit.Generic, c.data), 0))
		m.Bind("i", emit.PtrTo(emit.MemoryOf("i", emit.Generic, c.index), 0))
		m.Bind("out", emit.PtrTo(out, 0))
		args := []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "i", Type: emit.Ptr, Offset: 8}, {Name: "out", Type: emit.Ptr, Offset: 16}}
		run(t, m, args, func(b *emit.Builder) {
			x, i, to := b.Param("x", emit.Ptr), b.Param("i", emit.Ptr), b.Param("out", emit.Ptr)
			places := []*emit.Value{x}
			for l := range lanes {
				places = append(places, b.Inst(inst.LoadIndex, 4, i, b.Int(int64(l)))[0])
			}
			v := b.Inst(inst.Collect(c.elem), 0, places...)[0]
			b.Store(v, emit.At(to, 0))
			b.Store(b.Inst(inst.Swap(c.elem, c.by), 0, v)[0], emit.At(to, 16))
			b.Store(b.Inst(inst.First(c.elem), 0, v)[0], emit.At(to, 32))
		})
		for i, want := range c.want {
			b, err := out.Read(int64(i)*size, int(size))
			if err != nil {
				t.Fatal(err)
			}
			var bits uint64
			for j, x := range b {
				bits |= uint64(x) << (8 * j)
			}
			if got := c.elem.Decode(bits); got != want {
				t.Errorf("%v: element %d is %v, want %v", c.elem, i, got, want)
			}
		}
	}
}

// A store past the caches writes like another, and refuses addresses that the
// machine would.
func TestStream(t *testing.T) {
	for _, vec := range []emit.Type{emit.Vector(emit.F32, 16), emit.Vector(emit.F64, 8), emit.Vector(emit.F32, 8), emit.Vector(emit.F64, 4)} {
		for _, off := range []int64{0, int64(vec.Bytes()), 8} {
			out := emit.NewMemory("out", emit.Generic, 128)
			m := &emit.Machine{}
			m.Bind("out", emit.PtrTo(out, 0))
			f, err := emit.Build("test", []emit.Arg{{Name: "out", Type: emit.Ptr}}, func(b *emit.Builder) {
				b.Inst(inst.Stream(vec), off, b.Const(vec, 2.5), b.Param("out", emit.Ptr))
				b.Inst(inst.StreamFence, 0)
			})
			if err != nil {
				t.Fatal(err)
			}
			err = m.Run(f)
			if off == 8 {
				if err == nil || !strings.Contains(err.Error(), "not a multiple of") {
					t.Errorf("%v at %d: %v", vec, off, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			size := vec.Elem.Bytes()
			for i := range vec.Lanes {
				b, err := out.Read(off+int64(i*size), size)
				if err != nil || b[size-1] != 0x40 {
					t.Errorf("%v at %d: lane %d is %v, %v", vec, off, i, b, err)
				}
			}
		}
	}
}
