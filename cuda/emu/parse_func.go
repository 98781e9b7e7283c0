package emu

import "math"

// function reads a kernel or a function: results, a name, parameters, directives,
// a body.
func (p *parser) function(extern bool) {
	f := &funcText{entry: p.is(".entry"), scope: newScope(p.mod.globals)}
	p.at, p.calls = sourceLine{}, nil
	p.advance()
	if !f.entry && p.is("(") {
		f.results = p.params(f.scope)
	}
	t := p.word("a function")
	f.name, f.position = t.text, t.position
	if p.is("(") {
		f.params = p.params(f.scope)
	}
	for _, v := range f.params {
		f.paramSize = alignUp(f.paramSize, v.align)
		v.offset = f.paramSize
		f.paramSize += v.size
	}
	if f.paramSize > 4096+28672 {
		panic(t.errorf("the parameters of %s have %d bytes; at most 32764 are passed", clip(f.name), f.paramSize))
	}
	p.tuning(f)
	old := p.mod.globals.funcs[f.name]
	if p.accept(";") || extern {
		f.declared = true
		if old == nil {
			p.mod.globals.funcs[f.name] = f
		}
		return
	}
	if old != nil && !old.declared {
		panic(t.errorf("%s is defined twice, first on line %d", clip(f.name), old.line))
	}
	if len(p.mod.funcs) >= maxFuncs {
		panic(t.errorf("a module of more than %d functions", maxFuncs))
	}
	p.mod.globals.funcs[f.name] = f
	p.mod.funcs = append(p.mod.funcs, f)
	if !p.is("{") {
		panic(p.errorf("%s where the body of %s begins with {", p.tok, clip(f.name)))
	}
	p.block(f, f.scope, 0)
}

func alignUp(x, a int64) int64 { return (x + a - 1) / a * a }

// params reads ( .param .u64 a, … ).
func (p *parser) params(sc *scope) (list []*variable) {
	p.advance()
	if p.accept(")") {
		return nil
	}
	for {
		v := variable{owner: sc, align: -1, formal: true}
		if !p.is(".param") && !p.is(".reg") {
			panic(p.errorf("%s where a parameter begins with .param", p.tok))
		}
		v.space = spaces[p.tok.text]
		p.advance()
		vec := p.attributes(&v, ".param")
		p.declarator(&v, vec)
		if v.count > 0 {
			panic(v.errorf("%s<…> is many registers, a parameter is one", clip(v.name)))
		}
		sc.declare(&v, vec)
		list = append(list, sc.vars[v.name])
		if !p.accept(",") {
			p.expect(")", "the list of parameters")
			return list
		}
	}
}

// tuning reads the directives between parameters and body.
func (p *parser) tuning(f *funcText) {
	for p.tok.kind == tokDot {
		name := p.tok.text
		switch name {
		case ".maxntid", ".reqntid", ".reqnctapercluster":
			at := p.tok
			p.advance()
			dims := [3]int{1, 1, 1}
			for i := 0; i == 0 || p.accept(","); i++ {
				n := p.integer(name)
				if i > 2 || n < 1 || n > math.MaxInt32 {
					panic(at.errorf("%s wants one to three numbers above 0", name))
				}
				dims[i] = int(n)
			}
			if name == ".reqnctapercluster" {
				f.cluster = dims
			} else {
				f.maxntid, f.reqntid = dims, name == ".reqntid"
			}
		case ".minnctapersm", ".maxnctapersm", ".maxnreg", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control":
			p.advance()
			p.integer(name)
		case ".noreturn", ".explicitcluster", ".blocksareclusters":
			p.advance()
		case ".pragma":
			p.ignored()
		default:
			panic(p.errorf("%s is no directive of a function that is known here", p.tok))
		}
	}
}

// block reads { … }.
func (p *parser) block(f *funcText, sc *scope, depth int) {
	if depth > maxDepth {
		panic(p.errorf("more than %d nested blocks", maxDepth))
	}
	p.advance()
	for !p.is("}") {
		p.statement(f, sc, depth)
	}
	p.advance()
}

func (p *parser) statement(f *funcText, sc *scope, depth int) {
	switch t := p.tok; {
	case t.kind == tokEOF:
		panic(p.errorf("the body of %s does not end: } is missing", clip(f.name)))
	case p.is("{"):
		p.block(f, newScope(sc), depth+1)
	case p.is(".reg"), p.is(".local"), p.is(".shared"), p.is(".param"), p.is(".global"), p.is(".const"):
		p.variables(sc, false)
	case p.accept(".extern"):
		p.variables(sc, true)
	case t.kind == tokDot:
		p.ignored()
	case p.accept(";"):
	case p.is("@"):
		p.instruction(f, sc)
	case t.kind == tokWord:
		// A name and a colon is a label.
		save := *p.lex
		if next := p.lex.next(); next.text == ":" && next.kind == tokPunct {
			p.label(f, sc)
			return
		}
		*p.lex = save
		p.instruction(f, sc)
	default:
		panic(p.errorf("%s where an instruction, a label or a declaration begins", p.tok))
	}
}

// instruction reads @p op.mods a, b, c;
func (p *parser) instruction(f *funcText, sc *scope) {
	p.seq++
	in := instrText{scope: sc, seq: p.seq, source: p.at}
	if p.accept("@") {
		in.guardNot = p.accept("!")
		in.guard = p.word("a predicate").text
	}
	op := p.word("an instruction")
	if !known(op.text) {
		panic(op.errorf("%s is no instruction of PTX that is known here", clip(op.text)))
	}
	in.op, in.position = op.text, op.position
	for p.tok.kind == tokDot && !p.tok.spaced {
		in.mods = append(in.mods, p.tok.text)
		p.advance()
	}
	for !p.is(";") {
		a := p.operand(0)
		if a.minus && in.op != "vmad" {
			panic(a.errorf("%s: - stands before a number only", in.op))
		}
		in.args = append(in.args, a)
		if !p.accept(",") && !p.is(";") {
			panic(p.errorf("%s where %s wants , or ;", p.tok, in.op))
		}
	}
	f.body = append(f.body, in)
	p.advance()
}
