package asm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// A Speller prints the instructions of one architecture into an [Emitter].
type Speller interface {
	// Row returns how the operation called op is printed, nil if there is no instruction. Loops
	// and branches are not asked for.
	Row(op string) func(op *emit.Op) error
	// Contains reports whether the first of some operations is printed as part of the second.
	Contains(ops []*emit.Op) bool
	// Begin and Finish print what a function begins and ends with.
	Begin()
	Finish()
	// Move copies src to dst, registers of class c.
	Move(c Class, dst, src *emit.Value)
	// Exchange makes x and y, registers of class c, trade places. It reports whether the
	// machine can.
	Exchange(c Class, x, y *emit.Value) bool
	// Const puts the constant v into the register of dst.
	Const(dst, v *emit.Value)
	// Flags compares x with y, of 32 or 64 bits, in general registers; imm says that y is a
	// constant in the instruction. Zero compares x of 64 bits with 0.
	Flags(x, y *emit.Value, imm bool)
	Zero(x *emit.Value)
	// Jump goes to a label if the flags say cc, as "LT"; always if it is "".
	Jump(cc, label string)
	// Up adds n to x. Down takes 1 from x and goes to label unless that leaves 0.
	Up(x *emit.Value, n int64)
	Down(x *emit.Value, label string)
}

// Emitter prints one function.
type Emitter struct {
	*Alloc
	Speller
	File   *File
	Note   string   // printed as a comment after the next line
	Within *emit.Op // what the operation after it contains, while that is printed
	out    bytes.Buffer
	labels int
}

// Print writes header, the functions and their constants as one assembly file. speller
// makes an architecture's part of an emitter.
func Print(w io.Writer, m *Machine, t emit.Target, header string, fs []*emit.Func, speller func(*Emitter) Speller) error {
	shared := newFile()
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n#include \"textflag.h\"\n", header)
	for _, f := range fs {
		a, err := Allocate(m, t, f)
		if err != nil {
			return err
		}
		e := &Emitter{Alloc: a, File: shared}
		e.Speller = speller(e)
		if err := e.function(); err != nil {
			return err
		}
		out.Write(e.out.Bytes())
	}
	shared.print(&out)
	_, err := w.Write(out.Bytes())
	return err
}

func (e *Emitter) function() error {
	for _, l := range strings.Split(e.F.Doc, "\n") {
		e.out.WriteString("\n")
		if l != "" {
			fmt.Fprintf(&e.out, "// %s", l)
		}
	}
	flags, size := "NOSPLIT", FrameSize(e.T, e.F)
	if size > nosplitFrame {
		flags = "0"
	}
	if e.M.Frame != nil {
		size = e.M.Frame(size)
	}
	fmt.Fprintf(&e.out, "\nTEXT ·%s(SB), %s, $%d-8\n", e.F.Name, flags, size)
	e.Begin()
	if err := e.Block(e.F.Body); err != nil {
		return err
	}
	e.Finish()
	return nil
}

// Block prints the operations of b; its yield is printed by the owner.
func (e *Emitter) Block(b *emit.Block) error {
	for i, op := range b.Ops {
		if op.Def.Name == "yield" {
			continue
		}
		if e.Contains(b.Ops[i:]) {
			e.Within = op
			continue
		}
		row := e.row(op.Def.Name)
		if row == nil {
			return e.F.Refuse(op, "%s has no instruction on %s", op.Def.Name, e.T.Name)
		}
		e.Note = op.Comment
		if err := row(op); err != nil {
			var refused *emit.Error
			if errors.As(err, &refused) {
				return err
			}
			return e.F.Refuse(op, "%v", err)
		}
		e.Note, e.Within = "", nil
	}
	return nil
}

// Line prints an instruction.
func (e *Emitter) Line(format string, args ...any) {
	e.out.WriteString("\t" + fmt.Sprintf(format, args...))
	if e.Note != "" {
		e.out.WriteString(" // " + e.Note)
		e.Note = ""
	}
	e.out.WriteString("\n")
}

// Label returns a new label.
func (e *Emitter) Label() string {
	e.labels++
	return fmt.Sprintf("l%d", e.labels)
}

// Mark puts a label here. A line without text is in front of it, but not between labels of one place.
func (e *Emitter) Mark(label string) {
	if !bytes.HasSuffix(e.out.Bytes(), []byte(":\n")) {
		e.out.WriteByte('\n')
	}
	fmt.Fprintf(&e.out, "%s:\n", label)
}

// Temp returns the register of class c that op has for what it makes on the way.
func (e *Emitter) Temp(c Class, op *emit.Op) int {
	for _, id := range e.Temps[op] {
		if e.Cls[id] == c {
			return e.Webs[e.Find(id)].Reg
		}
	}
	panic(e.M.Arch + ": " + op.Def.Name + " needs a register that it did not ask for")
}

// Copy copies src, which may be a constant, to the register of dst.
func (e *Emitter) Copy(dst, src *emit.Value) {
	switch {
	case IsConst(src) && e.Cls[src.ID] == None:
		e.Const(dst, src)
	case e.Same(dst, src):
	default:
		e.Move(e.Cls[dst.ID], dst, src)
	}
}

// row returns how an operation is printed, those of control flow as on any machine.
func (e *Emitter) row(op string) func(op *emit.Op) error {
	switch op {
	case "for":
		return e.loop
	case "while":
		return e.repeat
	case "if":
		return e.branch
	}
	return e.Row(op)
}

// conditions maps a predicate on signed integers to its name in instructions.
var conditions = map[string]string{"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}
var opposite = map[string]string{"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE"}

// Opposite returns the condition that holds where cc does not.
func Opposite(cc string) string { return opposite[cc] }

// Condition sets the flags for a condition and returns its name, such as "LT".
func (e *Emitter) Condition(cond *emit.Value) (cc string, err error) {
	if cond.Op == nil || cond.Op.Def.Name != "cmp" {
		return "", fmt.Errorf("the condition is not made by a comparison; %s keeps no truth values in registers", e.M.Arch)
	}
	x := cond.Op.Args[0]
	if x.Type != emit.Int32 && x.Type != emit.Int64 {
		return "", fmt.Errorf("conditions compare i32 or i64 on %s, not %v", e.M.Arch, x.Type)
	}
	e.Flags(x, cond.Op.Args[1], e.M.immediate(cond.Op, 1))
	return conditions[cond.Op.Attr.Name], nil
}

// loop prints a for loop.
func (e *Emitter) loop(op *emit.Op) error {
	body := op.Blocks[0]
	idx := body.Args[0]
	lo, hi, step := op.Args[0], op.Args[1], op.Args[2]
	if idx.Type != emit.Int64 {
		return fmt.Errorf("loops count in i64 on %s, not in %v", e.M.Arch, idx.Type)
	}
	if !IsConst(step) || step.Op.Attr.Imm <= 0 || step.Op.Attr.Imm > math.MaxInt32 {
		return fmt.Errorf("the step must be a constant from 1 to 2^31-1 on %s", e.M.Arch)
	}
	down := e.CountsDown(op)
	first := lo
	if down {
		first = hi
	}
	if err := e.Parallel(e.At[op], append([]*emit.Value{idx}, body.Args[1:]...), append([]*emit.Value{first}, op.Args[3:]...)); err != nil {
		return err
	}
	bound := func() { e.Flags(idx, hi, IsConst(hi) && e.Cls[hi.ID] == None) }
	top, end := e.Label(), e.Label()
	if !op.Attr.Once {
		if down {
			e.Zero(idx)
			e.Jump("LE", end)
		} else {
			bound()
			e.Jump("GE", end)
		}
	}
	if Innermost(body) {
		e.Line("PCALIGN $32")
	}
	e.Mark(top)
	if err := e.Block(body); err != nil {
		return err
	}
	if err := e.Parallel(e.End(op), body.Args[1:], body.Ops[len(body.Ops)-1].Args); err != nil {
		return err
	}
	if down {
		e.Down(idx, top)
	} else {
		e.Up(idx, step.Op.Attr.Imm)
		bound()
		e.Jump("LT", top)
	}
	if !op.Attr.Once {
		e.Mark(end)
	}
	return nil
}

// repeat prints a while loop.
func (e *Emitter) repeat(op *emit.Op) error {
	head, body := op.Blocks[0], op.Blocks[1]
	if err := e.Parallel(e.At[op], head.Args, op.Args); err != nil {
		return err
	}
	top, end := e.Label(), e.Label()
	e.Mark(top)
	if err := e.Block(head); err != nil {
		return err
	}
	passed := head.Ops[len(head.Ops)-1]
	y := passed.Args
	if err := e.Parallel(e.At[passed], body.Args, y[1:]); err != nil {
		return err
	}
	cc, err := e.Condition(y[0])
	if err != nil {
		return err
	}
	e.Jump(opposite[cc], end)
	if err := e.Block(body); err != nil {
		return err
	}
	if err := e.Parallel(e.End(op), head.Args, body.Ops[len(body.Ops)-1].Args); err != nil {
		return err
	}
	e.Jump("", top)
	e.Mark(end)
	return nil
}

// branch prints an if.
func (e *Emitter) branch(op *emit.Op) error {
	cc, err := e.Condition(op.Args[0])
	if err != nil {
		return err
	}
	side := func(b *emit.Block) error {
		if err := e.Block(b); err != nil {
			return err
		}
		yield := b.Ops[len(b.Ops)-1]
		return e.Parallel(e.At[yield], op.Results, yield.Args)
	}
	otherwise, end := e.Label(), e.Label()
	e.Jump(opposite[cc], otherwise)
	if err := side(op.Blocks[0]); err != nil {
		return err
	}
	if len(op.Blocks[1].Ops) == 1 && len(op.Results) == 0 {
		e.Mark(otherwise)
		return nil
	}
	e.Jump("", end)
	e.Mark(otherwise)
	if err := side(op.Blocks[1]); err != nil {
		return err
	}
	e.Mark(end)
	return nil
}
