package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits of the text form: far above what a kernel has, so that hostile text
// costs no more than its length.
const (
	maxNesting = 64
	maxList    = 1 << 12
)

// Parse reads one function in text form, the inverse of [Func.String], and checks
// it with [Func.Check]. Comment lines above the function become its Doc, a comment
// after an operation its Comment, and others are skipped. Values may have any names and
// are numbered anew. If a text cannot be read, the error gives line and column, what is
// wrong and what would be right. If a function does not pass Check, the error is its
// [*Error], with the line and column as place.
func Parse(text string) (*Func, error) {
	f, err := parse(text)
	if err != nil {
		return nil, err
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	return f, nil
}

// parse is Parse without the check.
func parse(text string) (f *Func, err error) {
	p := &parser{text: text, line: 1, values: map[string]*Value{}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			f, err = nil, e
		}
	}()
	f = p.function()
	f.Number()
	return f, nil
}

type syntaxError struct {
	line, column int
	why          string
}

func (e syntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.line, e.column, e.why) }

// parser reads the text line by line with one byte of lookahead; fail leaves it
// by a panic that parse catches.
type parser struct {
	text        string
	pos         int
	line, start int // the number of the current line and where it begins
	values      map[string]*Value
	nesting     int
}

func (p *parser) function() *Func {
	f := &Func{Body: &Block{}}
	var doc []string
	for {
		if text, ok := p.comment(); ok {
			doc = append(doc, text)
		} else if p.peek() != '\n' {
			break
		}
		p.newline()
	}
	f.Doc = strings.Join(doc, "\n")
	if at, word := p.word(); word != "func" {
		p.fail(at, "found %s; want func @name(arguments) {", quoteWord(word, p))
	}
	p.want("@")
	f.Name = p.name()
	p.want("(")
	if p.peek() != ')' {
		p.list("arguments", func() {
			a := Arg{Name: p.name()}
			p.want(":")
			a.Type = p.typ()
			p.want("@")
			a.Offset = int(p.int())
			f.Args = append(f.Args, a)
		})
	}
	p.want(")")
	if p.take("threads") {
		f.Threads = p.count()
	}
	if p.take("shared") {
		f.Shared = p.count()
	}
	f.Spills = p.take("spills")
	p.want("{")
	p.endLine()
	p.block(f.Body)
	for p.endLine(); p.pos < len(p.text); p.endLine() {
	}
	return f
}

// block reads operations up to and with the closing brace.
func (p *parser) block(b *Block) {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(p.pos, "blocks nest deeper than %d", maxNesting)
	}
	for !p.take("}") {
		if _, note := p.comment(); note || p.peek() == '\n' {
			p.newline()
			continue
		}
		b.Ops = append(b.Ops, p.op())
	}
	p.nesting--
}

func (p *parser) op() *Op {
	type name struct {
		at   int
		text string
	}
	var names []name
	p.space()
	op := &Op{line: int32(p.line), column: int32(p.pos - p.start + 1)}
	if p.peek() == '%' {
		p.list("results", func() { at, s := p.valueName(); names = append(names, name{at, s}) })
		p.want("=")
	}
	at, word := p.word()
	if op.Def = ops[word]; op.Def == nil {
		p.fail(at, "found %s; want } or an operation: %s", quoteWord(word, p), strings.Join(OpNames(), " "))
	}
	if word == "inst" {
		p.space()
		at := p.pos
		s := p.quoted()
		if op.Inst = lookupInstruction(s); op.Inst == nil {
			p.fail(at, "there is no instruction %q; is the package that declares it imported?", s)
		}
	}
	if p.peek() == '%' {
		p.list("operands", func() { op.Args = append(op.Args, p.use()) })
	}
	p.attrs(op)
	if len(names) > 0 {
		p.want(":")
		p.list("result types", func() {
			op.Results = append(op.Results, &Value{Type: p.typ(), Op: op})
		})
		if len(op.Results) != len(names) {
			p.fail(names[0].at, "%d results with %d types", len(names), len(op.Results))
		}
	}
	p.blocks(op)
	if len(op.Blocks) == 0 {
		op.Comment, _ = p.comment()
	}
	p.endLine()
	for i, v := range op.Results {
		p.define(names[i].at, names[i].text, v)
	}
	return op
}

func (p *parser) attrs(op *Op) {
	if p.blockOpens() || !p.take("{") {
		return
	}
	seen := map[string]bool{}
	p.list("attributes", func() {
		at, word := p.word()
		for _, row := range attributes {
			if row.name != word {
				continue
			}
			if seen[word] {
				p.fail(at, "attribute %s stands twice", word)
			}
			seen[word] = true
			if !row.flag {
				p.want("=")
			}
			row.read(p, &op.Attr)
			return
		}
		names := joined(attributes, func(a attribute) string { return a.name })
		p.fail(at, "found %s; want an attribute: %s", quoteWord(word, p), names)
	})
	p.want("}")
}

// blockOpens reports whether a brace that opens a block comes next: nothing but a
// comment follows it in its line.
func (p *parser) blockOpens() bool {
	if p.peek() != '{' {
		return false
	}
	rest := strings.TrimLeft(p.text[p.pos+1:], " \t\r")
	return rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "//")
}

func (p *parser) blocks(op *Op) {
	for p.peek() == '(' || p.blockOpens() {
		b := &Block{}
		if p.take("(") {
			p.list("block arguments", func() {
				at, s := p.valueName()
				p.want(":")
				v := &Value{Type: p.typ()}
				p.define(at, s, v)
				b.Args = append(b.Args, v)
			})
			p.want(")")
		}
		p.want("{")
		if text, ok := p.comment(); ok && len(op.Blocks) == 0 {
			op.Comment = text
		}
		p.endLine()
		p.block(b)
		op.Blocks = append(op.Blocks, b)
		if !p.take(blockWord(op)) {
			return
		}
		if len(op.Blocks) == 2 || op.Def.Name == "for" {
			p.fail(p.pos, "%s has no further block", op.Def.Name)
		}
	}
}

func (p *parser) define(at int, name string, v *Value) {
	if p.values[name] != nil {
		p.fail(at, "%%%s is defined twice", name)
	}
	p.values[name] = v
}

// use reads an operand. Whether it is visible is for Check to say.
func (p *parser) use() *Value {
	at, name := p.valueName()
	v := p.values[name]
	if v == nil {
		p.fail(at, "%%%s is not defined before its use", name)
	}
	return v
}

func (p *parser) int() int64 {
	at, s := p.number("an integer")
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		p.fail(at, "%s is not an integer of 64 bits", s)
	}
	return n
}

// count reads a number above 0 that fits in 32 bits.
func (p *parser) count() int {
	p.space()
	at := p.pos
	n := p.int()
	if n < 1 || n > math.MaxInt32 {
		p.fail(at, "found %d; want a number from 1 to 2^31-1", n)
	}
	return int(n)
}

func (p *parser) float() float64 {
	at, s := p.number("a number")
	if hex, ok := strings.CutPrefix(s, "0d"); ok && len(hex) == 16 {
		if bits, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return math.Float64frombits(bits)
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		p.fail(at, "%s is not a number; numbers look like 1.5, -0, +Inf or 0d7ff8000000000001", s)
	}
	return x
}
