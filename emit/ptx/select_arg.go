package ptx

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// The inputs of a kernel from outside: its parameters, special registers and the
// dynamic shared memory.

func selectParam(e *emitter, op *emit.Op) error {
	r, arg := op.Result(), e.f.Arg(op.Attr.Name)
	name := e.params[arg.Name]
	c, n := registers(arg.Type)
	switch {
	case arg.Type.Ptr && arg.Type.Space == emit.Shared:
		wide := e.temp(b64)
		e.line("ld.param.u64 %s, [%s]", wide, name)
		e.line("cvt.u32.u64 %s, %s", e.reg(r, 0), wide)
		return nil
	case arg.Type.Ptr && arg.Type.Space == emit.Global: // parameters are generic addresses
		wide := e.temp(b64)
		e.line("ld.param.u64 %s, [%s]", wide, name)
		e.line("cvta.to.global.u64 %s, %s", e.reg(r, 0), wide)
		return nil
	}
	d := e.reg(r, 0)
	if n = r.Type.Lanes; n > 1 {
		d = e.temp(c)
	}
	if c == pred {
		h := e.temp(b16)
		e.line("ld.param.u8 %s, [%s]", h, name)
		e.line("setp.ne.s16 %s, %s, 0", d, h)
	} else {
		e.line("ld.param.%s %s, [%s]", memType(arg.Type), d, name)
	}
	switch {
	case n == 1:
	case packed(r.Type) > 1:
		return e.perLaneOf(r, func(int) string { return d })
	default:
		for k := range n {
			e.move(c, e.reg(r, k), d)
		}
	}
	return nil
}

// sregs are the special registers of 32 bits; shift makes one of threads of a part
// of them. A CTA counts its threads by tid.x alone.
var sregs = map[string]struct {
	name  string
	shift int
}{
	"tid.x": {"%tid.x", 0}, "tid.y": {"%tid.y", 0}, "tid.z": {"%tid.z", 0},
	"ntid.x": {"%ntid.x", 0}, "ntid.y": {"%ntid.y", 0}, "ntid.z": {"%ntid.z", 0},
	"ctaid.x": {"%ctaid.x", 0}, "ctaid.y": {"%ctaid.y", 0}, "ctaid.z": {"%ctaid.z", 0},
	"nctaid.x": {"%nctaid.x", 0}, "nctaid.y": {"%nctaid.y", 0}, "nctaid.z": {"%nctaid.z", 0},
	"laneid": {"%laneid", 0}, "smid": {"%smid", 0}, "warpid": {"%tid.x", 5}, "warpgroup": {"%tid.x", 7},
	"cluster_ctarank": {"%cluster_ctarank", 0},
}

func selectSReg(e *emitter, op *emit.Op) error {
	s, ok := sregs[op.Attr.Name]
	if !ok {
		return fmt.Errorf("there is no special register %q", op.Attr.Name)
	}
	t := op.Result().Type
	wide := t == emit.Int64 && !e.small.has(op.Result())
	if t != emit.Int32 && t != emit.Int64 {
		return fmt.Errorf("special registers are read as i32 or i64, not as %v", t)
	}
	d := e.reg(op.Result(), 0)
	r := d
	if wide || s.shift > 0 {
		r = e.temp(b32)
	}
	e.line("mov.u32 %s, %s", r, s.name)
	if s.shift > 0 {
		part := d
		if wide {
			part = e.temp(b32)
		}
		e.line("shr.u32 %s, %s, %d", part, r, s.shift)
		r = part
	}
	if wide {
		e.line("cvt.u64.u32 %s, %s", d, r)
	}
	return nil
}

// selectShared takes the address of the dynamic shared memory.
func selectShared(e *emitter, op *emit.Op) error {
	e.dynamic = true
	d := e.reg(op.Result(), 0)
	if op.Attr.Imm == 0 {
		e.line("mov.u32 %s, %s", d, e.shared)
		return nil
	}
	base := e.temp(b32)
	e.line("mov.u32 %s, %s", base, e.shared)
	e.line("add.s32 %s, %s, %d", d, base, op.Attr.Imm)
	return nil
}

// widths are the texts of instructions that take a pointer to shared memory for a
// number of 64 bits; here it has 32.
var widths = map[string]string{"mov.b64/shared": "cvt.u64.u32 {0}, {1};"}

func selectInst(e *emitter, op *emit.Op) error {
	in := op.Inst
	text, ok := in.Text["ptx"]
	if w := widths[in.Name]; w != "" {
		text, ok = w, true
	}
	if !ok {
		return fmt.Errorf("%s has no spelling in PTX", in.Name)
	}
	if !has(e.t.Name, in.Needs) {
		return fmt.Errorf("%s needs %s, and the target is %s", in.Name, in.Needs, e.t.Name)
	}
	var lists [][]string
	for _, r := range op.Results {
		lists = append(lists, e.regs(r))
	}
	for i, a := range op.Args {
		var regs []string
		_, n := registers(a.Type)
		for k := range n {
			regs = append(regs, e.held(a, k))
		}
		for r, o := range in.Tied {
			if o == i && isConst(a) { // the only case where the two are not one already
				c, _ := registers(a.Type)
				for k := range n {
					e.move(c, lists[r][k], regs[k])
				}
			}
		}
		lists = append(lists, regs)
	}
	for one := range strings.SplitSeq(text, "\n") {
		s, err := substitute(one, lists, op.Attr.Imm)
		if err != nil {
			return fmt.Errorf("%s: %v", in.Name, err)
		}
		e.line("%s", s)
	}
	return nil
}

// substitute fills {0}, {1}, ... with registers and {imm} with the constant. Other
// braces stand for themselves.
func substitute(text string, lists [][]string, imm int64) (string, error) {
	var b strings.Builder
	for text != "" {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		b.WriteString(text[:open])
		text = text[open:]
		end := strings.IndexByte(text, '}')
		word := ""
		if end > 0 {
			word = text[1:end]
		}
		switch n, ok := number(word); {
		case word == "imm":
			fmt.Fprint(&b, imm)
		case !ok:
			b.WriteByte('{')
			text = text[1:]
			continue
		case n >= len(lists):
			return "", fmt.Errorf("its text names operand %d, and it has %d", n, len(lists))
		default:
			b.WriteString(strings.Join(lists[n], ", "))
		}
		text = text[end+1:]
	}
	return b.String() + text, nil
}

// number reads up to three digits.
func number(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || i > 2 {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}
