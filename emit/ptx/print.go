package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// module is the text of one file as it grows.
type module struct {
	t       emit.Target
	version version
	shared  string // the name of the dynamic shared memory
	used    bool   // whether a function uses it
	names   map[string]bool
	tables  map[string]table // by name
	entries []printed
}

// printed is a line and what it is for.
type printed struct {
	text string
	f    *emit.Func
	op   *emit.Op
}

// List prints one module with all functions. Each has been through the backend's
// passes and is checked again. header is printed first, as it is.
//
// It refuses, with an [*emit.Error], operations and special registers that PTX does not
// have or that mean something else there. It also refuses instructions of later
// targets, accesses of unknown alignment, names that are no identifiers, and functions
// with more parameters or shared memory than the target has.
func List(t emit.Target, header string, fs []*emit.Func) (*Listing, error) {
	at := archIndex(t.Name)
	if at < 0 {
		return nil, &emit.Error{Func: t.Name, Why: "is not a target of PTX; they are sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100 and sm_120"}
	}
	m := &module{t: t, version: arch[at].ptx, names: map[string]bool{}, tables: map[string]table{}}
	for _, f := range fs {
		if err := m.declare(f); err != nil {
			return nil, err
		}
	}
	m.shared = unique(m.names, "smem")
	for _, f := range fs {
		if err := m.function(f); err != nil {
			return nil, err
		}
	}
	l := &lister{}
	for h := range strings.SplitSeq(strings.TrimSuffix(header, "\n"), "\n") {
		if header != "" {
			l.add(printed{text: h})
		}
	}
	l.add(printed{text: ".version " + m.version.String()})
	l.add(printed{text: ".target " + t.Name})
	l.add(printed{text: ".address_size 64"})
	if m.used {
		l.add(printed{})
		l.add(printed{text: fmt.Sprintf(".extern .shared .align %d .b8 %s[];", sharedAlign, m.shared)})
	}
	for i, name := range slices.Sorted(maps.Keys(m.tables)) {
		if i == 0 {
			l.add(printed{})
		}
		l.add(printed{text: m.tables[name].print(name)})
	}
	for _, x := range m.entries {
		l.add(x)
	}
	return &Listing{l.text.String(), l.of}, nil
}

// sharedAlign is the alignment of dynamic shared memory, which the 128-byte swizzle
// of bulk copies and wgmma wants.
const sharedAlign = 1024

// declare checks what can be said of f before printing it.
func (m *module) declare(f *emit.Func) error {
	limit := arch[archIndex(m.t.Name)].shared
	switch {
	case !identifier(f.Name):
		return f.Refuse(nil, "%q cannot be a name in PTX; want a letter, then letters, digits and _", f.Name)
	case m.names[f.Name]:
		return f.Refuse(nil, "two functions have this name")
	case f.Shared > limit:
		return f.Refuse(nil, "uses %d bytes of shared memory; a block of %s has at most %d", f.Shared, m.t.Name, limit)
	}
	m.names[f.Name] = true
	if err := f.Check(); err != nil {
		return err
	}
	if n := len(f.Args); n > 0 {
		if last := f.Args[n-1]; last.Offset+last.Type.Bytes() > maxParams {
			return f.Refuse(nil, "has %d bytes of parameters; a kernel takes at most %d", last.Offset+last.Type.Bytes(), maxParams)
		}
	}
	return nil
}

// maxParams is the most bytes of parameters before PTX 8.1 and sm_70. Section 5.1.6.
const maxParams = 4352 - 256

// function prints one entry.
func (m *module) function(f *emit.Func) error {
	small := findNarrow(f)
	e := &emitter{webs: newWebs(f, small), small: small, f: f, t: m.t, levels: f.Uniformity(), shared: m.shared, tables: m.tables,
		params: map[string]string{}, names: map[int]string{}}
	params := e.parameters(m.names)
	if err := e.block(f.Body); err != nil {
		return err
	}
	e.line("ret")

	add := func(format string, args ...any) {
		m.entries = append(m.entries, printed{fmt.Sprintf(format, args...), f, nil})
	}
	add("")
	if f.Doc != "" {
		for l := range strings.SplitSeq(f.Doc, "\n") {
			add("%s", strings.TrimRight("// "+l, " "))
		}
	}
	add(".visible .entry %s(", f.Name)
	for i, p := range params {
		comma := ","
		if i == len(params)-1 {
			comma = ""
		}
		add("\t.param %s%s", p, comma)
	}
	add(")")
	if f.Threads > 0 {
		// Without the second line ptxas wants an SM to have room for another CTA. It then takes fewer registers
		// than there are and spills values not needed in loops, which gains nothing.
		add(".maxntid %d, 1, 1", f.Threads)
		add(".minnctapersm 1")
	}
	add("{")
	for c, n := range e.counts {
		if n > 0 {
			add("\t.reg .%s %s<%d>;", classes[c].kind, classes[c].prefix, n+1)
		}
	}
	for _, x := range e.lines {
		if v := needs(x.text); m.version.less(v) {
			m.version = v
		}
		m.entries = append(m.entries, printed{x.text, f, x.op})
	}
	add("}")
	m.used = m.used || e.dynamic
	return nil
}

// parameters names the arguments and declares them, with what fills the gaps
// between them: PTX places each at the next multiple of its size. They share one
// name space with the module.
func (e *emitter) parameters(module map[string]bool) []string {
	names := map[string]bool{e.shared: true}
	for n := range module {
		names[n] = true
	}
	var out []string
	end := 0
	for _, a := range e.f.Args {
		size := a.Type.Bytes()
		if gap := a.Offset - end; gap >= size { // less is what alignment makes
			out = append(out, fmt.Sprintf(".align 1 .b8 %s[%d]", unique(names, "gap"), gap))
		}
		name := unique(names, "arg_"+cleaned(a.Name))
		e.params[a.Name] = name
		out = append(out, fmt.Sprintf(".%s %s", paramType(a.Type), name))
		end = a.Offset + size
	}
	return out
}

func paramType(t emit.Type) string {
	switch {
	case t.Ptr || t.Elem == emit.I64:
		return "u64"
	case t.Elem.Bytes() == 1:
		return "u8"
	case t.Elem == emit.I32:
		return "u32"
	}
	return classOf(t.Elem).String()
}

// unique returns base, or base with a number if that is a name already, and makes it
// one.
func unique(names map[string]bool, base string) string {
	name := base
	for i := 2; names[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	names[name] = true
	return name
}

// identifier reports whether a function may be called s: PTX allows more, other
// tools do not. Section 4.4.
func identifier(s string) bool {
	return s != "" && cleaned(s) == s && (s[0] < '0' || s[0] > '9') && len(s) <= 1024
}

// cleaned returns s with what a name cannot have replaced by _.
func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}
