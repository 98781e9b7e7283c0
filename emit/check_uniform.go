package emit

// Uniformity: over which threads is a value the same? The rules, from the
// operands of an operation to its results:
//
//   - const and param are the same for a CTA; a special register says itself;
//   - a pure operation gives what all its operands share, and so does a load from
//     Generic or Global memory. Threads that load one address between two barriers load
//     one value, or race;
//   - a load from Shared memory gives nothing: that is where threads exchange what
//     they do not share, often one at a time;
//   - an instruction says it of its results, whatever its operands;
//   - a value that a loop carries is no more uniform than what enters the loop, what an
//     iteration yields and what decides whether there is another one;
//   - a value that an if yields is no more uniform than its condition.
//
// Inside a region, a level means the threads of it that execute the region.

// Uniformity returns for every value of f the largest set of threads over which
// it is known to be the same. f must have passed [Func.Check].
func (f *Func) Uniformity() map[*Value]Level {
	u := uniformityOf(f)
	levels := map[*Value]Level{}
	f.Body.values(func(v *Value) {
		if l, ok := u.levels.get(v); ok {
			levels[v] = l
		}
	})
	return levels
}

func uniformityOf(f *Func) *uniformity {
	u := &uniformity{changed: true}
	// Loops make the rules circular: start with the best and lower until nothing
	// changes, which gives the greatest solution.
	for u.changed {
		u.changed = false
		u.block(f.Body)
	}
	return u
}

type uniformity struct {
	levels  table[Level]
	changed bool
}

// shared returns the level that all of vs have so far.
func (u *uniformity) shared(vs ...*Value) Level {
	l := CTA
	for _, v := range vs {
		if have, ok := u.levels.get(v); ok {
			l = min(l, have)
		}
	}
	return l
}

func (u *uniformity) lower(v *Value, l Level) {
	have, ok := u.levels.get(v)
	if !ok || l < have {
		u.levels.put(v, l)
		u.changed = true
	}
}

func (u *uniformity) block(b *Block) {
	for _, op := range b.Ops {
		switch op.Def.Name {
		case "for":
			u.loop(op)
		case "while":
			u.while(op)
		case "if":
			then, otherwise := op.Blocks[0], op.Blocks[1]
			u.block(then)
			u.block(otherwise)
			for i, r := range op.Results {
				u.lower(r, u.shared(op.Args[0], then.yield()[i], otherwise.yield()[i]))
			}
		default:
			for _, r := range op.Results {
				u.lower(r, u.result(op))
			}
		}
	}
}

func (u *uniformity) result(op *Op) Level {
	l := u.shared(op.Args...)
	switch {
	case op.Inst != nil:
		return op.Inst.Uniform
	case op.Def.Name == "sreg":
		return op.Attr.Level
	}
	if p, _ := op.Address(); p != nil && p.Type.Space == Shared {
		return Thread
	}
	return l
}

func (u *uniformity) loop(op *Op) {
	body := op.Blocks[0]
	bounds := u.shared(op.Args[:3]...)
	u.lower(body.Args[0], bounds)
	for i, r := range op.Results {
		l := min(bounds, u.shared(op.Args[3+i], body.yield()[i]))
		u.lower(body.Args[1+i], l)
		u.lower(r, l)
	}
	u.block(body)
}

func (u *uniformity) while(op *Op) {
	head, body := op.Blocks[0], op.Blocks[1]
	again := head.yield()[0]
	for i, v := range head.Args {
		u.lower(v, u.shared(again, op.Args[i], body.yield()[i]))
	}
	u.block(head)
	for i, v := range body.Args {
		l := u.shared(again, head.yield()[1+i])
		u.lower(v, l)
		u.lower(op.Results[i], l)
	}
	u.block(body)
}

// checkUniform checks that every instruction stands where its threads come
// together.
func checkUniform(f *Func) error {
	c := &uniformChecker{f: f}
	return c.block(f.Body)
}

type uniformChecker struct {
	f      *Func
	levels *uniformity // nil until an instruction needs it
	around []*Value    // what decides whether the current block is executed, outermost first
}

func (c *uniformChecker) block(b *Block) error {
	for _, op := range b.Ops {
		if op.Inst != nil && op.Inst.Sync > Thread && len(c.around) > 0 {
			if err := c.together(op); err != nil {
				return err
			}
		}
		n := len(c.around)
		switch op.Def.Name {
		case "for":
			c.around = append(c.around, op.Args[:3]...)
		case "while":
			c.around = append(c.around, op.Blocks[0].yield()[0])
		case "if":
			c.around = append(c.around, op.Args[0])
		}
		for _, in := range op.Blocks {
			if err := c.block(in); err != nil {
				return err
			}
		}
		c.around = c.around[:n]
	}
	return nil
}

func (c *uniformChecker) together(op *Op) error {
	if c.levels == nil {
		c.levels = uniformityOf(c.f)
	}
	for _, v := range c.around {
		if l, _ := c.levels.levels.get(v); l < op.Inst.Sync {
			return c.f.Refuse(op, "must be executed by a whole %v together, but the condition %%%d%s may differ between %vs", op.Inst.Sync, v.ID, at(v.Op), l)
		}
	}
	return nil
}
