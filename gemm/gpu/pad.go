package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// An operand whose rows begin anywhere is copied by elements, in the kernel for any strides. Or
// it is copied once, ahead of the product, to where its rows begin at multiples of 16 bytes. The
// kernel for that knows lines of elements: rows, or the columns of what lies by columns.

// padsInFlight is how many elements a thread loads before it stores them.
const padsInFlight = 4

// padKernel is the kernel that copies an operand, whose elements have size bytes.
func (m *Module) padKernel(size int) error {
	name := prefix(m.Name, m.Target) + "_pad"
	f, err := emit.Build(name, padArgs(size), func(b *emit.Builder) { pad(b, size) })
	if err != nil {
		return fmt.Errorf("gemm: %w", err)
	}
	f.Threads = param.PadThreads
	f.Doc = name + " copies an operand to where its lines begin at multiples of 16 bytes."
	m.Pad = f
	return nil
}

func padArgs(size int) []emit.Arg {
	p, i64 := emit.Pointer(emit.Global, size), emit.Int64
	return []emit.Arg{
		{Name: "from", Type: p, Offset: param.PadFrom}, {Name: "to", Type: p, Offset: param.PadTo},
		{Name: "lines", Type: i64, Offset: param.PadLines}, {Name: "along", Type: i64, Offset: param.PadAlong},
		{Name: "line", Type: i64, Offset: param.PadLine}, {Name: "next", Type: i64, Offset: param.PadNext},
		{Name: "batch", Type: i64, Offset: param.PadBatch}, {Name: "pitch", Type: i64, Offset: param.PadPitch},
		{Name: "span", Type: i64, Offset: param.PadSpan},
	}
}

// pad appends the kernel. A warp has a span of one line, its lanes neighbours: loads and stores are
// of 32 elements next to each other, wherever those begin.
func pad(b *emit.Builder, size int) {
	t := emit.Scalar(map[int]emit.Elem{1: emit.I8, 2: emit.I16, 4: emit.I32, 8: emit.I64}[size])
	load := func(name string) *emit.Value { return b.Param(name, emit.Int64) }
	move := func(p, n *emit.Value) *emit.Value { return b.AddPAligned(p, n, size) }
	tid := b.SReg("tid.x", emit.Int64, emit.Thread)
	line := b.Add(b.Mul(b.SReg("ctaid.x", emit.Int64, emit.CTA), b.Int(param.PadLinesOfCTA)), b.Shr(tid, b.Int(5)))
	lines := load("lines")
	b.If(b.Cmp("lt", line, lines), func() []*emit.Value {
		batch, span, next := b.SReg("ctaid.z", emit.Int64, emit.CTA), load("span"), load("next")
		first := b.Mul(b.SReg("ctaid.y", emit.Int64, emit.CTA), span)
		end := b.IMin(b.Add(first, span), load("along"))
		first = b.Add(first, b.And(tid, b.Int(31)))
		at := func(base string, line, next *emit.Value) *emit.Value {
			return move(b.Param(base, emit.Pointer(emit.Global, size)), b.Add(line, b.Mul(first, next)))
		}
		from := at("from", b.Add(b.Mul(batch, load("batch")), b.Mul(line, load("line"))), next)
		to := at("to", b.Mul(b.Add(b.Mul(batch, lines), line), load("pitch")), b.Int(int64(size)))
		warp := b.Mul(next, b.Int(32)) // to the next element of a thread
		copies := func(n int, until *emit.Value, v []*emit.Value) []*emit.Value {
			return b.While(v, func(v []*emit.Value) (*emit.Value, []*emit.Value) { return b.Cmp("lt", v[0], until), v }, func(v []*emit.Value) []*emit.Value {
				i, from, to := v[0], v[1], v[2]
				var x []*emit.Value
				for range n {
					x = append(x, b.Load(t, emit.At(from, 0)))
					from = move(from, warp)
				}
				for j := range x {
					b.Store(x[j], emit.At(to, int64(32*size*j)))
				}
				return []*emit.Value{b.Add(i, b.Int(int64(32*n))), from, move(to, b.Int(int64(32*size*n)))}
			})
		}
		v := copies(padsInFlight, b.Sub(end, b.Int(32*(padsInFlight-1))), []*emit.Value{first, from, to})
		copies(1, end, v)
		return nil
	}, nil)
}
