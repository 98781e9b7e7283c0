package ptx

import (
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// Registers have 32 bits; an i64 takes two, and most operations on it two or more
// instructions. Kernels compute their indices in i64. A value is kept in 32 bits if
//
//   - it is exact: it can only be a number that 32 bits with a sign hold (ranges.go), or
//   - it is low: only the low 32 bits of what is made of it count, as of an offset into
//     shared memory, and they depend on low bits only.
//
// The bits of no result change by it.
type narrow struct {
	*ranges
	exact map[*emit.Value]bool
	low   map[*emit.Value]bool
}

var int32s = interval{math.MinInt32, math.MaxInt32}

// has reports whether v, an i64, is kept in 32 bits.
func (n *narrow) has(v *emit.Value) bool { return n.exact[v] || n.low[v] }

// fits reports whether v has only values of 32 bits, a constant too.
func (n *narrow) fits(v *emit.Value) bool {
	return n.exact[v] || isConst(v) && isInt(v) && n.of(v).inside(int32s)
}

// natural reports whether v fits and is not negative.
func (n *narrow) natural(v *emit.Value) bool { return n.fits(v) && n.of(v).lo >= 0 }

// lowBits are the operations whose low bits depend on low bits only.
var lowBits = map[string]bool{"add": true, "sub": true, "mul": true, "and": true, "or": true, "xor": true,
	"shl": true, "select": true, "zext": true, "sext": true, "copy": true}

func findNarrow(f *emit.Func) *narrow {
	n := &narrow{findRanges(f), map[*emit.Value]bool{}, map[*emit.Value]bool{}}
	bound := map[*emit.Value]bool{} // by instructions, which want what they declare
	f.Body.Walk(func(op *emit.Op) {
		if op.Inst != nil {
			for _, v := range op.Results {
				bound[v] = true
			}
		}
		if op.Def.Name == "unpack" {
			for _, v := range op.Results {
				bound[v] = true
			}
		}
	})
	each(f.Body, func(v *emit.Value) {
		if v.Type != emit.Int64 || isConst(v) || bound[v] {
			return
		}
		n.exact[v] = n.of(v).inside(int32s)
		n.low[v] = v.Op == nil || len(v.Op.Blocks) > 0 || lowBits[v.Op.Def.Name]
	})
	var ops []*emit.Op // the last first: what is wanted of a result decides about operands
	f.Body.Walk(func(op *emit.Op) { ops = append(ops, op) })
	slices.Reverse(ops)
	for again := true; again; {
		again = false
		drop := func(m map[*emit.Value]bool, vs ...*emit.Value) {
			for _, v := range vs {
				if m[v] {
					m[v] = false
					again = true
				}
			}
		}
		for _, op := range ops {
			n.look(op, drop)
		}
	}
	return n
}

// look takes back what cannot be.
func (n *narrow) look(op *emit.Op, drop func(m map[*emit.Value]bool, vs ...*emit.Value)) {
	// together are values that lie in one register, or are copied to it. All of them are
	// low or none is; all are exact, or none of those in the register is.
	together := func(dst *emit.Value, others ...*emit.Value) {
		if !n.has(dst) {
			drop(n.low, others...)
		}
	}
	same := func(a, b *emit.Value) {
		if n.exact[a] != n.exact[b] {
			drop(n.exact, a, b)
		}
		if n.low[a] != n.low[b] {
			drop(n.low, a, b)
		}
	}
	switch name := op.Def.Name; name {
	case "for":
		body := op.Blocks[0]
		idx, lo, hi := body.Args[0], op.Args[0], op.Args[1]
		drop(n.low, idx, lo, hi, op.Args[2]) // the loop compares them
		if step, ok := intConst(op.Args[2]); n.exact[idx] && !(ok && n.fits(lo) && n.fits(hi) && n.of(hi).hi+step <= math.MaxInt32) {
			drop(n.exact, idx)
		}
		for i, r := range op.Results {
			same(r, body.Args[1+i])
			together(r, op.Args[3+i], yields(body)[i])
		}
	case "while":
		head, body := op.Blocks[0], op.Blocks[1]
		for i, a := range head.Args {
			together(a, op.Args[i], yields(body)[i])
		}
		for i, r := range op.Results {
			same(r, body.Args[i])
			together(r, yields(head)[1+i])
		}
	case "if":
		for i, r := range op.Results {
			together(r, yields(op.Blocks[0])[i], yields(op.Blocks[1])[i])
		}
	case "yield":
	case "trunc": // takes low bits
	case "addp", "load", "store", "loadm", "storem", "loadb", "prefetch":
		shared := false
		for _, v := range op.Args {
			shared = shared || v.Type.Ptr && v.Type.Space == emit.Shared
			if v.Type == emit.Int64 && !shared { // what is stored comes before the pointer
				drop(n.low, v)
			}
		}
	case "shl", "shr", "sar":
		if !(name == "shl" && n.has(op.Result())) {
			drop(n.low, op.Args[0])
		} // of the number of bits, which is below 64, low bits are all
	default:
		if r := op.Result(); r != nil && op.Inst == nil && lowBits[name] && n.has(r) {
			return
		}
		drop(n.low, op.Args...)
	}
}
