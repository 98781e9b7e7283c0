package emu

import (
	"encoding/binary"
	"math"
)

// maxVariable bounds one variable, in bytes.
const maxVariable = 1 << 32

// variables reads a declaration up to its semicolon: a space, attributes, a type,
// and names (ISA 5.4).
func (p *parser) variables(sc *scope, extern bool) {
	v := variable{space: spaces[p.tok.text], extern: extern, owner: sc, align: -1}
	where := p.tok.text
	p.advance()
	vec := p.attributes(&v, where)
	for {
		w := v
		p.declarator(&w, vec)
		p.seq++
		w.seq = p.seq
		sc.declare(&w, vec)
		if !p.accept(",") {
			p.expect(";", where)
			return
		}
	}
}

// attributes reads what stands between a space and a name. It returns how many
// elements the type has: 1, 2 or 4.
func (p *parser) attributes(v *variable, where string) (vec int64) {
	own := &v.align
	vec = 1
	for p.tok.kind == tokDot {
		switch name := p.tok.text; name {
		case ".align":
			p.advance()
			t := p.tok
			if *own = p.integer(".align"); *own <= 0 || *own > 1<<20 || *own&(*own-1) != 0 {
				panic(t.errorf(".align %d is no power of two", *own))
			}
			continue
		case ".v2", ".v4", ".v8":
			vec = int64(name[2] - '0')
		case ".ptr":
			own = new(int64) // what follows is of what the parameter points to, not of where it lies
		case ".global", ".shared", ".const", ".local":
			// The memory that a parameter points to.
		case ".attribute":
			p.advance()
			p.skip(")", ".attribute")
			continue
		default:
			t, ok := types[name[1:]]
			if !ok {
				panic(p.errorf("%s is no type; %s wants one such as .b32", p.tok, where))
			}
			v.typ = t
		}
		p.advance()
	}
	if v.typ.name == "" {
		panic(p.errorf("%s where %s wants a type such as .b32", p.tok, where))
	}
	if v.typ.class == classPred && v.space != spaceReg {
		panic(p.errorf("a .pred lives in .reg only, not in %s", where))
	}
	return vec
}

// declarator reads a name, its dimensions and its initialiser.
func (p *parser) declarator(v *variable, vec int64) {
	t := p.word("a variable")
	v.name, v.position = t.text, t.position
	unit := int64(v.typ.size) * vec
	v.size = unit
	if v.align < 0 {
		v.align = max(unit, 1)
	}
	if p.accept("<") {
		if v.space != spaceReg {
			panic(t.errorf("%s<…> declares many at once, which is for .reg only", clip(t.text)))
		}
		v.count = p.integer("<…>")
		if v.count < 1 || v.count > math.MaxInt32 {
			panic(t.errorf("%s<%d>: the count is to be between 1 and 2^31-1", clip(t.text), v.count))
		}
		p.expect(">", "the count of registers")
		return
	}
	dims, elems, open := 0, int64(1), false
	for p.accept("[") {
		dims++
		if p.is("]") && dims == 1 {
			open = true
		} else {
			at := p.tok
			n := p.integer("a dimension")
			if n < 0 || n > maxVariable || n > 0 && elems > maxVariable/n {
				panic(at.errorf("the dimension %d of %s is out of range", n, clip(v.name)))
			}
			elems *= n
		}
		p.expect("]", "a dimension")
	}
	if unit > 0 && elems > maxVariable/unit {
		panic(t.errorf("%s has %d elements of %d bytes, which is more than %d bytes", clip(v.name), elems, unit, int64(maxVariable)))
	}
	if v.size = unit * elems; open {
		v.size = 0
	}
	if !p.accept("=") {
		if open && !v.extern && v.space != spaceParam {
			panic(t.errorf("%s[] has no size: write one, or .extern", clip(v.name)))
		}
		return
	}
	if v.typ.class == classOpaque {
		for p.tok.kind != tokEOF && !p.is(";") { // how a sampler reads
			p.advance()
		}
		return
	}
	if v.space != spaceGlobal && v.space != spaceConst {
		panic(t.errorf("%s: only .global and .const variables are initialised", clip(v.name)))
	}
	p.initializer(v, 0)
	if open {
		v.size = int64(len(v.init))
	}
	if int64(len(v.init)) > v.size {
		panic(t.errorf("the initialiser of %s has %d bytes, the variable has %d", clip(v.name), len(v.init), v.size))
	}
}

// initializer reads { 1, 2 } or a number and appends its bytes to v.init.
func (p *parser) initializer(v *variable, depth int) {
	if v.init == nil {
		v.init = []byte{}
	}
	if !p.is("{") {
		p.element(v)
		return
	}
	if depth > maxDepth {
		panic(p.errorf("the initialiser is nested too deeply"))
	}
	p.advance()
	for !p.accept("}") {
		p.initializer(v, depth+1)
		if !p.accept(",") {
			p.expect("}", "an initialiser")
			return
		}
	}
}

func (p *parser) element(v *variable) {
	sign := p.accept("-")
	var bits uint64
	if p.tok.kind == tokWord && !sign {
		p.link(v)
		return
	}
	if p.tok.kind == tokFloat {
		a := argText{kind: argFloat, bits: p.tok.bits, size: p.tok.size, position: p.tok.position, negative: sign}
		bits = a.floatBits(v.typ)
		p.advance()
	} else {
		x := p.integer("an initialiser")
		if sign {
			x = -x
		}
		if bits = uint64(x); v.typ.is("f32") {
			bits = uint64(math.Float32bits(float32(x)))
		} else if v.typ.is("f64") {
			bits = math.Float64bits(float64(x))
		}
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	v.init = append(v.init, b[:min(v.typ.size, 8)]...)
}

// link reads the name of a variable or generic(name), whose address is put there when the
// variable has one.
func (p *parser) link(v *variable) {
	t := p.tok
	if v.typ.size != 8 || v.typ.float() {
		panic(p.errorf("%s where an initialiser of %v wants a number: an address has 8 bytes", t, v.typ))
	}
	p.advance()
	l := link{at: len(v.init), name: t.text, position: t.position}
	if t.text == "generic" && p.accept("(") {
		l.name = p.word("a variable").text
		p.expect(")", "generic")
	}
	v.links = append(v.links, l)
	v.init = append(v.init, make([]byte, 8)...)
}

// declare adds v to the scope, and the elements of a vector of registers.
func (sc *scope) declare(v *variable, vec int64) {
	sc.add(v)
	if vec < 2 || v.space != spaceReg {
		return
	}
	switch {
	case v.typ.class == classPred:
		panic(v.errorf("%s: there are no vectors of predicates", clip(v.name)))
	case vec > int64(len(vectorParts)) || vec*int64(v.typ.size) > 16:
		panic(v.errorf("%s: a register has at most 4 elements and 16 bytes", clip(v.name)))
	case v.count > 0:
		e := *v
		e.size = int64(v.typ.size)
		f := sc.families[v.name]
		f.vec, f.elem = int(vec), &e
		return
	}
	sc.vars[v.name].vec = int(vec)
	for i := range vec {
		e := *v
		e.name, e.size, e.vec = v.name+vectorParts[i], int64(v.typ.size), 0
		sc.add(&e)
	}
}

// floatBits returns a float literal as the bits of type t (ISA 4.5.2).
func (a *argText) floatBits(t typ) uint64 {
	v := math.Float64frombits(a.bits)
	if a.size == 4 {
		v = float64(math.Float32frombits(uint32(a.bits)))
	}
	if a.negative {
		v = -v
	}
	switch {
	case t.is("f32") || t.size == 4 && t.class == classBits:
		if a.size == 4 && !a.negative {
			return a.bits // a NaN keeps its bits
		}
		return uint64(math.Float32bits(float32(v)))
	case t.is("f64") || t.size == 8 && t.class == classBits:
		if a.size != 4 && !a.negative {
			return a.bits
		}
		return math.Float64bits(v)
	}
	panic(a.errorf("a float literal cannot be a %v: write the bits as an integer", t))
}

// add adds one variable to the scope.
func (sc *scope) add(v *variable) {
	refuse := func() {
		panic(v.errorf("%s is declared twice in a scope; registers, parameters and variables share one name space", clip(v.name)))
	}
	if old := sc.labels[v.name]; old != nil {
		panic(v.errorf("%s is a label on line %d of this block already; labels and variables share one name space", clip(v.name), old.line))
	}
	if v.count > 0 {
		if sc.families[v.name] != nil {
			refuse()
		}
		sc.families[v.name] = v
		for name := range sc.vars {
			if sc.family(name) == v {
				refuse()
			}
		}
		return
	}
	if sc.family(v.name) != nil {
		refuse()
	}
	if old := sc.vars[v.name]; old != nil {
		if !old.extern || v.space != old.space {
			refuse()
		}
		v.seq = old.seq
	}
	sc.vars[v.name] = v
}
