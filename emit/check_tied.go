package emit

// The rule for tied operands. An instruction that gives its result the registers of an
// operand destroys the operand, so no operation that may execute later can read it.
// "Later" means after it in its block, in blocks nested there, and after the operations
// around it. If a loop is repeated, it means anything in the loop. The two sides of an
// if exclude each other.

// tieds returns the operands of op whose registers a result reuses.
func (op *Op) tieds() []*Value {
	if op.Inst == nil {
		return nil
	}
	var vs []*Value
	for _, j := range op.Inst.Tied {
		if j >= 0 {
			vs = append(vs, op.Args[j])
		}
	}
	return vs
}

// tiedValues returns all values under b whose registers an instruction reuses.
func tiedValues(b *Block) map[*Value]bool {
	tied := map[*Value]bool{}
	b.Walk(func(op *Op) {
		for _, v := range op.tieds() {
			tied[v] = true
		}
	})
	return tied
}

type tiedChecker struct {
	f    *Func
	home table[*Op]     // the innermost loop around a definition, nil if there is none
	dead map[*Value]*Op // what overwrote a value
	log  []death        // everything that was put into dead, in order
}

type death struct {
	v  *Value
	by *Op
}

// checkTied checks a function whose blocks and types are known to be right.
func checkTied(f *Func) error {
	c := &tiedChecker{f: f, dead: map[*Value]*Op{}}
	return c.block(f.Body, nil)
}

// block checks b, whose innermost loop is loop.
func (c *tiedChecker) block(b *Block, loop *Op) error {
	for _, v := range b.Args {
		c.home.put(v, loop)
	}
	for _, op := range b.Ops {
		for _, v := range op.Args {
			if len(c.dead) == 0 {
				break // as in most functions
			}
			if by := c.dead[v]; by != nil {
				return c.f.Refuse(op, "%%%d was overwritten by its tied use in %v%s; use that one's result, or copy %%%d before", v.ID, by, at(by), v.ID)
			}
		}
		for _, v := range op.tieds() {
			if c.dead[v] == op {
				return c.f.Refuse(op, "%%%d is tied to two results", v.ID)
			}
			if home, _ := c.home.get(v); home != loop {
				return c.f.Refuse(op, "%%%d is defined outside the loop %v%s, whose next iteration would read what this one overwrites; carry it through the loop", v.ID, loop, at(loop))
			}
			c.kill(v, op)
		}
		for _, v := range op.Results {
			c.home.put(v, loop)
		}
		if err := c.blocks(op, loop); err != nil {
			return err
		}
	}
	return nil
}

func (c *tiedChecker) blocks(op *Op, loop *Op) error {
	if op.Def.Name != "if" {
		for _, b := range op.Blocks {
			if err := c.block(b, op); err != nil {
				return err
			}
		}
		return nil
	}
	start := len(c.log)
	for _, b := range op.Blocks {
		mark := len(c.log)
		if err := c.block(b, loop); err != nil {
			return err
		}
		for _, d := range c.log[mark:] { // the other side did not see it
			delete(c.dead, d.v)
		}
	}
	for _, d := range c.log[start:] {
		c.dead[d.v] = d.by
	}
	return nil
}

func (c *tiedChecker) kill(v *Value, by *Op) {
	c.dead[v] = by
	c.log = append(c.log, death{v, by})
}

// at returns the place of op for a sentence, " (at gemm.go:40)", or "".
func at(op *Op) string {
	if op == nil || op.Where() == "" {
		return ""
	}
	return " (at " + op.Where() + ")"
}
