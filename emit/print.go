package emit

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the text form of f, which [Parse] reads. Values are numbered as
// [Func.Number] would, whatever their IDs are now. A newline in a comment becomes
// a blank; an operand that f does not define is written "%?", which does not read
// back.
func (f *Func) String() string {
	p := printer{ids: map[*Value]int{}}
	f.Body.values(func(v *Value) { p.ids[v] = len(p.ids) })
	if f.Doc != "" {
		for line := range strings.SplitSeq(f.Doc, "\n") {
			p.comment("", line)
			p.WriteByte('\n')
		}
	}
	fmt.Fprintf(&p, "func @%s(%s) ", nameText(f.Name), joined(f.Args, func(a Arg) string {
		return fmt.Sprintf("%s: %v @%d", nameText(a.Name), a.Type, a.Offset)
	}))
	if f.Threads != 0 {
		fmt.Fprintf(&p, "threads %d ", f.Threads)
	}
	if f.Shared != 0 {
		fmt.Fprintf(&p, "shared %d ", f.Shared)
	}
	if f.Spills {
		p.WriteString("spills ")
	}
	p.WriteString("{\n")
	p.ops(f.Body, "  ")
	p.WriteString("}\n")
	return p.String()
}

// String returns op in text form, in one line, without its blocks. Values have
// the numbers that [Func.Number] gave them last.
func (op *Op) String() string {
	var p printer
	p.head(op)
	return p.String()
}

type printer struct {
	strings.Builder
	ids map[*Value]int // nil for the values' own
}

func (p *printer) value(v *Value) string {
	if v == nil {
		return "%?"
	}
	id := v.ID
	if p.ids != nil {
		n, ok := p.ids[v]
		if !ok {
			return "%?"
		}
		id = n
	}
	return "%" + strconv.Itoa(id)
}

// head prints op up to its blocks.
func (p *printer) head(op *Op) {
	if len(op.Results) > 0 {
		p.WriteString(joined(op.Results, p.value) + " = ")
	}
	if op.Def == nil {
		p.WriteString("?")
	} else {
		p.WriteString(op.Def.Name)
	}
	if op.Inst != nil {
		p.WriteString(" " + strconv.Quote(op.Inst.Name))
	}
	if len(op.Args) > 0 {
		p.WriteString(" " + joined(op.Args, p.value))
	}
	if s := op.Attr.text(); s != "" {
		p.WriteString(" " + s)
	}
	if len(op.Results) > 0 {
		p.WriteString(" : " + joined(op.Results, typeText))
	}
}

func typeText(v *Value) string {
	if v == nil {
		return "?"
	}
	return v.Type.String()
}

func (p *printer) ops(b *Block, indent string) {
	for _, op := range b.Ops {
		p.WriteString(indent)
		p.head(op)
		for i, in := range op.Blocks {
			if i > 0 {
				p.WriteString(indent + "} " + blockWord(op))
			}
			if len(in.Args) > 0 {
				p.WriteString(" (" + joined(in.Args, func(v *Value) string {
					return p.value(v) + ": " + v.Type.String()
				}) + ")")
			}
			p.WriteString(" {")
			if i == 0 {
				p.comment(" ", op.Comment)
			}
			p.WriteString("\n")
			p.ops(in, indent+"  ")
		}
		if len(op.Blocks) > 0 {
			p.WriteString(indent + "}\n")
			continue
		}
		p.comment(" ", op.Comment)
		p.WriteString("\n")
	}
}

// blockWord is the word before the second block of op.
func blockWord(op *Op) string {
	if op.Def != nil && op.Def.Name == "while" {
		return "do"
	}
	return "else"
}

// comment prints text, if any, as a comment; indent is the blank before it.
// Without one the comment is a line of its own and stands even when empty.
func (p *printer) comment(indent, text string) {
	if text == "" {
		if indent == "" {
			p.WriteString("//")
		}
		return
	}
	p.WriteString(indent + "// " + strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
}

// nameText returns a name bare if the parser can read it so, else quoted.
func nameText(s string) string {
	for i := range len(s) {
		if !wordByte(s[i]) {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
