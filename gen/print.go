package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// printer writes the declarations of a Go file.
type printer struct {
	strings.Builder
	known []string        // the imports that the unit names
	taken map[string]bool // names that no package can be imported by
	alias []string        // the imports of packages by other names than theirs
	err   error           // the first
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// decls writes declarations, an empty line between them.
func (p *printer) decls(ds []unit.Decl) {
	for _, d := range ds {
		if d == unit.Text("") {
			continue
		}
		p.printf("\n")
		switch d := d.(type) {
		case unit.Func:
			p.function(d)
		case unit.Var:
			p.variable(d)
		case unit.Text:
			p.printf("%s\n", strings.TrimSpace(string(d)))
		}
	}
}

func (p *printer) variable(v unit.Var) {
	p.doc(v.Doc)
	if v.Embed != "" {
		p.printf("//go:embed %s\n", v.Embed)
	}
	if v.Value == nil {
		p.printf("var %s %s\n", v.Name, v.Type)
		return
	}
	p.printf("var %s = %s\n", v.Name, p.value(v.Value))
}

// width is how long a line may be, of a comment and of a function on one line.
const width = 88

func (p *printer) function(f unit.Func) {
	p.doc(f.Doc)
	if f.Return != nil {
		f.Body = "return " + p.value(f.Return)
	}
	head, body := fmt.Sprintf("func %s(%s) %s {", f.Name, unit.Signature(f.Params), f.Result), strings.TrimSpace(f.Body)
	text := fmt.Sprintf("%s %s }\n", head, body)
	if len(head)+len(body) > width || strings.Contains(body, "\n") {
		text = fmt.Sprintf("%s\n%s\n}\n", head, body)
	}
	text, alias, err := unshadow(text, p.known, f.Params, p.taken)
	p.alias, p.err = append(p.alias, alias...), cmp.Or(p.err, err)
	p.WriteString(text)
}

// doc writes text as a comment: a paragraph for each line of it.
func (p *printer) doc(text string) {
	if text == "" {
		return
	}
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n") {
		if i > 0 {
			p.printf("//\n")
		}
		p.comment(paragraph)
	}
}

// comment writes text as lines of a comment.
func (p *printer) comment(text string) {
	line := "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && line != "//" {
			p.printf("%s\n", line)
			line = "//"
		}
		line += " " + word
	}
	p.printf("%s\n", line)
}

// value is an expression for the value of a variable or a field.
func (p *printer) value(v any) string {
	switch v := v.(type) {
	case unit.Expr:
		return string(v)
	case unit.Lit:
		var b strings.Builder
		b.WriteString(v.Type + "{\n")
		for _, f := range v.Fields {
			if f.Name != "" {
				b.WriteString(f.Name + ": ")
			}
			b.WriteString(p.value(f.Value) + ",\n")
		}
		return b.String() + "}"
	case unit.Ref:
		return "&" + p.value(v.Value)
	case unit.Table:
		text, err := tableText(v)
		if p.err == nil {
			p.err = err
		}
		return text
	}
	if p.err == nil {
		p.err = fmt.Errorf("a %T is not a value of a declaration; there are unit.Expr, Lit, Table and Ref", v)
	}
	return ""
}
