package emu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
)

// A module is loaded PTX: its kernels and its variables.
type module struct {
	handle
	text     *moduleText
	vars     map[*variable]*buffer
	programs map[string]*program
}

// Load parses a module, and compiles its kernel if it has one. If there are several, each is
// compiled when [cuda.Module] is asked for it. So one that the emulator cannot execute does
// not affect the others. The error names the line and the column.
func (d *Device) Load(ptx string) (cuda.Module, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	h, err := cuda.ReadHeader(ptx)
	if err == nil {
		err = h.CheckDevice(d.Info())
	}
	if err != nil {
		return nil, fmt.Errorf("emu: %w", err)
	}
	text, err := parse(ptx)
	if err != nil {
		return nil, refused(ptx, err)
	}
	m := &module{handle: handle{d: d, what: "module"}, text: text, vars: map[*variable]*buffer{}, programs: map[string]*program{}}
	if names := m.kernels(); len(names) == 1 {
		if _, err := m.Function(names[0]); err != nil {
			m.Unload()
			return nil, err
		}
	}
	return m, nil
}

// refused is the error of a module: the place, the line and what is wrong with it.
func refused(ptx string, err error) error { return refusedLine(strings.Split(ptx, "\n"), err) }

func refusedLine(lines []string, err error) error {
	var s *syntaxError
	if !errors.As(err, &s) {
		return err
	}
	p := program{text: lines}
	return &Refusal{s.line, s.col, s.msg, p.lineText(s.line)}
}

// A Refusal is the error of PTX text that is wrong, or that the emulator does not
// execute. It wraps [cuda.ErrPTX].
type Refusal struct {
	Line, Column int // of the text, from 1
	Msg          string
	Text         string // of that line
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("emu: %v: line %d, column %d: %s: `%s`", cuda.ErrPTX, r.Line, r.Column, r.Msg, r.Text)
}

func (r *Refusal) Unwrap() error { return cuda.ErrPTX }

// address returns where a .global or .const variable lies, and puts it there the
// first time.
func (m *module) address(v *variable) uint64 {
	if b := m.vars[v]; b != nil {
		return b.at
	}
	if v.extern {
		panic(v.errorf("%s is .extern: there is no linker here", clip(v.name)))
	}
	b, err := m.d.heap.alloc(v.size)
	if err != nil {
		panic(v.errorf("%s: %v", clip(v.name), err))
	}
	b.name = v.name
	copy(b.data, v.init)
	// Variables without an initialiser are zero (ISA 5.4.4).
	b.written.set(0, len(b.data))
	b.readOnly = v.space == spaceConst
	m.vars[v] = b
	for _, l := range v.links {
		to := v.owner.lookup(l.name, math.MaxInt)
		if to == nil || to.space != spaceGlobal && to.space != spaceConst {
			panic(l.errorf("%s is no variable in .global or .const", clip(l.name)))
		}
		putLittle(b.data[l.at:l.at+8], m.address(to))
	}
	return b.at
}

// Unload frees the variables.
func (m *module) Unload() error {
	if err := m.close(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.vars {
		m.d.heap.free(b)
	}
	return nil
}

// Function returns the kernel of that name, which it compiles the first time. The error of
// one that is not executed is a [Refusal], of the kernel or of a function that it calls.
func (m *module) Function(name string) (cuda.Function, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.live(); err != nil {
		return nil, err
	}
	p := m.programs[name]
	if p == nil {
		f := m.text.globals.funcs[name]
		if f == nil || !f.entry || f.declared {
			return nil, fmt.Errorf("emu: %w: %q; the module has %s", cuda.ErrNoKernel, name, m.kernelList())
		}
		var err error
		if p, err = compile(m, f); err != nil {
			return nil, refusedLine(m.text.lines, err)
		}
		m.programs[name] = p
	}
	return &function{m: m, p: p}, nil
}

// kernels returns the names of the kernels.
func (m *module) kernels() (names []string) {
	for _, f := range m.text.funcs {
		if f.entry {
			names = append(names, f.name)
		}
	}
	return names
}

// kernelList lists the names of the kernels.
func (m *module) kernelList() string {
	names := m.kernels()
	slices.Sort(names)
	if len(names) > 8 {
		names = append(names[:8], "…")
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// A function is a kernel as the interface shows it.
type function struct {
	m *module
	p *program
}

// Attributes of the emulator: Registers is how many 32-bit registers the text names,
// which a compiler would share.
func (f *function) Attributes() cuda.Attributes {
	return cuda.Attributes{Registers: min(f.p.regs, 255), Static: f.p.static, Local: f.p.local}
}

func (f *function) Launch(s cuda.Stream, g cuda.Grid, params []byte) error {
	st, ok := s.(*stream)
	if !ok || st.d != f.m.d {
		return fmt.Errorf("emu: launch of %s: the stream %w", f.p.name, cuda.ErrForeign)
	}
	if _, err := owned[*module](f.m.d, "module", f.m); err != nil {
		return fmt.Errorf("emu: launch of %s: its module %w", f.p.name, cuda.ErrClosed)
	}
	l, err := newLaunch(f.m.d, f.p, g, params)
	if err != nil {
		return err
	}
	return st.do(l.run)
}
