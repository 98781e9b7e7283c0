package emu

import (
	"slices"
	"strings"
)

// A moduleText is a parsed module.
type moduleText struct {
	version [2]int
	target  string // sm_80
	sm      int    // 80
	lines   []string
	globals *scope
	funcs   []*funcText
	files   map[int64]string // of .file, by number
}

// A scope holds the declarations between two braces.
type scope struct {
	outer  *scope
	vars   map[string]*variable
	labels map[string]*label
	funcs  map[string]*funcText // in the scope of the module only
	// families are the registers declared as %r<10>, by the part before the number.
	families map[string]*variable
}

// A label is a name with a colon: a place in the code, or one of the directives that have a
// name (ISA 4.2, 11.3).
type label struct {
	is      string // "", or the directive: ".branchtargets", ".calltargets", ".callprototype"
	at      int    // of a place: index into the body
	targets []token
	line    int
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, vars: map[string]*variable{}, labels: map[string]*label{}, funcs: map[string]*funcText{}, families: map[string]*variable{}}
}

// lookup returns the declaration of name, seen from s by what stands at seq: a variable is
// seen behind its declaration. For a family it returns the family. For part .x of a member
// of a family of vectors, it returns what all its elements are.
func (s *scope) lookup(name string, seq int) *variable {
	base, dot, _ := strings.Cut(name, ".")
	part := slices.Index(vectorParts[:], "."+dot)
	for ; s != nil; s = s.outer {
		if v := s.vars[name]; v != nil && v.seq <= seq {
			return v
		}
		v := s.family(base)
		switch {
		case v == nil || v.seq > seq:
		case base == name:
			return v
		case part >= 0 && part < v.vec:
			return v.elem
		}
	}
	return nil
}

// label returns the label of that name, seen from s by what stands at seq. It is that of
// the innermost block that has one, before or after. A variable hides labels outside of
// its block.
func (s *scope) label(name string, seq int) *label {
	for ; s != nil; s = s.outer {
		if l := s.labels[name]; l != nil {
			return l
		}
		if v := s.vars[name]; v != nil && v.seq <= seq {
			return nil
		}
	}
	return nil
}

// family returns the family of registers in s that name is a member of.
func (s *scope) family(name string) *variable {
	for n := len(name); n > 0 && isDigit(name[n-1]); {
		n--
		// %r10 is member 10 of %r<…>, or member 0 of %r1<…>.
		if v := s.families[name[:n]]; v != nil && member(name[n:], v.count) {
			return v
		}
	}
	return nil
}

// member reports whether digits is a number below count as PTX writes it.
func member(digits string, count int64) bool {
	if len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return false
	}
	n := int64(0)
	for _, c := range []byte(digits) {
		n = 10*n + int64(c-'0')
	}
	return n < count
}

// A variable is something declared: a register, a parameter, memory.
type variable struct {
	name   string
	space  space
	typ    typ
	align  int64
	size   int64     // bytes; 0 of an extern array
	count  int64     // of a family of registers
	vec    int       // elements of a register, if more than one
	elem   *variable // of a family of vectors: an element
	extern bool
	links  []link
	init   []byte // nil if it has no initialiser
	position
	seq    int // where in the text it is declared, in declarations and instructions
	owner  *scope
	formal bool // a parameter of a kernel or function, not declared in its body

	offset int64 // of a parameter, in the block; of others, assigned by the linker
}

// A link is a place in an initialiser where the address of a variable belongs.
type link struct {
	at   int
	name string
	position
}

// A funcText is a kernel or a function.
type funcText struct {
	name      string
	entry     bool
	declared  bool // without a body
	params    []*variable
	results   []*variable
	paramSize int64
	scope     *scope
	body      []instrText
	maxntid   [3]int // 0 if there is none
	reqntid   bool   // maxntid is exact
	cluster   [3]int
	position
}

// An instrText is an instruction as it is written.
type instrText struct {
	position
	source   sourceLine
	guard    string // name of the predicate register, "" if there is none
	guardNot bool
	op       string   // "ld"
	mods     []string // ".global", ".v4", ".f32"
	args     []argText
	scope    *scope
	seq      int
}

// lookup and label return what a name means at the instruction.
func (in *instrText) lookup(name string) *variable { return in.scope.lookup(name, in.seq) }
func (in *instrText) label(name string) *label     { return in.scope.label(name, in.seq) }

func (in *instrText) name() string {
	s := in.op
	for _, m := range in.mods {
		s += m
	}
	return s
}

// argKind says how an operand is written.
type argKind uint8

const (
	argName    argKind = iota // register, variable, label, special register
	argInt                    // number
	argFloat                  // number
	argVector                 // {a, b}
	argAddress                // [a+4], [a, {b, c}]
	argList                   // (a, b): of call
	argSink                   // _
)

// An argText is an operand as it is written.
type argText struct {
	kind argKind
	position
	name     string // of argName; of argAddress the base, "" if it is a number
	not      bool   // !%p
	bits     uint64 // of numbers
	size     int    // of argFloat: 4, 8, or 0 for a decimal
	negative bool   // of argInt: it was written with -
	plus     bool   // of argName: name + a number
	minus    bool   // of argName: it was written with -, which is for vmad
	offset   int64  // of argAddress and of argName with plus
	list     []argText
	pair     *argText // of a|b: b
}
