package emit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// irWriter writes functions in text form, from bytes that make its choices; when
// they run out, choices are random, or the first if nothing is. Types fit but for
// a slip now and then.
type irWriter struct {
	in     []byte
	rnd    *rand.Rand // nil: nothing is
	values []irValue  // visible
	next   int
	size   int
	slips  bool
	b      strings.Builder
}

type irValue struct {
	name string
	t    emit.Type
}

// n returns a number below n.
func (w *irWriter) n(n int) int {
	switch {
	case len(w.in) > 0:
		b := w.in[0]
		w.in = w.in[1:]
		return int(b) % n
	case w.rnd != nil:
		return w.rnd.IntN(n)
	}
	return 0
}

func (w *irWriter) oneOf(list ...string) string { return list[w.n(len(list))] }

var irElems = []emit.Elem{emit.F32, emit.I64, emit.I32, emit.F64, emit.I8, emit.I1, emit.BF16, emit.I16, emit.F16, emit.F8E4M3, emit.F8E5M2}

func (w *irWriter) typ() emit.Type {
	return emit.Vector(irElems[w.n(len(irElems))], []int{1, 4, 1, 8, 16, 3, 2}[w.n(7)])
}

var irInstructions = func() (list []*emit.Instruction) {
	for _, i := range []*emit.Instruction{inst.LdmatrixA, inst.LdmatrixBTrans, inst.CpAsync, inst.CpAsyncCommit, inst.CpAsyncWait,
		inst.SharedAddress, inst.MbarrierInit, inst.MbarrierArrive, inst.MbarrierExpectTx, inst.MbarrierTryWait, inst.CpAsyncBulk,
		inst.StreamFence, inst.WgmmaFence, inst.WgmmaCommit, inst.LoadIndex, inst.Collect(emit.F32), inst.Collect(emit.F64),
		inst.First(emit.F32), inst.First(emit.F64), inst.Swap(emit.F32, 1), inst.Swap(emit.F64, 2), inst.Stream(emit.Vector(emit.F32, 16)),
		emit.LookupInstruction("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), emit.LookupInstruction("bar.sync"), emit.LookupInstruction("bar.warp.sync")} {
		if i != nil {
			list = append(list, i)
		}
	}
	return list
}()

// function writes one with an argument of each kind.
func (w *irWriter) function() string {
	w.slips = w.n(4) == 3
	w.size = 20 + w.n(40)
	w.b.WriteString("func @f(p: ptr @0, q: ptr.global.16 @8, n: i64 @16, r: ptr @24, x: f32 @32, s: ptr.shared.16 @40)")
	if w.n(3) == 2 {
		fmt.Fprintf(&w.b, " threads %d", []int{32, 64, 128, 1, 33}[w.n(5)])
	}
	w.b.WriteString(" shared 4096 {\n")
	for _, a := range []irValue{{"p", emit.Ptr}, {"q", emit.Pointer(emit.Global, 16)}, {"n", emit.Int64}, {"r", emit.Ptr},
		{"x", emit.Vector(emit.F32, 4)}, {"s", emit.Pointer(emit.Shared, 16)}} {
		w.def(a.t, `param {name="%s"}`, a.name)
	}
	w.ops(2)
	w.b.WriteString("}\n")
	return w.b.String()
}

// def writes an operation with one result.
func (w *irWriter) def(t emit.Type, format string, args ...any) string {
	w.next++
	v := irValue{fmt.Sprintf("v%d", w.next), t}
	fmt.Fprintf(&w.b, "%%%s = %s : %v\n", v.name, fmt.Sprintf(format, args...), w.slip(t))
	w.values = append(w.values, v)
	return "%" + v.name
}

// slip is t, or now and then another type.
func (w *irWriter) slip(t emit.Type) emit.Type {
	if w.slips && w.n(40) == 39 {
		return w.typ()
	}
	return t
}

// use returns a value of type t, a new one if there is none.
func (w *irWriter) use(t emit.Type) string {
	if w.slips && w.n(60) == 59 {
		return "%" + w.values[w.n(len(w.values))].name
	}
	var list []string
	for _, v := range w.values {
		if v.t == t || v.t.Ptr && t.Ptr && v.t.Space == t.Space && v.t.Align >= t.Align {
			list = append(list, "%"+v.name)
		}
	}
	switch {
	case list != nil:
		return list[w.n(len(list))]
	case t.Ptr && t.Space == emit.Shared:
		return w.def(t, "shared {imm=%d}", max(t.Align, 1)*w.n(20))
	case t.Ptr:
		return "%v1"
	case t.Regs > 0 && !t.Async:
		r := t
		r.Regs = 0
		v := w.use(r)
		return w.def(t, "pack %s", strings.TrimSuffix(strings.Repeat(v+", ", t.Regs), ", "))
	case t.Async:
		return "%v1"
	}
	return w.constant(t)
}

func (w *irWriter) constant(t emit.Type) string {
	if t.Elem.Float() {
		return w.def(t, "const {f=%s}", w.oneOf("0", "1", "-0", "0.5", "-3", "+Inf", "NaN", "1e30", "0d7ff8000000000001", "1e-40"))
	}
	if t.Elem == emit.I1 {
		return w.def(t, "const {imm=%d}", w.n(2))
	}
	return w.def(t, "const {imm=%s}", w.oneOf("0", "1", "2", "-1", "3", "7", "64", "-128", "5"))
}

// intType and anyOf pick the type of an operation on what is there.
func (w *irWriter) existing(ok func(emit.Type) bool, other emit.Type) emit.Type {
	var list []emit.Type
	for _, v := range w.values {
		if !v.t.Ptr && v.t.Regs == 0 && !v.t.Async && ok(v.t) {
			list = append(list, v.t)
		}
	}
	if list == nil || w.n(5) == 4 {
		return other
	}
	return list[w.n(len(list))]
}

func (w *irWriter) ops(depth int) {
	for range 3 + w.n(12) {
		if w.size--; w.size < 0 {
			return
		}
		w.op(depth)
	}
}

func (w *irWriter) op(depth int) {
	isInt := func(t emit.Type) bool { return t.Elem.Int() }
	isFloat := func(t emit.Type) bool { return t.Elem.Float() }
	elem := func(t emit.Type, e emit.Elem) emit.Type { t.Elem = e; return t }
	switch w.n(20) {
	case 0:
		w.constant(w.typ())
	case 1, 2:
		t := w.existing(isInt, emit.Int64)
		w.def(t, "%s %s, %s", w.oneOf("add", "sub", "mul", "and", "or", "xor", "shl", "shr", "sar", "udiv", "urem", "umulh", "imin", "imax"), w.use(t), w.use(t))
		if w.n(4) == 0 {
			w.def(t, "%s %s", w.oneOf("popcnt", "clz"), w.use(t))
		}
	case 3, 4:
		t := w.existing(isFloat, emit.Vector(emit.F32, 4))
		switch w.n(4) {
		case 0:
			w.def(t, "fma %s, %s, %s", w.use(t), w.use(t), w.use(t))
		case 1:
			w.def(t, "sqrt %s", w.use(t))
		default:
			w.def(t, "%s %s, %s", w.oneOf("add", "sub", "mul", "div", "max", "min"), w.use(t), w.use(t))
		}
	case 5:
		t := w.typ()
		w.def(t.Mask(), "cmp %s, %s {name=%q}", w.use(t), w.use(t), w.oneOf("eq", "ne", "lt", "le", "gt", "ge"))
	case 6:
		t := w.existing(func(emit.Type) bool { return true }, w.typ())
		if w.n(6) == 5 {
			t = emit.Ptr
		}
		w.def(t, "select %s, %s, %s", w.use(t.Mask()), w.use(t), w.use(t))
	case 7:
		from := w.existing(isInt, emit.Int64)
		to := elem(from, []emit.Elem{emit.I8, emit.I16, emit.I32, emit.I64}[w.n(4)])
		switch {
		case to.Elem < from.Elem && w.n(2) == 1:
			w.def(to, "sat %s {name=%q}", w.use(from), w.oneOf("s", "u"))
		case to.Elem < from.Elem:
			w.def(to, "trunc %s", w.use(from))
		case to.Elem > from.Elem:
			w.def(to, "%s %s", w.oneOf("zext", "sext"), w.use(from))
		}
	case 8:
		from := w.existing(func(t emit.Type) bool { return t.Elem != emit.I1 }, emit.Vector(emit.F32, 4))
		full := func(e emit.Elem) bool { return e == emit.F32 || e == emit.F64 }
		switch to := elem(from, irElems[w.n(len(irElems))]); {
		case to.Elem.Float() && from.Elem.Float() && to.Elem != from.Elem, from.Elem.Int() && full(to.Elem):
			w.def(to, `cvt %s {name="rne"}`, w.use(from))
		case full(from.Elem) && (to.Elem == emit.I32 || to.Elem == emit.I64):
			w.def(to, "cvt %s {name=%q}", w.use(from), w.oneOf("rne", "trunc"))
		}
	case 9:
		from := w.existing(func(t emit.Type) bool { return t.Elem != emit.I1 }, emit.Vector(emit.F32, 4))
		for _, e := range irElems {
			if e != from.Elem && e.Bits() == from.Elem.Bits() {
				w.def(elem(from, e), "bitcast %s", w.use(from))
				return
			}
		}
	case 10:
		t := emit.Vector([]emit.Elem{emit.F32, emit.F64}[w.n(2)], 4)
		w.def(t, "round %s {name=%q}", w.use(t), w.oneOf("floor", "ceil", "trunc", "rne"))
	case 11:
		t := w.typ()
		if w.n(2) == 1 && t.Lanes > 1 {
			w.def(t, "splat %s", w.use(emit.Scalar(t.Elem)))
			return
		}
		out := emit.Vector(t.Elem, 1+w.n(5))
		var perm []string
		for range out.Lanes {
			perm = append(perm, fmt.Sprint(w.n(2*t.Lanes)))
		}
		w.def(out, "shuffle %s, %s {perm=[%s]}", w.use(t), w.use(t), strings.Join(perm, ", "))
	case 12:
		w.def(emit.Vector(emit.I1, []int{4, 8, 16}[w.n(3)]), "%s %s", w.oneOf("maskn", "maskof"), w.use(emit.Int64))
	case 13:
		p := []emit.Type{emit.Ptr, emit.Pointer(emit.Global, 16), emit.Pointer(emit.Shared, 16)}[w.n(3)]
		out := p
		out.Align = []int{0, 1, 0, 4, 16}[w.n(5)]
		w.def(out, "addp %s, %s", w.use(p), w.use(emit.Int64))
	case 14, 15:
		w.memory()
	case 16:
		if depth > 0 {
			w.control(depth)
		}
	case 17:
		w.def(emit.Int32, "sreg {name=%q}", w.oneOf("tid.x", "laneid", "warpid", "ntid.x"))
	case 18:
		t := emit.Frag(emit.Vector(emit.F32, 1), 4)
		if f := w.use(t); w.n(2) == 1 {
			a, b, c, d := w.fresh(), w.fresh(), w.fresh(), w.fresh()
			fmt.Fprintf(&w.b, "%%%s, %%%s, %%%s, %%%s = unpack %s : f32x1, f32x1, f32x1, f32x1\n", a, b, c, d, f)
		}
	default:
		w.instruction()
	}
}

func (w *irWriter) fresh() string {
	w.next++
	return fmt.Sprintf("v%d", w.next)
}

// address is a pointer, perhaps with an index and an offset; the attributes follow.
func (w *irWriter) address() (operands, attrs string) {
	operands = w.use([]emit.Type{emit.Ptr, emit.Ptr, emit.Pointer(emit.Global, 16), emit.Pointer(emit.Shared, 16)}[w.n(4)])
	var list []string
	if w.n(3) == 2 {
		operands += ", " + w.use(emit.Int64)
		list = append(list, fmt.Sprintf("scale=%d", []int{1, 2, 4, 8, 8, 3}[w.n(6)]))
	}
	if w.n(2) == 1 {
		list = append(list, fmt.Sprintf("off=%d", 4*w.n(200)-40))
	}
	if list != nil {
		attrs = " {" + strings.Join(list, ", ") + "}"
	}
	return operands, attrs
}

func (w *irWriter) memory() {
	t := w.typ()
	if t.Elem == emit.I1 {
		t.Elem = emit.I8
	}
	at, attrs := w.address()
	switch w.n(6) {
	case 0:
		w.def(t, "load %s%s", at, attrs)
	case 1:
		w.def(t, "loadm %s, %s%s", w.use(t.Mask()), at, attrs)
	case 2:
		t.Lanes = max(t.Lanes, 2)
		w.def(t, "loadb %s%s", at, attrs)
	case 3:
		fmt.Fprintf(&w.b, "storem %s, %s, %s%s\n", w.use(t), w.use(t.Mask()), at, attrs)
	case 4:
		fmt.Fprintf(&w.b, "prefetch %s%s\n", at, attrs)
	default:
		fmt.Fprintf(&w.b, "store %s, %s%s\n", w.use(t), at, attrs)
	}
}

// block writes a block that yields values of the given types.
func (w *irWriter) block(depth int, args []irValue, yields ...emit.Type) {
	values := len(w.values)
	w.values = append(w.values, args...)
	w.ops(depth - 1)
	var list []string
	for _, t := range yields {
		list = append(list, w.use(t))
	}
	fmt.Fprintf(&w.b, "yield %s\n", strings.Join(list, ", "))
	w.values = w.values[:values]
}

func (w *irWriter) control(depth int) {
	t := w.existing(func(emit.Type) bool { return true }, emit.Vector(emit.F32, 4))
	init, out := w.use(t), irValue{w.fresh(), t}
	arg, i := irValue{w.fresh(), t}, irValue{w.fresh(), emit.Int64}
	switch w.n(3) {
	case 0:
		fmt.Fprintf(&w.b, "%%%s = if %s : %v {\n", out.name, w.use(emit.Bool), t)
		w.block(depth, nil, t)
		w.b.WriteString("} else {\n")
		w.block(depth, nil, t)
	case 1:
		lo, hi, step := w.use(emit.Int64), w.use(emit.Int64), w.use(emit.Int64)
		fmt.Fprintf(&w.b, "%%%s = for %s, %s, %s, %s%s : %v (%%%s: i64, %%%s: %v) {\n", out.name, lo, hi, step, init, w.oneOf("", "", " {once}"), t, i.name, arg.name, t)
		w.block(depth, []irValue{i, arg}, t)
	default: // counts down
		start := w.use(emit.Int64)
		rest, again := irValue{w.fresh(), emit.Int64}, irValue{w.fresh(), t}
		fmt.Fprintf(&w.b, "%%%s, %%%s = while %s, %s : i64, %v (%%%s: i64, %%%s: %v) {\n", w.fresh(), out.name, start, init, t, i.name, arg.name, t)
		values := len(w.values)
		w.values = append(w.values, i)
		c := w.def(emit.Bool, "cmp %%%s, %s {name=\"gt\"}", i.name, w.use(emit.Int64))
		fmt.Fprintf(&w.b, "yield %s, %%%s, %%%s\n} do (%%%s: i64, %%%s: %v) {\n", c, i.name, arg.name, rest.name, again.name, t)
		w.values = append(w.values[:values], rest)
		one := w.def(emit.Int64, "const {imm=1}")
		less := w.def(emit.Int64, "sub %%%s, %s", rest.name, one)
		w.values = append(w.values, again)
		fmt.Fprintf(&w.b, "yield %s, %s\n", less, w.use(t))
		w.values = w.values[:values]
	}
	w.b.WriteString("}\n")
	w.values = append(w.values, out)
}

// instruction writes one with operands of the types that it takes.
func (w *irWriter) instruction() {
	i := irInstructions[w.n(len(irInstructions))]
	var in, out, types []string
	for _, t := range i.In {
		in = append(in, w.use(t))
	}
	var made []irValue
	for _, t := range i.Out {
		v := irValue{w.fresh(), t}
		made, out, types = append(made, v), append(out, "%"+v.name), append(types, t.String())
	}
	if out != nil {
		w.b.WriteString(strings.Join(out, ", ") + " = ")
	}
	fmt.Fprintf(&w.b, "inst %q %s", i.Name, strings.Join(in, ", "))
	if w.n(3) == 2 {
		fmt.Fprintf(&w.b, " {imm=%d}", w.n(8))
	}
	if out != nil {
		w.b.WriteString(" : " + strings.Join(types, ", "))
	}
	w.b.WriteString("\n")
	w.values = append(w.values, made...)
}
