package emu

import "strings"

// operand reads one operand of an instruction.
func (p *parser) operand(depth int) argText {
	a := argText{position: p.tok.position}
	if depth > 3 {
		panic(p.errorf("the operand is nested too deeply"))
	}
	switch t := p.tok; {
	case p.is("{"):
		a.kind = argVector
		a.list = p.operands("}", depth)
	case p.is("("):
		a.kind = argList
		a.list = p.operands(")", depth)
	case p.is("["):
		p.address(&a, depth)
	case p.accept("!"):
		a.name, a.not = p.word("a predicate").text, true
		return a
	case p.accept("_"):
		a.kind = argSink
	case t.kind == tokWord:
		// Parts of registers and elements of lists have no offset.
		if p.name(&a); depth == 0 && !strings.Contains(a.name, ".") && p.accept("+") {
			a.plus = true
			a.offset = p.integer("an offset")
		}
	case t.kind == tokFloat:
		p.float(&a)
	case p.is("-") || t.kind == tokInt || p.is("~") || p.is("+"):
		a.negative = p.accept("-")
		switch {
		case a.negative && p.tok.kind == tokFloat:
			p.float(&a)
			return a
		case a.negative && p.tok.kind == tokWord && depth == 0:
			a.negative, a.minus = false, true
			p.name(&a)
			return a
		}
		a.kind, a.bits = argInt, uint64(p.integer("an operand"))
		if a.negative {
			a.bits = -a.bits
		}
	default:
		panic(p.errorf("%s where an operand belongs", t))
	}
	if p.accept("|") {
		b := p.operand(depth + 1)
		a.pair = &b
	}
	return a
}

// float takes a number, whose sign was read before.
func (p *parser) float(a *argText) {
	a.kind, a.bits, a.size = argFloat, p.tok.bits, p.tok.size
	p.advance()
}

// name reads a name with what belongs to it: %tid.x.
func (p *parser) name(a *argText) {
	a.name = p.tok.text
	p.advance()
	if p.tok.kind == tokDot && !p.tok.spaced {
		a.name += p.tok.text
		p.advance()
	}
}

// operands reads a list up to end.
func (p *parser) operands(end string, depth int) (list []argText) {
	p.advance()
	if p.accept(end) {
		return nil
	}
	for {
		list = append(list, p.operand(depth+1))
		if !p.accept(",") {
			p.expect(end, "a list")
			return list
		}
	}
}

// address reads [base+offset], [base, {…}] or [base, sampler, {…}].
func (p *parser) address(a *argText, depth int) {
	a.kind = argAddress
	p.advance()
	switch {
	case p.tok.kind != tokWord:
		a.offset = p.integer("an address")
	default:
		p.name(a)
		switch {
		case p.accept("+"):
			a.offset = p.integer("an offset")
		case p.accept("-"):
			a.offset = -p.integer("an offset")
		}
	}
	for p.accept(",") {
		a.list = append(a.list, p.operand(depth+1))
	}
	p.expect("]", "an address")
}
