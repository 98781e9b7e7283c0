package emu

import "fmt"

// mostTargets bounds the labels that one name with <…> stands for.
const mostTargets = 1 << 16

// label reads a name, whose colon the lexer is behind, and the directive that it is the name
// of, if one follows.
func (p *parser) label(f *funcText, sc *scope) {
	t := p.tok
	l := &label{at: len(f.body), line: t.line}
	if old := sc.labels[t.text]; old != nil {
		panic(t.errorf("the label %s is on line %d of this block already", clip(t.text), old.line))
	}
	if old := sc.vars[t.text]; old != nil {
		panic(t.errorf("%s is declared on line %d of this block already; labels and variables share one name space", clip(t.text), old.line))
	}
	sc.labels[t.text] = l
	p.advance()
	switch {
	case p.is(".branchtargets"):
		l.is = p.tok.text
		p.branchTargets(l)
	case p.is(".calltargets"), p.is(".callprototype"):
		// The functions that a call through a register may reach, or their signature.
		l.is = p.tok.text
		p.skip(";", l.is)
	}
}

// branchTargets reads .branchtargets A, B<3>, …; where B<3> is B0, B1, B2.
func (p *parser) branchTargets(l *label) {
	for {
		p.advance()
		t := p.word("a label")
		if !p.accept("<") {
			l.targets = append(l.targets, t)
		} else {
			n := p.integer("<…>")
			if n < 1 || n > mostTargets {
				panic(t.errorf("%s<%d> is no list of labels: 1 to %d are", clip(t.text), n, mostTargets))
			}
			for i := range n {
				one := t
				one.text = fmt.Sprint(t.text, i)
				l.targets = append(l.targets, one)
			}
			p.expect(">", "the number of labels")
		}
		if !p.is(",") {
			p.expect(";", ".branchtargets")
			return
		}
	}
}

// skip leaves out everything up to and with end, for the directive what.
func (p *parser) skip(end, what string) {
	for !p.is(end) {
		if p.tok.kind == tokEOF {
			panic(p.errorf("%s does not end: %s is missing", what, end))
		}
		p.advance()
	}
	p.advance()
}
