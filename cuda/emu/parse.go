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
	lex  *lexer
	tok  token // the next one
	mod  *moduleText
	tail token // the last one taken
	seq  int   // declarations and instructions so far
	at   sourceLine
	// calls are the last source lines of the function, for those that were put in their place.
	calls map[[3]int64]*sourceLine
}

// parse reads a module of PTX text (ISA chapters 4, 5 and 11).
func parse(src string) (*moduleText, error) {
	if len(src) > maxText {
		return nil, &syntaxError{1, 1, fmt.Sprintf("the text has %d bytes; at most %d are read", len(src), maxText)}
	}
	p := &parser{lex: newLexer(src), mod: &moduleText{globals: newScope(nil), files: map[int64]string{}}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.module(); err != nil {
		return nil, err
	}
	p.mod.lines = strings.Split(src, "\n")
	return p.mod, nil
}

func (p *parser) advance() (err error) {
	p.tail = p.tok
	p.tok, err = p.lex.next()
	return err
}

// errorf is an error at the next token.
func (p *parser) errorf(format string, args ...any) error { return errorAt(p.tok, format, args...) }

func errorAt(t token, format string, args ...any) error {
	return &syntaxError{t.line, t.col, fmt.Sprintf(format, args...)}
}

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
func (p *parser) accept(text string) (bool, error) {
	if !p.is(text) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) expect(text, where string) error {
	if !p.is(text) {
		return p.errorf("%s where %s wants %s", p.tok, where, text)
	}
	return p.advance()
}

// word takes a name.
func (p *parser) word(what string) (token, error) {
	t := p.tok
	if t.kind != tokWord {
		return t, p.errorf("%s where the name of %s belongs", t, what)
	}
	return t, p.advance()
}

// integer takes a constant expression of integers: sums and products of literals.
func (p *parser) integer(what string) (int64, error) { return p.sum(what, 0) }

func (p *parser) sum(what string, depth int) (int64, error) {
	x, err := p.product(what, depth)
	for err == nil && (p.is("+") || p.is("-")) {
		minus := p.is("-")
		if err = p.advance(); err != nil {
			break
		}
		var y int64
		if y, err = p.product(what, depth); minus {
			y = -y
		}
		x += y
	}
	return x, err
}

func (p *parser) product(what string, depth int) (int64, error) {
	x, err := p.factor(what, depth)
	for err == nil && p.is("*") {
		if err = p.advance(); err != nil {
			break
		}
		var y int64
		y, err = p.factor(what, depth)
		x *= y
	}
	return x, err
}

func (p *parser) factor(what string, depth int) (int64, error) {
	if depth > maxDepth {
		return 0, p.errorf("the expression is nested too deeply")
	}
	switch {
	case p.is("-"), p.is("~"), p.is("+"):
		sign := p.tok.text
		if err := p.advance(); err != nil {
			return 0, err
		}
		x, err := p.factor(what, depth+1)
		switch sign {
		case "-":
			x = -x
		case "~":
			x = ^x
		}
		return x, err
	case p.is("("):
		if err := p.advance(); err != nil {
			return 0, err
		}
		x, err := p.sum(what, depth+1)
		if err != nil {
			return 0, err
		}
		return x, p.expect(")", "an expression")
	case p.tok.kind == tokInt:
		x := int64(p.tok.bits)
		return x, p.advance()
	}
	return 0, p.errorf("%s where %s wants an integer", p.tok, what)
}

// module reads everything at the top.
func (p *parser) module() error {
	if err := p.header(); err != nil {
		return err
	}
	for p.tok.kind != tokEOF {
		if err := p.item(); err != nil {
			return err
		}
	}
	return nil
}

// header reads .version, .target and .address_size.
func (p *parser) header() error {
	if !p.is(".version") {
		return p.errorf("%s where a module begins with .version", p.tok)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if _, err := fmt.Sscanf(p.tok.text, "%d.%d", &p.mod.version[0], &p.mod.version[1]); p.tok.kind != tokFloat || err != nil {
		return p.errorf("%s where .version wants a number such as 8.0", p.tok)
	}
	if v := p.mod.version; v[0] < 1 || v[0] > 9 {
		return p.errorf(".version %d.%d is not known; versions up to 9 are", v[0], v[1])
	}
	if err := p.advance(); err != nil {
		return err
	}
	if !p.is(".target") {
		return p.errorf("%s where .target follows .version", p.tok)
	}
	for first := true; first || p.is(","); first = false {
		if err := p.advance(); err != nil {
			return err
		}
		t, err := p.word("a target")
		if err != nil {
			return err
		}
		if strings.HasPrefix(t.text, "sm_") {
			p.mod.target = t.text
			if _, err := fmt.Sscanf(t.text, "sm_%d", &p.mod.sm); err != nil {
				return errorAt(t, "%s is no target; sm_80 is one", clip(t.text))
			}
		}
	}
	if p.mod.target == "" {
		return p.errorf(".target names no architecture such as sm_80")
	}
	ok, err := p.accept(".address_size")
	if err != nil || !ok {
		return err
	}
	t := p.tok
	n, err := p.integer(".address_size")
	if err == nil && n != 64 {
		return errorAt(t, ".address_size %d: only 64 is executed", n)
	}
	return err
}

// item reads one declaration of a module.
func (p *parser) item() error {
	var linkage []string
	for p.is(".visible") || p.is(".extern") || p.is(".weak") || p.is(".common") {
		linkage = append(linkage, p.tok.text)
		if err := p.advance(); err != nil {
			return err
		}
	}
	extern := len(linkage) > 0 && linkage[0] == ".extern"
	switch {
	case p.is(".entry"), p.is(".func"):
		return p.function(extern)
	case p.is(".global"), p.is(".const"), p.is(".shared"):
		return p.variables(p.mod.globals, extern)
	case len(linkage) > 0:
		return p.errorf("%s after %s, where .entry, .func, .global, .const or .shared belongs", p.tok, linkage[0])
	}
	return p.ignored()
}

// ignored skips directives that change nothing that is executed.
func (p *parser) ignored() error {
	switch {
	case p.is(".file"), p.is(".loc"):
		line := p.tok.line
		if err := p.source(); err != nil {
			return err
		}
		// It goes to the end of the line, as both end there.
		for p.tok.kind != tokEOF && p.tok.line == line {
			if err := p.advance(); err != nil {
				return err
			}
		}
		return nil
	case p.is(".pragma"), p.is(".alias"):
		return p.skip(";", p.tok.text)
	case p.is(".section"):
		return p.skip("}", ".section")
	case p.is(";"):
		return p.advance()
	}
	return p.errorf("%s where a declaration such as .entry or .global belongs", p.tok)
}
