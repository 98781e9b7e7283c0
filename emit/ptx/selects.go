package ptx

import "github.com/tilesmith/tilesmith/emit"

// selectIfs replaces an if whose sides compute little and touch no memory by both
// computations and selects of their results. The result takes the place of the if. It
// never fails.
func selectIfs(f *emit.Func) error {
	selectBlock(f.Body)
	return nil
}

func selectBlock(b *emit.Block) {
	var out []*emit.Op
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			selectBlock(in)
		}
		if !speculative(op) {
			out = append(append(out, ahead(op)...), op)
			continue
		}
		then, otherwise := op.Blocks[0], op.Blocks[1]
		out = append(out, then.Ops[:len(then.Ops)-1]...)
		out = append(out, otherwise.Ops[:len(otherwise.Ops)-1]...)
		for i, r := range op.Results {
			x, y := yields(then)[i], yields(otherwise)[i]
			s := *op
			s.Def, s.Blocks, s.Attr = emit.Lookup("select"), nil, emit.Attr{}
			s.Args, s.Results = []*emit.Value{op.Args[0], x, y}, []*emit.Value{r}
			r.Op = &s
			out = append(out, &s)
		}
	}
	b.Ops = out
}

// maxSpeculative is how many operations both sides of an if may have that are
// computed whether needed or not.
const maxSpeculative = 6

// speculative reports whether op is an if that can be replaced.
func speculative(op *emit.Op) bool {
	if op.Def.Name != "if" || len(op.Results) == 0 {
		return false
	}
	n := 0
	for _, b := range op.Blocks {
		for _, in := range b.Ops[:len(b.Ops)-1] {
			if !harmless(in) {
				return false
			}
			if in.Def.Name != "const" {
				n++
			}
		}
	}
	for _, r := range op.Results {
		if r.Type.Lanes != 1 || r.Type.Regs > 0 || r.Type.Async {
			return false
		}
	}
	return n <= maxSpeculative
}

// harmless reports whether op may be executed where its result is not wanted: it has
// no effect, promises nothing and is not long.
func harmless(op *emit.Op) bool {
	switch op.Def.Name {
	case "udiv", "urem", "shl", "shr", "sar": // promise something of an operand
		_, known := intConst(op.Args[1])
		return known && op.Def.Name[0] == 's'
	case "addp": // promises an alignment
		p, n := op.Args[0].Type, op.Args[1]
		return int64(op.Result().Type.Align) <= min(int64(max(p.Align, 1)), multipleOf(n, 4))
	case "maskn", "div", "sqrt", "apply", "yield":
		return false
	}
	return op.Pure() && op.Inst == nil
}

// ahead takes out of an if whose sides will be predicated what is harmless and needs
// nothing else of its side: addresses, mostly. It then has no predicate to wait for.
func ahead(op *emit.Op) (out []*emit.Op) {
	if op.Def.Name != "if" || !predicable(op) {
		return nil
	}
	for _, b := range op.Blocks {
		mine := map[*emit.Value]bool{}
		var kept []*emit.Op
		for _, in := range b.Ops {
			free := harmless(in)
			for _, v := range in.Args {
				free = free && !mine[v]
			}
			if free {
				out = append(out, in)
				continue
			}
			for _, v := range in.Results {
				mine[v] = true
			}
			kept = append(kept, in)
		}
		b.Ops = kept
	}
	return out
}
