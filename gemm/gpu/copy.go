package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// Access is how a kernel reads an operand from global memory.
type Access struct {
	// KMajor says that neighbours along K are neighbours in memory, and in shared
	// memory; else those along M or N are.
	KMajor bool
	// Unit is the size of one asynchronous copy: 16 bytes, or 4 (8 of f64) if rows begin
	// anywhere. 0 is a load for each element, for any two strides.
	Unit int
}

// source is an operand in global memory, for one CTA.
type source struct {
	tile    smemTile
	access  Access
	region  int         // of shared memory, within a stage
	base    *emit.Value // the matrix
	mnRow   *emit.Value // stride along mn in bytes; nil if chunks lie along mn
	kRow    *emit.Value // stride along k in bytes; nil if they lie along k
	mn0     *emit.Value // first row or column of the tile
	mn, k   *emit.Value // sizes of the matrix
	threads int
	tid     *emit.Value
	// pad stands beyond K where zeros would count: 0 (the value that copies fill
	// with), or the operator's own.
	pad float64
	e   emit.Elem
	// tensor says that tensor cores multiply.
	tensor bool
	// shift says what k is of that of the product: k0 >> shift.
	shift int
}

// copier copies tiles of one operand.
type copier struct {
	// end copies the tile at k0, which may end beyond K.
	end func(k0, stage *emit.Value)
	// whole copies a tile that does not, off bytes behind the first of the matrix; step is how far the
	// next one is.
	whole func(off, stage *emit.Value)
	step  *emit.Value
	// along is step where it is known, else 0.
	along int
}

// newCopier returns the copier of one operand. Addresses that do not change from tile
// to tile are computed here, before the loop.
func newCopier(b *emit.Builder, s source) (c copier) {
	if s.access.Unit == 0 {
		c = s.gather(b)
	} else {
		c = s.chunks(b)
	}
	if s.shift > 0 {
		end := c.end
		c.end = func(k0, stage *emit.Value) { end(b.Shr(k0, b.Int(int64(s.shift))), stage) }
	}
	return c
}

func int32Of(b *emit.Builder, n int) *emit.Value { return b.Const(emit.Int32, float64(n)) }

// copy copies one chunk, of which bytes are inside the matrix. The rest become
// zeros, or pads.
func (s source) copy(b *emit.Builder, to emit.Addr, src, bytes *emit.Value) {
	if s.pad == 0 {
		s.async(b, to, src, bytes)
		return
	}
	unit := int32Of(b, s.access.Unit)
	b.If(b.Cmp("eq", bytes, unit), func() []*emit.Value {
		s.all(b, to, src)
		return nil
	}, func() []*emit.Value {
		for i := range s.most() {
			off := int64(i * s.tile.size)
			t := emit.Scalar(s.e)
			in := b.Cmp("lt", int32Of(b, int(off)), bytes)
			x := b.If(in, func() []*emit.Value { return []*emit.Value{b.Load(t, emit.At(src, off))} },
				func() []*emit.Value { return []*emit.Value{b.Const(t, s.pad)} })[0]
			to := to
			to.Off += off
			b.Store(x, to)
		}
		return nil
	})
}

// async copies one chunk, of which bytes are inside the matrix. The rest become zeros.
func (s source) async(b *emit.Builder, to emit.Addr, src, bytes *emit.Value) {
	async := map[int]*emit.Instruction{16: inst.CpAsyncZfill, 8: inst.CpAsyncZfill8, 4: inst.CpAsyncZfill4}[s.access.Unit]
	b.Inst(async, 0, pointer(b, to), src, bytes)
}

// all copies all of a chunk.
func (s source) all(b *emit.Builder, to emit.Addr, src *emit.Value) {
	if s.access.Unit == 16 {
		b.Inst(inst.CpAsync, 0, pointer(b, to), src)
		return
	}
	s.async(b, to, src, int32Of(b, s.access.Unit))
}
