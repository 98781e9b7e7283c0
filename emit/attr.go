package emit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// attribute is one row of the attribute table: which operations have a field of
// [Attr], and how it is written and read.
type attribute struct {
	name string
	ops  []string
	text func(a *Attr) string // what follows "name=", "" if the field is zero
	read func(p *parser, a *Attr)
	flag bool // written as the name alone
}

// attributes stand in the order in which they are printed.
var attributes = []attribute{
	{name: "name", ops: []string{"param", "cmp", "cvt", "round", "sat", "sreg", "apply"},
		text: func(a *Attr) string {
			if a.Name == "" {
				return ""
			}
			return strconv.Quote(a.Name)
		},
		read: func(p *parser, a *Attr) { a.Name = p.quoted() }},
	{name: "imm", ops: []string{"const", "prefetch", "inst", "shared", "load", "loadb"},
		text: func(a *Attr) string { return intText(a.Imm) },
		read: func(p *parser, a *Attr) { a.Imm = p.int() }},
	{name: "f", ops: []string{"const"},
		text: func(a *Attr) string { return floatText(a.F) },
		read: func(p *parser, a *Attr) { a.F = p.float() }},
	{name: "scale", ops: memoryOps,
		text: func(a *Attr) string { return intText(a.Scale) },
		read: func(p *parser, a *Attr) { a.Scale = p.int() }},
	{name: "off", ops: memoryOps,
		text: func(a *Attr) string { return intText(a.Off) },
		read: func(p *parser, a *Attr) { a.Off = p.int() }},
	{name: "perm", ops: []string{"shuffle"},
		text: func(a *Attr) string {
			if len(a.Perm) == 0 {
				return ""
			}
			return "[" + joined(a.Perm, strconv.Itoa) + "]"
		},
		read: func(p *parser, a *Attr) {
			p.want("[")
			p.list("lanes", func() { a.Perm = append(a.Perm, int(p.int())) })
			p.want("]")
		}},
	{name: "once", ops: []string{"for"}, flag: true,
		text: func(a *Attr) string {
			if !a.Once {
				return ""
			}
			return "once"
		},
		read: func(p *parser, a *Attr) { a.Once = true }},
	{name: "near", ops: []string{"div"}, flag: true,
		text: func(a *Attr) string {
			if !a.Near {
				return ""
			}
			return "near"
		},
		read: func(p *parser, a *Attr) { a.Near = true }},
	{name: "level", ops: []string{"sreg"},
		text: func(a *Attr) string {
			if a.Level == Thread {
				return ""
			}
			return a.Level.String()
		},
		read: func(p *parser, a *Attr) {
			at, word := p.word()
			i := indexOf(levels[:], word)
			if i < 0 {
				p.fail(at, "%q is not a level; the levels are %s", word, strings.Join(levels[:], ", "))
			}
			a.Level = Level(i)
		}},
}

var memoryOps = []string{"load", "loadm", "loadb", "store", "storem", "prefetch"}

// text returns the attributes as they are printed, "{off=64}", or "".
func (a *Attr) text() string {
	var parts []string
	for _, row := range attributes {
		s := row.text(a)
		if s != "" && !row.flag {
			s = row.name + "=" + s
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// checkAttr returns why the attributes of op do not fit it, or nil: a field that
// nobody reads is a mistake.
func (op *Op) checkAttr() error {
	for _, row := range attributes {
		if row.text(&op.Attr) != "" && !slices.Contains(row.ops, op.Def.Name) {
			return fmt.Errorf("attribute %s means nothing here; %s have it", row.name, strings.Join(row.ops, ", "))
		}
	}
	if op.Attr.Level > CTA {
		return fmt.Errorf("%v is not a level", op.Attr.Level)
	}
	if op.Def.Name != "const" || len(op.Results) != 1 {
		return nil
	}
	switch e := op.Results[0].Type.Elem; {
	case e.Float():
		return want(op.Attr.Imm == 0, "imm is for integer constants; a %v has f", e)
	case math.Float64bits(op.Attr.F) != 0:
		return fmt.Errorf("f is for floating-point constants; an %v has imm", e)
	default:
		n := op.Attr.Imm
		fits := e.Bits() >= 64 || uint64(n) == truncate(e, uint64(n)) || n == signed(e, truncate(e, uint64(n)))
		return want(fits || e == None, "%d does not fit in an %v", n, e)
	}
}

func intText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// floatText returns a text that reads back bit for bit. A NaN is written with its
// bits, as PTX does, since its payload has no decimal form; -0 is not zero here.
func floatText(x float64) string {
	switch bits := math.Float64bits(x); {
	case bits == 0:
		return ""
	case x != x:
		return fmt.Sprintf("0d%016x", bits)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// joined returns the texts of xs with commas between.
func joined[T any](xs []T, text func(T) string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = text(x)
	}
	return strings.Join(parts, ", ")
}
