package emu

import "math"

// function reads a kernel or a function: results, a name, parameters, directives,
// a body.
func (p *parser) function(extern bool) error {
	f := &funcText{entry: p.is(".entry"), scope: newScope(p.mod.globals)}
	p.at, p.calls = sourceLine{}, nil
	if err := p.advance(); err != nil {
		return err
	}
	if !f.entry && p.is("(") {
		var err error
		if f.results, err = p.params(f.scope); err != nil {
			return err
		}
	}
	t, err := p.word("a function")
	if err != nil {
		return err
	}
	f.name, f.line, f.col = t.text, t.line, t.col
	if p.is("(") {
		if f.params, err = p.params(f.scope); err != nil {
			return err
		}
	}
	for _, v := range f.params {
		f.paramSize = alignUp(f.paramSize, v.align)
		v.offset = f.paramSize
		f.paramSize += v.size
	}
	if f.paramSize > 4096+28672 {
		return errorAt(t, "the parameters of %s have %d bytes; at most 32764 are passed", clip(f.name), f.paramSize)
	}
	if err := p.tuning(f); err != nil {
		return err
	}
	old := p.mod.globals.funcs[f.name]
	if ok, err := p.accept(";"); err != nil {
		return err
	} else if ok || extern {
		f.declared = true
		if old == nil {
			p.mod.globals.funcs[f.name] = f
		}
		return nil
	}
	if old != nil && !old.declared {
		return errorAt(t, "%s is defined twice, first on line %d", clip(f.name), old.line)
	}
	if len(p.mod.funcs) >= maxFuncs {
		return errorAt(t, "a module of more than %d functions", maxFuncs)
	}
	p.mod.globals.funcs[f.name] = f
	p.mod.funcs = append(p.mod.funcs, f)
	if !p.is("{") {
		return p.errorf("%s where the body of %s begins with {", p.tok, clip(f.name))
	}
	return p.block(f, f.scope, 0)
}

func alignUp(x, a int64) int64 { return (x + a - 1) / a * a }

// params reads ( .param .u64 a, … ).
func (p *parser) params(sc *scope) ([]*variable, error) {
	var list []*variable
	for first := true; ; first = false {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if first && p.is(")") {
			return nil, p.advance()
		}
		v := variable{owner: sc, align: -1, formal: true}
		if !p.is(".param") && !p.is(".reg") {
			return nil, p.errorf("%s where a parameter begins with .param", p.tok)
		}
		v.space = spaces[p.tok.text]
		if err := p.advance(); err != nil {
			return nil, err
		}
		// .ptr .align n is what the pointer points to, not where the parameter lies.
		vec, err := p.paramAttributes(&v)
		if err != nil {
			return nil, err
		}
		if err := p.declarator(&v, vec); err != nil {
			return nil, err
		}
		if v.count > 0 {
			return nil, &syntaxError{v.line, v.col, clip(v.name) + "<…> is many registers, a parameter is one"}
		}
		if err := sc.declare(&v); err != nil {
			return nil, err
		}
		if vec > 1 && v.space == spaceReg {
			if err := sc.split(&v, vec); err != nil {
				return nil, err
			}
		}
		list = append(list, sc.vars[v.name])
		if !p.is(",") {
			return list, p.expect(")", "the list of parameters")
		}
	}
}

func (p *parser) paramAttributes(v *variable) (int64, error) {
	own := int64(-1)
	pointer := false
	vec, err := p.attributesWith(v, ".param", func(name string) {
		if name == ".ptr" {
			pointer, own = true, v.align
		}
	})
	if pointer {
		v.align = own
	}
	return vec, err
}

// tuning reads the directives between parameters and body.
func (p *parser) tuning(f *funcText) error {
	for p.tok.kind == tokDot {
		name := p.tok.text
		switch name {
		case ".maxntid", ".reqntid", ".reqnctapercluster":
			at := p.tok
			if err := p.advance(); err != nil {
				return err
			}
			dims := [3]int{1, 1, 1}
			for i := 0; ; i++ {
				n, err := p.integer(name)
				if err != nil {
					return err
				}
				if i > 2 || n < 1 || n > math.MaxInt32 {
					return errorAt(at, "%s wants one to three numbers above 0", name)
				}
				dims[i] = int(n)
				if more, err := p.accept(","); err != nil {
					return err
				} else if !more {
					break
				}
			}
			if name == ".reqnctapercluster" {
				f.cluster = dims
			} else {
				f.maxntid, f.reqntid = dims, name == ".reqntid"
			}
		case ".minnctapersm", ".maxnctapersm", ".maxnreg", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control":
			if err := p.advance(); err != nil {
				return err
			}
			if _, err := p.integer(name); err != nil {
				return err
			}
		case ".noreturn", ".explicitcluster", ".blocksareclusters":
			if err := p.advance(); err != nil {
				return err
			}
		case ".pragma":
			if err := p.ignored(); err != nil {
				return err
			}
		default:
			return p.errorf("%s is no directive of a function that is known here", p.tok)
		}
	}
	return nil
}

// block reads { … }.
func (p *parser) block(f *funcText, sc *scope, depth int) error {
	if depth > maxDepth {
		return p.errorf("more than %d nested blocks", maxDepth)
	}
	if err := p.advance(); err != nil {
		return err
	}
	for !p.is("}") {
		if err := p.statement(f, sc, depth); err != nil {
			return err
		}
	}
	return p.advance()
}

func (p *parser) statement(f *funcText, sc *scope, depth int) error {
	switch t := p.tok; {
	case t.kind == tokEOF:
		return p.errorf("the body of %s does not end: } is missing", clip(f.name))
	case p.is("{"):
		return p.block(f, newScope(sc), depth+1)
	case p.is(".reg"), p.is(".local"), p.is(".shared"), p.is(".param"), p.is(".global"), p.is(".const"):
		return p.variables(sc, false)
	case p.is(".extern"):
		if err := p.advance(); err != nil {
			return err
		}
		return p.variables(sc, true)
	case t.kind == tokDot:
		return p.ignored()
	case p.is(";"):
		return p.advance()
	case p.is("@"):
		return p.instruction(f, sc)
	case t.kind == tokWord:
		// A name and a colon is a label.
		save := *p.lex
		next, err := p.lex.next()
		if err != nil {
			return err
		}
		if next.text == ":" && next.kind == tokPunct {
			return p.label(f, sc)
		}
		*p.lex = save
		return p.instruction(f, sc)
	}
	return p.errorf("%s where an instruction, a label or a declaration begins", p.tok)
}

// instruction reads @p op.mods a, b, c;
func (p *parser) instruction(f *funcText, sc *scope) error {
	p.seq++
	in := instrText{scope: sc, seq: p.seq, source: p.at}
	if ok, err := p.accept("@"); err != nil {
		return err
	} else if ok {
		if in.guardNot, err = p.accept("!"); err != nil {
			return err
		}
		t, err := p.word("a predicate")
		if err != nil {
			return err
		}
		in.guard = t.text
	}
	op, err := p.word("an instruction")
	if err != nil {
		return err
	}
	if !known(op.text) {
		return errorAt(op, "%s is no instruction of PTX that is known here", clip(op.text))
	}
	in.op, in.line, in.col = op.text, op.line, op.col
	for p.tok.kind == tokDot && !p.tok.spaced {
		in.mods = append(in.mods, p.tok.text)
		if err := p.advance(); err != nil {
			return err
		}
	}
	for !p.is(";") {
		a, err := p.operand(0)
		if err != nil {
			return err
		}
		if a.minus && in.op != "vmad" {
			return &syntaxError{a.line, a.col, in.op + ": - stands before a number only"}
		}
		in.args = append(in.args, a)
		if more, err := p.accept(","); err != nil {
			return err
		} else if !more && !p.is(";") {
			return p.errorf("%s where %s wants , or ;", p.tok, in.op)
		}
	}
	f.body = append(f.body, in)
	return p.advance()
}
