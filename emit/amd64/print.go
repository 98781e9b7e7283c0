package amd64

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// file collects what the functions of one .s file share.
type file struct {
	data   map[string]datum
	tables map[string]table
	tails  bool // the table of AVX2 masks is used
}

// datum is one constant in read-only data.
type datum struct {
	size int
	bits uint64
}

// emitter prints one function.
type emitter struct {
	*alloc
	file   *file
	out    bytes.Buffer
	labels int
	note   string
	within *emit.Op // what the operation after it contains, while that is printed
}

// Print writes header, the functions and their constants as one assembly file.
func (Backend) Print(w io.Writer, t emit.Target, header string, fs []*emit.Func) error {
	shared := &file{data: map[string]datum{}, tables: map[string]table{}}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n#include \"textflag.h\"\n", header)
	for _, f := range fs {
		a, err := allocate(t, f)
		if err != nil {
			return err
		}
		e := &emitter{alloc: a, file: shared}
		if err := e.function(); err != nil {
			return err
		}
		out.Write(e.out.Bytes())
	}
	shared.print(&out)
	_, err := w.Write(out.Bytes())
	return err
}

func (e *emitter) function() error {
	for _, l := range strings.Split(e.f.Doc, "\n") {
		e.out.WriteString("\n")
		if l != "" {
			fmt.Fprintf(&e.out, "// %s", l)
		}
	}
	flags, size := "NOSPLIT", frameSize(e.t, e.f)
	if size > nosplitFrame {
		flags = "0"
	}
	fmt.Fprintf(&e.out, "\nTEXT ·%s(SB), %s, $%d-8\n", e.f.Name, flags, size)
	e.line("MOVQ args+0(FP), %s", argReg)
	if err := e.block(e.f.Body); err != nil {
		return err
	}
	e.line("VZEROUPPER")
	e.line("RET")
	return nil
}

// block prints the operations of b; its yield is printed by the owner.
func (e *emitter) block(b *emit.Block) error {
	for i, op := range b.Ops {
		if op.Def.Name == "yield" {
			continue
		}
		if e.contained(b.Ops[i:]) {
			e.within = op
			continue
		}
		row, ok := rows[op.Def.Name]
		if !ok {
			return e.f.Refuse(op, "%s has no instruction on %s", op.Def.Name, e.t.Name)
		}
		e.note = op.Comment
		if err := row(e, op); err != nil {
			var refused *emit.Error
			if errors.As(err, &refused) {
				return err
			}
			return e.f.Refuse(op, "%v", err)
		}
		e.note, e.within = "", nil
	}
	return nil
}

func (e *emitter) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if m, rest, ok := strings.Cut(s, " "); ok {
		s = m + " " + rest
	}
	e.out.WriteString("\t" + s)
	if e.note != "" {
		e.out.WriteString(" // " + e.note)
		e.note = ""
	}
	e.out.WriteString("\n")
}

func (e *emitter) label() string {
	e.labels++
	return fmt.Sprintf("l%d", e.labels)
}

// temp returns the register of class c that op has for what it makes on the way.
func (e *emitter) temp(c class, op *emit.Op) int {
	for _, id := range e.temps[op] {
		if e.cls[id] == c {
			return e.webs[e.find(id)].reg
		}
	}
	panic("amd64: " + op.Def.Name + " needs a register that it did not ask for")
}

// mark puts a label here. A line without text is in front of it, but not between labels of one place.
func (e *emitter) mark(label string) {
	if !bytes.HasSuffix(e.out.Bytes(), []byte(":\n")) {
		e.out.WriteByte('\n')
	}
	fmt.Fprintf(&e.out, "%s:\n", label)
}

// index returns the number of v's register.
func (a *alloc) index(v *emit.Value) int { return a.webs[a.find(v.ID)].reg }

func (f *file) print(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(f.data)) {
		d := f.data[name]
		fmt.Fprintf(w, "\nDATA %s+0(SB)/%d, $0x%0*x\nGLOBL %s(SB), RODATA|NOPTR, $%d\n", name, d.size, d.size*2, d.bits, name, d.size)
	}
	for _, name := range slices.Sorted(maps.Keys(f.tables)) {
		t := f.tables[name]
		fmt.Fprintln(w)
		for i, x := range t.words {
			fmt.Fprintf(w, "DATA %s+%d(SB)/%d, $0x%0*x\n", name, i*t.size, t.size, t.size*2, x)
		}
		fmt.Fprintf(w, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, len(t.words)*t.size)
	}
	if f.tails {
		fmt.Fprintf(w, "\n// 32 bytes of ones, then of zeros: n lanes of mask begin 32 bytes less n lanes in.\n")
		for i := range 8 {
			bits := "0xffffffffffffffff"
			if i >= 4 {
				bits = "0x0000000000000000"
			}
			fmt.Fprintf(w, "DATA %s+%d(SB)/8, $%s\n", tailName, i*8, bits)
		}
		fmt.Fprintf(w, "GLOBL %s(SB), RODATA|NOPTR, $64\n", tailName)
	}
}
