package emu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A program is a kernel ready to run: its instructions as functions over the
// registers of a warp.
type program struct {
	name   string
	fn     *funcText
	text   []string // lines of the module
	module *moduleText
	code   []inst
	slots  int // registers, constants and special registers of a warp: 32 lanes each
	preds  int
	carry  int // the predicate that is the carry flag, -1 if there is none
	truth  int // one that is true, -1 if there is none
	consts []constant
	reads  []specialRead

	static  int  // bytes of shared memory in the text
	dynamic int  // where the dynamic part begins
	local   int  // bytes a thread
	copies  bool // it has cp.async
	regs    int  // 32-bit registers that the text names, for Attributes
	names   map[int]string
}

// slotName is the register of a slot, for reports.
func (p *program) slotName(slot int) string {
	if n := p.names[slot]; n != "" {
		return n
	}
	return "a register"
}

// A constant is a slot that holds the same in all lanes from the beginning.
type constant struct {
	slot  int
	value uint64
}

// A specialRead is a slot that holds a special register.
type specialRead struct {
	slot int
	read func(w *warp, lane int) uint64
}

// An inst is one instruction. Exactly one of run and ctl is set.
type inst struct {
	run func(w *warp, m uint32)
	ctl func(c *cta, s *split, m uint32) signal

	guard    int // predicate, -1 if there is none
	guardNot bool
	aligned  bool // all lanes of the warp have to execute it together
	swaps    bool // a compare-and-swap
	switches bool // a memory or synchronising operation: others may go on here

	srcs, psrcs []int // registers and predicates read
	dsts, pdsts []int // and written
	origins     *origins
	within      *extent // that shared memory has to be of, nil for any
	line        int
	source      sourceLine
	flow        flow
	targets     []int                     // of a branch: indices into code; of a call, where the function begins
	meet        int                       // of a branch: where its ways meet again, -1 for nowhere
	before      []func(w *warp, m uint32) // operands that are computed when it is executed
}

// lineText is the text of a line, as reports quote it.
func (p *program) lineText(line int) string {
	if line < 1 || line > len(p.text) {
		return ""
	}
	s := strings.TrimSpace(p.text[line-1])
	if i := strings.Index(s, "//"); i > 0 {
		s = strings.TrimSpace(s[:i])
	}
	var b strings.Builder
	for i, c := range s {
		switch {
		case i >= 120:
			return b.String() + "…"
		case unicode.IsPrint(c) && c != unicode.ReplacementChar:
			b.WriteRune(c)
		case c == '\t':
			b.WriteByte(' ')
		default: // the text may be any file, and a terminal read the report
			b.WriteByte('.')
		}
	}
	return b.String()
}

// A compiler turns the text of one kernel into a program.
type compiler struct {
	mod    *module
	prog   *program
	slot   map[regKey]int
	pred   map[regKey]int
	cons   map[uint64]int
	spec   map[specialKey]int
	offset map[*variable]int64 // of shared, local and .param variables

	fn      *funcText // being compiled: the kernel, or a function it calls
	base    int       // where its code begins
	end     int       // index of its last instruction, a ret
	entries map[*funcText]int
	calls   []callFix

	in    *instrText
	ins   *inst
	mods  []string // of in that no one has taken yet
	added []int    // columns of the operands with + whose number was added
}

type regKey struct {
	v    *variable
	name string
}

// fail stops the compilation with an error at the instruction.
func (c *compiler) fail(format string, args ...any) {
	c.failAt(c.in, format, args...)
}

func (c *compiler) failAt(at interface{ errorf(string, ...any) error }, format string, args ...any) {
	panic(at.errorf("%s: %s", c.in.name(), fmt.Sprintf(format, args...)))
}

// compile makes a program of a kernel.
func compile(m *module, f *funcText) (p *program, err error) {
	defer caught(&err)
	c := &compiler{mod: m, prog: &program{name: f.name, fn: f, carry: -1, truth: -1, text: m.text.lines, module: m.text},
		slot: map[regKey]int{}, pred: map[regKey]int{}, cons: map[uint64]int{}, spec: map[specialKey]int{},
		offset: map[*variable]int64{}, entries: map[*funcText]int{}}
	c.layoutShared(f, map[*funcText]bool{})
	c.function(f)
	for len(c.calls) > 0 {
		fix := c.calls[0]
		c.calls = c.calls[1:]
		if _, ok := c.entries[fix.callee]; !ok {
			c.function(fix.callee)
		}
		c.prog.code[fix.at].targets = []int{c.entries[fix.callee]}
	}
	c.trace()
	c.prog.names = make(map[int]string, len(c.slot))
	for k, s := range c.slot {
		c.prog.names[s] = k.name
	}
	return c.prog, nil
}

// layoutShared gives the shared variables that f and what it calls name their
// places: static ones first, then all .extern ones at the same place.
func (c *compiler) layoutShared(f *funcText, seen map[*funcText]bool) {
	var order, extern []*variable
	var visit func(f *funcText)
	var args func(in *instrText, list []argText)
	args = func(in *instrText, list []argText) {
		for i := range list {
			a := &list[i]
			if v := in.lookup(a.name); v != nil && v.space == spaceShared {
				if _, ok := c.offset[v]; !ok {
					c.offset[v] = -1
					if v.extern {
						extern = append(extern, v)
					} else {
						order = append(order, v)
					}
				}
			} else if g := c.mod.text.globals.funcs[a.name]; g != nil {
				visit(g)
			}
			args(in, a.list)
			if a.pair != nil {
				args(in, []argText{*a.pair})
			}
		}
	}
	visit = func(f *funcText) {
		if seen[f] {
			return
		}
		seen[f] = true
		for i := range f.body {
			args(&f.body[i], f.body[i].args)
		}
	}
	visit(f)
	at := int64(0)
	for _, v := range order {
		at = alignUp(at, v.align)
		c.offset[v] = at
		at += v.size
		if at > maxStatic {
			panic(v.errorf("%s: the static shared memory of %s is more than %d bytes; .extern memory of a launch may be more", clip(v.name), f.name, maxStatic))
		}
	}
	c.prog.static = int(at)
	align := int64(16)
	for _, v := range extern {
		align = max(align, v.align)
	}
	c.prog.dynamic = int(alignUp(at, align))
	for _, v := range extern {
		c.offset[v] = int64(c.prog.dynamic)
	}
}

// function appends the code of f.
func (c *compiler) function(f *funcText) {
	outer := c.fn
	c.fn, c.base = f, len(c.prog.code)
	c.entries[f] = c.base
	c.end = c.base + len(f.body)
	for i := range f.body {
		c.prog.code = append(c.prog.code, c.instruction(&f.body[i]))
	}
	last := instrText{op: "ret", position: f.position, scope: f.scope, seq: math.MaxInt}
	if len(f.body) > 0 {
		last.line, last.source = f.body[len(f.body)-1].line, f.body[len(f.body)-1].source
	}
	c.in, c.mods = &last, nil
	end := inst{guard: -1, meet: -1, origins: &origins{op: last.op}, line: last.line, source: last.source, ctl: ctlExit}
	if !f.entry {
		end.ctl = ctlReturn
	}
	c.prog.code = append(c.prog.code, end)
	c.meets(c.base, len(c.prog.code))
	c.fn = outer
}

// instruction compiles one instruction.
func (c *compiler) instruction(in *instrText) inst {
	out := inst{guard: -1, meet: -1, origins: &origins{op: in.op}, line: in.line, source: in.source}
	text := *in // a function may be compiled again, for another kernel
	c.in, c.ins, c.mods, c.added = &text, &out, slices.Clone(in.mods), nil
	if in.guard != "" {
		a := argText{name: in.guard, position: in.position}
		out.guard, out.guardNot = c.predSlot(&a), in.guardNot
		out.psrcs = append(out.psrcs, out.guard)
	}
	c.executed(in)
	c.allowed(in)
	opcodes[in.op](c)
	if out.run == nil && out.ctl == nil {
		c.fail("no meaning was given")
	}
	if len(c.mods) > 0 {
		c.fail("%s is not known here, or not together with the rest", c.mods[0])
	}
	for i := range in.args {
		if a := &in.args[i]; a.plus && !slices.Contains(c.added, a.col) {
			c.failAt(a, "nothing is added to %s here", clip(a.name))
		}
	}
	return out
}
