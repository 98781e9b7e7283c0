package emu

import (
	"fmt"
	"strings"
)

// maxText bounds the text of a module; all else the parser makes is bounded by it.
const maxText = 16 << 20

const (
	maxDepth = 64   // nested braces
	maxFuncs = 1000 // kernels and functions of a module
)

// A parser reads a module, one token ahead.
type parser struct {
	lex *lexer
	tok token // the next one
	mod *moduleText
	seq int // declarations and instructions so far
	at  sourceLine
	// calls are the last source lines of the function, for those that were put in their place.
	calls map[[3]int64]*sourceLine
}

// parse reads a module of PTX text (ISA chapters 4, 5 and 11).
func parse(src string) (m *moduleText, err error) {
	if len(src) > maxText {
		return nil, position{1, 1}.errorf("the text has %d bytes; at most %d are read", len(src), maxText)
	}
	defer caught(&err)
	p := &parser{lex: newLexer(src), mod: &moduleText{globals: newScope(nil), files: map[int64]string{}}}
	p.advance()
	p.module()
	p.mod.lines = strings.Split(src, "\n")
	return p.mod, nil
}

func (p *parser) advance() { p.tok = p.lex.next() }

// errorf is an error at the next token.
func (p *parser) errorf(format string, args ...any) error { return p.tok.errorf(format, args...) }

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end of the text"
	case tokString:
		return fmt.Sprintf("%q", clip(t.text))
	}
	return clip(t.text)
}

// clip shortens text for an error.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

func (p *parser) is(text string) bool {
	return p.tok.text == text && p.tok.kind != tokString
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		panic(p.errorf("%s where %s wants %s", p.tok, where, text))
	}
}

// word takes a name.
func (p *parser) word(what string) token {
	t := p.tok
	if t.kind != tokWord {
		panic(p.errorf("%s where the name of %s belongs", t, what))
	}
	p.advance()
	return t
}

// integer takes a constant expression of integers: sums and products of literals.
func (p *parser) integer(what string) int64 { return p.sum(what, 0) }

func (p *parser) sum(what string, depth int) int64 {
	x := p.product(what, depth)
	for {
		switch {
		case p.accept("+"):
			x += p.product(what, depth)
		case p.accept("-"):
			x -= p.product(what, depth)
		default:
			return x
		}
	}
}

func (p *parser) product(what string, depth int) int64 {
	x := p.factor(what, depth)
	for p.accept("*") {
		x *= p.factor(what, depth)
	}
	return x
}

func (p *parser) factor(what string, depth int) int64 {
	if depth > maxDepth {
		panic(p.errorf("the expression is nested too deeply"))
	}
	switch {
	case p.accept("-"):
		return -p.factor(what, depth+1)
	case p.accept("~"):
		return ^p.factor(what, depth+1)
	case p.accept("+"):
		return p.factor(what, depth+1)
	case p.accept("("):
		x := p.sum(what, depth+1)
		p.expect(")", "an expression")
		return x
	case p.tok.kind == tokInt:
		x := int64(p.tok.bits)
		p.advance()
		return x
	}
	panic(p.errorf("%s where %s wants an integer", p.tok, what))
}

// module reads everything at the top.
func (p *parser) module() {
	p.header()
	for p.tok.kind != tokEOF {
		p.item()
	}
}

// header reads .version, .target and .address_size.
func (p *parser) header() {
	if !p.is(".version") {
		panic(p.errorf("%s where a module begins with .version", p.tok))
	}
	p.advance()
	if _, err := fmt.Sscanf(p.tok.text, "%d.%d", &p.mod.version[0], &p.mod.version[1]); p.tok.kind != tokFloat || err != nil {
		panic(p.errorf("%s where .version wants a number such as 8.0", p.tok))
	}
	if v := p.mod.version; v[0] < 1 || v[0] > 9 {
		panic(p.errorf(".version %d.%d is not known; versions up to 9 are", v[0], v[1]))
	}
	p.advance()
	if !p.is(".target") {
		panic(p.errorf("%s where .target follows .version", p.tok))
	}
	for first := true; first || p.is(","); first = false {
		p.advance()
		t := p.word("a target")
		if strings.HasPrefix(t.text, "sm_") {
			p.mod.target = t.text
			if _, err := fmt.Sscanf(t.text, "sm_%d", &p.mod.sm); err != nil {
				panic(t.errorf("%s is no target; sm_80 is one", clip(t.text)))
			}
		}
	}
	if p.mod.target == "" {
		panic(p.errorf(".target names no architecture such as sm_80"))
	}
	if p.accept(".address_size") {
		t := p.tok
		if n := p.integer(".address_size"); n != 64 {
			panic(t.errorf(".address_size %d: only 64 is executed", n))
		}
	}
}

// item reads one declaration of a module.
func (p *parser) item() {
	var linkage []string
	for p.is(".visible") || p.is(".extern") || p.is(".weak") || p.is(".common") {
		linkage = append(linkage, p.tok.text)
		p.advance()
	}
	extern := len(linkage) > 0 && linkage[0] == ".extern"
	switch {
	case p.is(".entry"), p.is(".func"):
		p.function(extern)
	case p.is(".global"), p.is(".const"), p.is(".shared"):
		p.variables(p.mod.globals, extern)
	case len(linkage) > 0:
		panic(p.errorf("%s after %s, where .entry, .func, .global, .const or .shared belongs", p.tok, linkage[0]))
	default:
		p.ignored()
	}
}

// ignored skips directives that change nothing that is executed.
func (p *parser) ignored() {
	switch line := p.tok.line; {
	case p.is(".file"), p.is(".loc"):
		p.source()
		// It goes to the end of the line, as both end there.
		for p.tok.kind != tokEOF && p.tok.line == line {
			p.advance()
		}
	case p.is(".pragma"), p.is(".alias"):
		p.skip(";", p.tok.text)
	case p.is(".section"):
		p.skip("}", ".section")
	case p.accept(";"):
	default:
		panic(p.errorf("%s where a declaration such as .entry or .global belongs", p.tok))
	}
}
