package ptx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// emitter prints the body of one function.
type emitter struct {
	*webs
	small  *narrow
	f      *emit.Func
	t      emit.Target
	levels map[*emit.Value]emit.Level
	params map[string]string // by argument
	shared string            // the name of the dynamic shared memory
	tables map[string]table  // of the module, by name

	lines     []line
	pending   []widened            // by the current operation
	op        *emit.Op             // being printed
	guard     string               // "@%p1 " inside a predicated side of an if
	names     map[int]string       // by root
	plainUses map[*emit.Value]bool // a value that is not only the condition of branches
	counts    [len(classes)]int    // registers named so far
	labels    int
	dynamic   bool // shared memory is used
}

// line is one line of a body and what it is for.
type line struct {
	text string
	op   *emit.Op
}

// widened is a result that was computed in 64 bits and is kept in 32.
type widened struct{ dst, wide string }

// line appends an instruction, without its semicolon, or with it.
func (e *emitter) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	e.lines = append(e.lines, line{"\t" + e.guard + strings.TrimSuffix(s, ";") + ";", e.op})
}

func (e *emitter) mark(label string) { e.lines = append(e.lines, line{label + ":", e.op}) }

func (e *emitter) label() string {
	e.labels++
	return fmt.Sprintf("$L%d", e.labels)
}

// block prints the operations of b; its yield is printed by the owner.
func (e *emitter) block(b *emit.Block) error {
	for _, op := range b.Ops {
		if op.Def.Name == "yield" {
			continue
		}
		row := rows[op.Def.Name]
		if row == nil {
			why := "%s has no meaning on %s"
			if op.Def.Name == "apply" {
				why = "%s: a Go function has to be translated first (gen/fn), %s cannot call it"
			}
			return e.f.Refuse(op, why, op.Def.Name, e.t.Name)
		}
		outer, start := e.op, len(e.lines)
		e.op = op
		if err := row(e, op); err != nil {
			var refused *emit.Error
			if errors.As(err, &refused) {
				return err
			}
			return e.f.Refuse(op, "%v", err)
		}
		for _, w := range e.pending {
			e.line("cvt.u32.u64 %s, %s", w.dst, w.wide)
		}
		e.pending = nil
		if op.Comment != "" && len(e.lines) > start {
			e.lines[start].text += " // " + strings.NewReplacer("\n", " ", "\r", " ").Replace(op.Comment)
		}
		e.op = outer
	}
	return nil
}

// temp returns a new register.
func (e *emitter) temp(c class) string {
	e.counts[c]++
	return fmt.Sprintf("%s%d", classes[c].prefix, e.counts[c])
}

// reg returns register k of v.
func (e *emitter) reg(v *emit.Value, k int) string {
	root := e.find(e.first[v.ID] + k)
	if e.names[root] == "" {
		e.names[root] = e.temp(e.class[root])
	}
	return e.names[root]
}

// dst returns the register to write register k of the result v to.
func (e *emitter) dst(v *emit.Value, k int) string {
	r := e.reg(v, k)
	if e.small.has(v) {
		w := widened{r, e.temp(b64)}
		e.pending = append(e.pending, w)
		return w.wide
	}
	return r
}

// low returns the low 32 bits of an i64, as a register or an immediate.
func (e *emitter) low(v *emit.Value) string {
	if c, ok := intConst(v); ok {
		return fmt.Sprint(int32(c))
	}
	r := e.reg(v, 0)
	if e.small.has(v) {
		return r
	}
	d := e.temp(b32)
	e.line("cvt.u32.u64 %s, %s", d, r)
	return d
}

// fullWidth returns register k of v, which is not a constant, in its full width.
func (e *emitter) fullWidth(v *emit.Value, k int) string {
	r := e.reg(v, k)
	if !e.small.has(v) {
		return r
	}
	d := e.temp(b64)
	if e.small.natural(v) {
		e.line("cvt.u64.u32 %s, %s", d, r)
	} else {
		e.line("cvt.s64.s32 %s, %s", d, r)
	}
	return d
}

// regs returns all registers of v.
func (e *emitter) regs(v *emit.Value) []string {
	_, n := registers(v.Type)
	out := make([]string, n)
	for k := range out {
		out[k] = e.reg(v, k)
	}
	return out
}

// src returns register k of v, or an immediate if v is a constant.
func (e *emitter) src(v *emit.Value, k int) string {
	if isConst(v) {
		return immediate(v.Type, constLane(v))
	}
	return e.fullWidth(v, k)
}

// held returns register k of v; a constant is put into a new one.
func (e *emitter) held(v *emit.Value, k int) string {
	if !isConst(v) {
		return e.fullWidth(v, k)
	}
	c, _ := registers(v.Type)
	d := e.temp(c)
	e.move(c, d, e.src(v, k))
	return d
}

// move copies a register or an immediate.
func (e *emitter) move(c class, dst, src string) {
	if dst != src {
		e.line("mov.%s %s, %s", c, dst, src)
	}
}

// lanes returns the lanes of v, each in a register of its own or an immediate.
func (e *emitter) lanes(v *emit.Value) []string {
	n := v.Type.Lanes
	out := make([]string, 0, n)
	if isConst(v) {
		one := immediate(emit.Scalar(v.Type.Elem), constLane(v))
		for range n {
			out = append(out, one)
		}
		return out
	}
	for k := range n / packed(v.Type) {
		out = append(out, e.unpack(v.Type, e.fullWidth(v, k))...)
	}
	return out
}

// unpack returns the lanes of one register of a t.
func (e *emitter) unpack(t emit.Type, r string) []string {
	n := packed(t)
	if n == 1 {
		return []string{r}
	}
	out := make([]string, n)
	if n == 2 {
		out[0], out[1] = e.temp(b16), e.temp(b16)
	}
	switch {
	case t.Elem.Bits() == 16:
		e.line("mov.b32 {%s, %s}, %s", out[0], out[1], r)
	case n == 2:
		e.line("and.b16 %s, %s, 255", out[0], r)
		e.line("shr.u16 %s, %s, 8", out[1], r)
	default:
		for i := range out {
			out[i] = e.byteOf(r, i)
		}
	}
	return out
}

// byteOf returns a byte of a register of 32 bits.
func (e *emitter) byteOf(r string, i int) string {
	h, b := e.temp(b16), e.temp(b32)
	e.line("bfe.u32 %s, %s, %d, 8", b, r, 8*i)
	e.line("cvt.u16.u32 %s, %s", h, b)
	return h
}

// pack puts lanes into register r of a t, which holds several.
func (e *emitter) pack(t emit.Type, r string, lanes []string) {
	for i, x := range lanes {
		lanes[i] = e.inRegister(b16, x)
	}
	switch {
	case t.Elem.Bits() == 16:
		e.line("mov.b32 %s, {%s, %s}", r, lanes[0], lanes[1])
	case len(lanes) == 2:
		high := e.temp(b16)
		e.line("shl.b16 %s, %s, 8", high, lanes[1])
		e.line("or.b16 %s, %s, %s", r, high, lanes[0])
	default:
		sum := ""
		for i, x := range lanes {
			b := e.temp(b32)
			e.line("cvt.u32.u16 %s, %s", b, x)
			if i == 0 {
				sum = b
				continue
			}
			d := e.temp(b32)
			if i == len(lanes)-1 {
				d = r
			}
			e.line("bfi.b32 %s, %s, %s, %d, 8", d, b, sum, 8*i)
			sum = d
		}
	}
}

// perLane prints for every lane of op's only result what makes it; x are that lane
// of the operands. A result that has its lanes to itself gets them in place.
func (e *emitter) perLane(op *emit.Op, print func(d string, x []string) error) error {
	var args [][]string
	for _, a := range op.Args {
		args = append(args, e.lanes(a))
	}
	r := op.Result()
	n := packed(r.Type)
	var group []string
	for i := range r.Type.Lanes {
		var d string
		if n == 1 {
			d = e.dst(r, i)
		} else {
			d = e.temp(b16)
			group = append(group, d)
		}
		x := make([]string, len(args))
		for j := range args {
			x[j] = args[j][i]
		}
		if err := print(d, x); err != nil {
			return err
		}
		if len(group) == n && n > 1 {
			e.pack(r.Type, e.reg(r, i/n), group)
			group = nil
		}
	}
	return nil
}
