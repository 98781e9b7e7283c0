package emu

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxVariable bounds one variable, in bytes.
const maxVariable = 1 << 32

// variables reads a declaration up to its semicolon: a space, attributes, a type,
// and names (ISA 5.4).
func (p *parser) variables(sc *scope, extern bool) error {
	v := variable{space: spaces[p.tok.text], extern: extern, owner: sc, align: -1}
	where := p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	vec, err := p.attributes(&v, where)
	if err != nil {
		return err
	}
	for {
		w := v
		if err := p.declarator(&w, vec); err != nil {
			return err
		}
		p.seq++
		w.seq = p.seq
		if err := sc.declare(&w); err != nil {
			return err
		}
		if vec > 1 && w.space == spaceReg {
			if err := sc.split(&w, vec); err != nil {
				return err
			}
		}
		more, err := p.accept(",")
		if err != nil {
			return err
		}
		if !more {
			return p.expect(";", where)
		}
	}
}

// attributes reads what stands between a space and a name. It returns how many
// elements the type has: 1, 2 or 4.
func (p *parser) attributes(v *variable, where string) (vec int64, err error) {
	return p.attributesWith(v, where, func(string) {})
}

// attributesWith calls see with each attribute before it is read.
func (p *parser) attributesWith(v *variable, where string, see func(name string)) (vec int64, err error) {
	vec = 1
	for p.tok.kind == tokDot {
		see(p.tok.text)
		switch name := p.tok.text; name {
		case ".align":
			if err := p.advance(); err != nil {
				return 0, err
			}
			t := p.tok
			if v.align, err = p.integer(".align"); err != nil {
				return 0, err
			}
			if v.align <= 0 || v.align > 1<<20 || v.align&(v.align-1) != 0 {
				return 0, errorAt(t, ".align %d is no power of two", v.align)
			}
			continue
		case ".v2", ".v4", ".v8":
			vec = int64(name[2] - '0')
		case ".ptr", ".global", ".shared", ".const", ".local":
			// The memory that a parameter points to.
		case ".attribute":
			if err := p.advance(); err != nil {
				return 0, err
			}
			if err := p.skip(")", ".attribute"); err != nil {
				return 0, err
			}
			continue
		default:
			t, ok := types[name[1:]]
			if !ok {
				return 0, p.errorf("%s is no type; %s wants one such as .b32", p.tok, where)
			}
			v.typ = t
		}
		if err := p.advance(); err != nil {
			return 0, err
		}
	}
	if v.typ.name == "" {
		return 0, p.errorf("%s where %s wants a type such as .b32", p.tok, where)
	}
	if v.typ.class == classPred && v.space != spaceReg {
		return 0, p.errorf("a .pred lives in .reg only, not in %s", where)
	}
	return vec, nil
}

// declarator reads a name, its dimensions and its initialiser.
func (p *parser) declarator(v *variable, vec int64) error {
	t, err := p.word("a variable")
	if err != nil {
		return err
	}
	v.name, v.line, v.col = t.text, t.line, t.col
	unit := int64(v.typ.size) * vec
	v.size = unit
	if v.align < 0 {
		v.align = max(unit, 1)
	}
	if ok, err := p.accept("<"); err != nil {
		return err
	} else if ok {
		if v.space != spaceReg {
			return errorAt(t, "%s<…> declares many at once, which is for .reg only", clip(t.text))
		}
		if v.count, err = p.integer("<…>"); err != nil {
			return err
		}
		if v.count < 1 || v.count > math.MaxInt32 {
			return errorAt(t, "%s<%d>: the count is to be between 1 and 2^31-1", clip(t.text), v.count)
		}
		return p.expect(">", "the count of registers")
	}
	dims, elems, open := 0, int64(1), false
	for p.is("[") {
		if err := p.advance(); err != nil {
			return err
		}
		dims++
		if p.is("]") && dims == 1 {
			open = true
		} else {
			at := p.tok
			n, err := p.integer("a dimension")
			if err != nil {
				return err
			}
			if n < 0 || n > maxVariable || n > 0 && elems > maxVariable/n {
				return errorAt(at, "the dimension %d of %s is out of range", n, clip(v.name))
			}
			elems *= n
		}
		if err := p.expect("]", "a dimension"); err != nil {
			return err
		}
	}
	if unit > 0 && elems > maxVariable/unit {
		return errorAt(t, "%s has %d elements of %d bytes, which is more than %d bytes", clip(v.name), elems, unit, int64(maxVariable))
	}
	if v.size = unit * elems; open {
		v.size = 0
	}
	if ok, err := p.accept("="); err != nil || !ok {
		if err == nil && open && !v.extern && v.space != spaceParam {
			return errorAt(t, "%s[] has no size: write one, or .extern", clip(v.name))
		}
		return err
	}
	if v.typ.class == classOpaque {
		for p.tok.kind != tokEOF && !p.is(";") { // how a sampler reads
			if err := p.advance(); err != nil {
				return err
			}
		}
		return nil
	}
	if v.space != spaceGlobal && v.space != spaceConst {
		return errorAt(t, "%s: only .global and .const variables are initialised", clip(v.name))
	}
	if err := p.initializer(v, 0); err != nil {
		return err
	}
	if open {
		v.size = int64(len(v.init))
	}
	if int64(len(v.init)) > v.size {
		return errorAt(t, "the initialiser of %s has %d bytes, the variable has %d", clip(v.name), len(v.init), v.size)
	}
	return nil
}

// initializer reads { 1, 2 } or a number and appends its bytes to v.init.
func (p *parser) initializer(v *variable, depth int) error {
	if v.init == nil {
		v.init = []byte{}
	}
	if !p.is("{") {
		return p.element(v)
	}
	if depth > maxDepth {
		return p.errorf("the initialiser is nested too deeply")
	}
	for {
		if err := p.advance(); err != nil {
			return err
		}
		if p.is("}") {
			return p.advance()
		}
		if err := p.initializer(v, depth+1); err != nil {
			return err
		}
		if !p.is(",") {
			return p.expect("}", "an initialiser")
		}
	}
}

func (p *parser) element(v *variable) error {
	sign, err := p.accept("-")
	if err != nil {
		return err
	}
	var bits uint64
	if p.tok.kind == tokWord && !sign {
		return p.link(v)
	}
	if p.tok.kind == tokFloat {
		a := argText{kind: argFloat, bits: p.tok.bits, size: p.tok.size, line: p.tok.line, col: p.tok.col, negative: sign}
		if bits, err = a.floatBits(v.typ); err != nil {
			return err
		}
		if err := p.advance(); err != nil {
			return err
		}
	} else {
		x, err := p.integer("an initialiser")
		if err != nil {
			return err
		}
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
	return nil
}

// link reads the name of a variable or generic(name), whose address is put there when the
// variable has one.
func (p *parser) link(v *variable) error {
	t := p.tok
	if v.typ.size != 8 || v.typ.float() {
		return p.errorf("%s where an initialiser of %v wants a number: an address has 8 bytes", t, v.typ)
	}
	if err := p.advance(); err != nil {
		return err
	}
	l := link{at: len(v.init), name: t.text, line: t.line, col: t.col}
	if t.text == "generic" && p.is("(") {
		if err := p.advance(); err != nil {
			return err
		}
		name, err := p.word("a variable")
		if err != nil {
			return err
		}
		l.name = name.text
		if err := p.expect(")", "generic"); err != nil {
			return err
		}
	}
	v.links = append(v.links, l)
	v.init = append(v.init, make([]byte, 8)...)
	return nil
}

// split declares the elements of a vector of registers.
func (sc *scope) split(v *variable, vec int64) error {
	switch {
	case v.typ.class == classPred:
		return &syntaxError{v.line, v.col, clip(v.name) + ": there are no vectors of predicates"}
	case vec > int64(len(vectorParts)) || vec*int64(v.typ.size) > 16:
		return &syntaxError{v.line, v.col, clip(v.name) + ": a register has at most 4 elements and 16 bytes"}
	case v.count > 0:
		e := *v
		e.size = int64(v.typ.size)
		f := sc.families[v.name]
		f.vec, f.elem = int(vec), &e
		return nil
	}
	sc.vars[v.name].vec = int(vec)
	for i := range vec {
		e := *v
		e.name, e.size, e.vec = v.name+vectorParts[i], int64(v.typ.size), 0
		if err := sc.declare(&e); err != nil {
			return err
		}
	}
	return nil
}

// floatBits returns a float literal as the bits of type t (ISA 4.5.2).
func (a *argText) floatBits(t typ) (uint64, error) {
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
			return a.bits, nil // a NaN keeps its bits
		}
		return uint64(math.Float32bits(float32(v))), nil
	case t.is("f64") || t.size == 8 && t.class == classBits:
		if a.size != 4 && !a.negative {
			return a.bits, nil
		}
		return math.Float64bits(v), nil
	}
	return 0, &syntaxError{a.line, a.col, "a float literal cannot be a " + t.String() + ": write the bits as an integer"}
}

// declare adds v to the scope.
func (sc *scope) declare(v *variable) error {
	refuse := func(old *variable) error {
		return &syntaxError{v.line, v.col, clip(v.name) + " is declared twice in a scope; registers, parameters and variables share one name space"}
	}
	if old := sc.labels[v.name]; old != nil {
		return &syntaxError{v.line, v.col, fmt.Sprintf("%s is a label on line %d of this block already; labels and variables share one name space", clip(v.name), old.line)}
	}
	if v.count > 0 {
		if old := sc.families[v.name]; old != nil {
			return refuse(old)
		}
		sc.families[v.name] = v
		for name, old := range sc.vars {
			if sc.family(name) == v {
				return refuse(old)
			}
		}
		return nil
	}
	if old := sc.family(v.name); old != nil {
		return refuse(old)
	}
	if old := sc.vars[v.name]; old != nil {
		if !old.extern || v.space != old.space {
			return refuse(old)
		}
		v.seq = old.seq
	}
	sc.vars[v.name] = v
	return nil
}
