package ptx

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Listing is a module as text, with what each line is for: assemblers and the
// driver report lines.
type Listing struct {
	Text string
	of   []origin
}

// origin is what a line is for.
type origin struct {
	f  *emit.Func
	op *emit.Op
}

// Op returns the function and the operation that line n of the text, counted from 1,
// was printed for. Both are nil for a line of the module. op is nil for a line of the
// function as a whole.
func (l *Listing) Op(n int) (f *emit.Func, op *emit.Op) {
	if n < 1 || n > len(l.of) {
		return nil, nil
	}
	return l.of[n-1].f, l.of[n-1].op
}

// Where describes line n for a message. It names the function, the place in the
// builder, the operation and the line itself.
func (l *Listing) Where(n int) string {
	text := strings.TrimSpace(l.Line(n))
	switch f, op := l.Op(n); {
	case op != nil:
		return (&emit.Error{Func: f.Name, Where: op.Where(), Source: op.Source, Op: op.String(), Why: text}).Error()
	case f != nil:
		return f.Name + ": " + text
	}
	return text
}

// Line returns line n of the text, or "".
func (l *Listing) Line(n int) string {
	lines := strings.Split(l.Text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// lister puts lines together.
type lister struct {
	text strings.Builder
	of   []origin
}

func (l *lister) add(x printed) {
	for s := range strings.SplitSeq(x.text, "\n") {
		l.text.WriteString(s + "\n")
		l.of = append(l.of, origin{x.f, x.op})
	}
}
