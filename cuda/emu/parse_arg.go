package emu

import "strings"

// operand reads one operand of an instruction.
func (p *parser) operand(depth int) (argText, error) {
	a := argText{line: p.tok.line, col: p.tok.col}
	if depth > 3 {
		return a, p.errorf("the operand is nested too deeply")
	}
	var err error
	switch t := p.tok; {
	case p.is("{"):
		a.kind = argVector
		a.list, err = p.operands("}", depth)
	case p.is("("):
		a.kind = argList
		a.list, err = p.operands(")", depth)
	case p.is("["):
		err = p.address(&a, depth)
	case p.is("!"):
		if err := p.advance(); err != nil {
			return a, err
		}
		w, err := p.word("a predicate")
		a.name, a.not = w.text, true
		return a, err
	case t.kind == tokWord && t.text == "_":
		a.kind = argSink
		err = p.advance()
	case t.kind == tokWord:
		// Parts of registers and elements of lists have no offset.
		if err = p.name(&a); err == nil && p.is("+") && depth == 0 && !strings.Contains(a.name, ".") {
			if err = p.advance(); err == nil {
				a.plus = true
				a.offset, err = p.integer("an offset")
			}
		}
	case t.kind == tokFloat:
		a.kind, a.bits, a.size = argFloat, t.bits, t.size
		err = p.advance()
	case p.is("-") || t.kind == tokInt || p.is("~") || p.is("+"):
		if a.negative = p.is("-"); a.negative {
			if err := p.advance(); err != nil {
				return a, err
			}
			if p.tok.kind == tokFloat {
				a.kind, a.bits, a.size = argFloat, p.tok.bits, p.tok.size
				return a, p.advance()
			}
			if p.tok.kind == tokWord && depth == 0 {
				a.kind, a.negative, a.minus = argName, false, true
				return a, p.name(&a)
			}
		}
		a.kind = argInt
		var v int64
		v, err = p.integer("an operand")
		if a.negative {
			v = -v
		}
		a.bits = uint64(v)
	default:
		err = p.errorf("%s where an operand belongs", t)
	}
	if err != nil {
		return a, err
	}
	if ok, err := p.accept("|"); err != nil || !ok {
		return a, err
	}
	b, err := p.operand(depth + 1)
	a.pair = &b
	return a, err
}

// name reads a name with what belongs to it: %tid.x.
func (p *parser) name(a *argText) error {
	a.name = p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind == tokDot && !p.tok.spaced {
		a.name += p.tok.text
		return p.advance()
	}
	return nil
}

// operands reads a list up to end.
func (p *parser) operands(end string, depth int) ([]argText, error) {
	var list []argText
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if len(list) == 0 && p.is(end) {
			return nil, p.advance()
		}
		a, err := p.operand(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
		if !p.is(",") {
			return list, p.expect(end, "a list")
		}
	}
}

// address reads [base+offset], [base, {…}] or [base, sampler, {…}].
func (p *parser) address(a *argText, depth int) error {
	a.kind = argAddress
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind == tokWord {
		if err := p.name(a); err != nil {
			return err
		}
		if p.is("+") || p.is("-") {
			minus := p.is("-")
			if err := p.advance(); err != nil {
				return err
			}
			off, err := p.integer("an offset")
			if err != nil {
				return err
			}
			if minus {
				off = -off
			}
			a.offset = off
		}
	} else {
		off, err := p.integer("an address")
		if err != nil {
			return err
		}
		a.offset = off
	}
	for p.is(",") {
		if err := p.advance(); err != nil {
			return err
		}
		b, err := p.operand(depth + 1)
		if err != nil {
			return err
		}
		a.list = append(a.list, b)
	}
	return p.expect("]", "an address")
}
