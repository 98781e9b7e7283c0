package emit

// Fold computes lanewise operations on constants. It removes integer operations that
// change nothing (x+0, x*1, x<<0 and the like), and replaces an if on a constant by the
// side that is taken. It leaves results that are NaN to the machine, which chooses
// their payload. It also leaves operations without a meaning, such as a division by
// zero. It never fails.
func Fold(f *Func) error {
	p := &folder{tied: tiedValues(f.Body), same: map[*Value]*Value{}}
	p.block(f.Body)
	return nil
}

type folder struct {
	// tied values are not merged with others: either one may have to be dead where
	// the other is still used.
	tied map[*Value]bool
	same map[*Value]*Value // what takes the place of a value
}

// block rewrites b in program order, so that operands have been replaced before
// an operation is looked at.
func (p *folder) block(b *Block) {
	var out []*Op
	for _, op := range b.Ops {
		for i, v := range op.Args {
			if w := p.same[v]; w != nil {
				op.Args[i] = w
			}
		}
		if side := p.taken(op); side != nil {
			p.block(side)
			ys := side.yield()
			for i, r := range op.Results {
				p.same[r] = ys[i]
			}
			out = append(out, side.Ops[:len(side.Ops)-1]...)
			continue
		}
		for _, in := range op.Blocks {
			p.block(in)
		}
		if v := identity(op); v != nil && p.mayReplace(op.Results[0], v) {
			p.same[op.Results[0]] = v
			continue
		}
		compute(op)
		out = append(out, op)
	}
	b.Ops = out
}

func (p *folder) mayReplace(old, by *Value) bool {
	return old.Type == by.Type && !p.tied[old] && !p.tied[by]
}

// taken returns the block of an if on a constant that is executed, or nil if op is
// something else or cannot be replaced.
func (p *folder) taken(op *Op) *Block {
	if op.Def.Name != "if" || op.Args[0].constant() == nil {
		return nil
	}
	side := op.Blocks[0]
	if op.Args[0].Op.lane() == 0 {
		side = op.Blocks[1]
	}
	for i, y := range side.yield() {
		if !p.mayReplace(op.Results[i], y) {
			return nil
		}
	}
	return side
}

// identity returns the operand that op gives back unchanged, or nil.
func identity(op *Op) *Value {
	if len(op.Results) != 1 || len(op.Args) == 0 {
		return nil
	}
	x := op.Args[0]
	if op.Def.Name == "select" {
		switch c := x.constant(); {
		case c == nil:
			return nil
		case c.lane() != 0:
			return op.Args[1]
		}
		return op.Args[2]
	}
	if len(op.Args) != 2 || !x.Type.Elem.Int() && !x.Type.Ptr {
		return nil
	}
	is := func(v *Value, n uint64) bool { c := v.constant(); return c != nil && c.lane() == n }
	y := op.Args[1]
	switch op.Def.Name {
	case "add", "or", "xor":
		if is(x, 0) {
			return y
		}
		fallthrough
	case "sub", "shl", "shr", "sar", "addp":
		if is(y, 0) {
			return x
		}
	case "mul":
		if is(x, 1) {
			return y
		}
		fallthrough
	case "udiv":
		if is(y, 1) {
			return x
		}
	}
	return nil
}

// compute turns op into a constant if its operands are constants. The value stays
// the same one, so tied uses of it stay right.
func compute(op *Op) {
	lane := op.meaning()
	if op.Def.Name == "splat" {
		lane = func(x []uint64) uint64 { return x[0] }
	}
	if lane == nil || op.Inst != nil {
		return
	}
	x := make([]uint64, len(op.Args))
	for i, v := range op.Args {
		c := v.constant()
		if c == nil {
			return
		}
		x[i] = c.lane()
	}
	from, to := op.Args[0].Type.Elem, op.Results[0].Type.Elem
	switch op.Def.Name {
	case "udiv", "urem":
		if x[1] == 0 {
			return
		}
	case "shl", "shr", "sar":
		if x[1] >= uint64(from.Bits()) {
			return
		}
	case "table":
		if x[0] >= uint64(len(op.Attr.Table)) {
			return
		}
	}
	var at Attr
	switch bits := lane(x); {
	case to.Float():
		if at.F = to.Decode(bits); at.F != at.F {
			return
		}
	case to == I1:
		at.Imm = int64(bits & 1)
	default:
		at.Imm = signed(to, truncate(to, bits))
	}
	op.Def, op.Args, op.Attr = ops["const"], nil, at
}

// lane returns the bits that a constant has in every lane.
func (op *Op) lane() uint64 {
	e := op.Results[0].Type.Elem
	if e.Float() {
		return e.Encode(op.Attr.F)
	}
	return truncate(e, uint64(op.Attr.Imm))
}
