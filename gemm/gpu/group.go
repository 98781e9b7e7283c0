package gpu

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// grouped gives each CTA one tile of one of many products. These have shapes, addresses and
// numbers of their own: a parameter block for each, in memory. The tiles of all products are
// numbered one product's after the other's, and the first of each is in a table:
//
//	product  0       1   2           3
//	firsts   0       4   6           12
//	tile     0 1 2 3|4 5|6 7 8 9 ...|...
type grouped struct {
	args   map[string]emit.Arg
	record *emit.Value // the CTA's product's
	held   map[string]*emit.Value
}

// The parameters of grouped, which lie behind those of all kernels: param.Records etc.
const argRecords, argFirsts, argProducts = "records", "firsts", "products"

func (s *grouped) pieces(g *lowering, b *emit.Builder, do func(p piece)) {
	s.args, s.held = map[string]emit.Arg{}, map[string]*emit.Value{}
	for _, a := range g.args() {
		s.args[a.Name] = a
	}
	g.batch = b.Int(0)
	tile := b.SReg("ctaid.x", emit.Int32, emit.CTA)
	firsts, one := b.Param(argFirsts, emit.Pointer(emit.Global, 4)), int32Of(b, 1)
	first := func(product *emit.Value) *emit.Value {
		return b.Load(emit.Int32, emit.Addr{Ptr: firsts, Index: b.Zext(emit.I64, product), Scale: 4})
	}
	// The last product that begins at tile or before is among the half-open range x.
	product := b.While([]*emit.Value{int32Of(b, 0), b.Param(argProducts, emit.Int32)}, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
		return b.Cmp("gt", b.Sub(x[1], x[0]), one), x
	}, func(x []*emit.Value) []*emit.Value {
		middle := b.Add(x[0], b.Shr(b.Sub(x[1], x[0]), one))
		right := b.Cmp("le", first(middle), tile)
		return []*emit.Value{b.Select(right, middle, x[0]), b.Select(right, x[1], middle)}
	})[0]
	s.record = b.AddPAligned(b.Param(argRecords, emit.Pointer(emit.Global, param.RecordAlign)),
		b.Mul(b.Zext(emit.I64, product), b.Int(int64(g.m.ParamBytes))), param.RecordAlign)
	k, steps := g.depth(b)
	do(piece{tile: b.Sub(tile, first(product)), first: b.Int(0), last: steps, end: k})
}

// param loads a parameter of the CTA's product. For an address, the record has the distance
// from that in the kernel's parameters: a kernel can get an address in no other way. No
// product is in a batch.
func (s *grouped) param(b *emit.Builder, name string, t emit.Type) *emit.Value {
	if x := s.held[name]; x != nil {
		return x
	}
	if strings.HasPrefix(name, "bs") {
		return b.Int(0)
	}
	at := emit.At(s.record, int64(s.args[name].Offset))
	if t.Ptr {
		return b.AddPAligned(b.Param(name, t), b.Load(emit.Int64, at), t.Align)
	}
	return b.Load(t, at)
}

func (s *grouped) hold(b *emit.Builder, names []string) {
	for _, name := range names {
		s.held[name] = s.param(b, name, s.args[name].Type)
	}
}
