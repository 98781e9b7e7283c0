package amd64

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// The register files, in the order of allocation. DI holds the argument block;
// BP and SP are the Go runtime's. R14 and R15 are free to ABI0 assembly, whose
// wrappers restore them, and come last all the same.
var gprs = []string{"AX", "CX", "DX", "BX", "SI", "R8", "R9", "R10", "R11", "R12", "R13", "R15", "R14"}

const argReg = "DI"

// registers returns how many registers a class has on the target. K0 means "no
// mask", so seven mask registers remain.
func registers(t emit.Target, c class) int {
	switch c {
	case gpr:
		return len(gprs)
	case vec:
		return t.Regs
	case mask:
		return 7
	}
	return 0
}

var classNames = [...]string{"", "general", "vector", "mask"}

// web is a set of values that share one register, with the union of their spans.
type web struct {
	cls   class
	spans []span // sorted
	reg   int
}

// alloc assigns a register to every value that needs one.
type alloc struct {
	*live
	parent []int
	webs   []*web // by root value ID
}

// allocate runs liveness, coalescing and colouring on f.
func allocate(t emit.Target, f *emit.Func) (*alloc, error) {
	a, err := coalesced(t, f)
	if err != nil {
		return nil, err
	}
	return a, a.colour()
}

// coalesced is allocate without the colouring.
func coalesced(t emit.Target, f *emit.Func) (*alloc, error) {
	if err := checkTypes(t, f); err != nil {
		return nil, err
	}
	l := analyze(t, f)
	a := &alloc{live: l, parent: make([]int, len(l.spans)), webs: make([]*web, len(l.spans))}
	for id, s := range l.spans {
		a.parent[id] = id
		a.webs[id] = &web{cls: l.cls[id], spans: merge(nil, s), reg: -1}
	}
	return a, a.coalesce()
}

// checkTypes refuses values that no register of the target holds. The result is the
// instruction's business.
func checkTypes(t emit.Target, f *emit.Func) (err error) {
	check := func(op *emit.Op, vs []*emit.Value) {
		for _, v := range vs {
			why := noRegister(t, v.Type)
			switch {
			case why == "" || err != nil:
			case op.Source != "": // whose author knows no values
				err = f.Refuse(op, "%s", why)
			default:
				err = f.Refuse(op, "a value is %v: %s", v.Type, why)
			}
		}
	}
	f.Body.Walk(func(op *emit.Op) {
		for _, in := range op.Blocks {
			check(op, in.Args)
		}
		if op.Inst == nil {
			check(op, op.Results)
		}
	})
	return err
}

// noRegister returns why values of type v have no register on t, or "".
func noRegister(t emit.Target, v emit.Type) string {
	switch {
	case v.Regs > 0 || v.Async:
		return "a register is one value on amd64"
	case v.Ptr && v.Space != emit.Generic:
		return "a CPU has one address space"
	case v.Ptr, v.Elem == emit.I1:
		return ""
	case v.Elem == emit.F8E4M3 || v.Elem == emit.F8E5M2:
		return "amd64 has no 8-bit floats"
	case v.Lanes == 1 && (v.Elem == emit.F16 || v.Elem == emit.BF16):
		return "amd64 has 16-bit floats in vectors only"
	case v.Lanes == 1:
		return ""
	}
	for bits := 32; bits <= t.Bits; bits *= 2 {
		if v.Bits() == bits {
			return ""
		}
	}
	return fmt.Sprintf("vectors on %s have 32 bits or a multiple by a power of two, at most %d", t.Name, t.Bits)
}

func (a *alloc) find(id int) int {
	for a.parent[id] != id {
		a.parent[id] = a.parent[a.parent[id]]
		id = a.parent[id]
	}
	return id
}

// join makes x and y share a register if both need one and their spans do not
// meet; it reports whether they do now.
func (a *alloc) join(x, y *emit.Value) bool {
	i, j := a.find(x.ID), a.find(y.ID)
	if i == j {
		return true
	}
	wi, wj := a.webs[i], a.webs[j]
	if wi.cls != wj.cls || wi.cls == none || meet(wi.spans, wj.spans) {
		return false
	}
	wi.spans = merge(wi.spans, wj.spans)
	a.parent[j] = i
	return true
}

// unite makes two vectors with the same bits share a register wherever either is
// needed.
func (a *alloc) unite(x, y *emit.Value) {
	i, j := a.find(x.ID), a.find(y.ID)
	if i == j || a.webs[i].cls != vec || a.webs[j].cls != vec {
		return
	}
	a.webs[i].spans = merge(a.webs[i].spans, a.webs[j].spans)
	a.parent[j] = i
}

// coalesce merges values that want one register. Values that have to share come first,
// then the back edges of inner loops, where a copy would cost most.
func (a *alloc) coalesce() error {
	var loops, others []*emit.Op
	a.f.Body.Walk(func(op *emit.Op) {
		if op.Def.Name == "bitcast" || op.Def.Name == "recast" {
			a.unite(op.Result(), op.Args[0])
		}
		if op.Def.Name == "for" || op.Def.Name == "while" {
			loops = append(loops, op)
		} else {
			others = append(others, op)
		}
	})
	for _, op := range loops {
		last := op.Blocks[len(op.Blocks)-1].Args
		if op.Def.Name == "for" {
			last = last[1:]
		}
		for i, r := range op.Results {
			if a.cls[r.ID] != none && !a.join(last[i], r) {
				return a.f.Refuse(op, "result %d cannot share the register of the carried value: it is used inside the loop after being replaced", i)
			}
		}
	}
	slices.Reverse(loops) // inner before outer
	for _, op := range loops {
		body := op.Blocks[len(op.Blocks)-1]
		back := body.Ops[len(body.Ops)-1].Args
		carried := op.Blocks[0].Args
		if op.Def.Name == "for" {
			carried = carried[1:]
		}
		for i, v := range carried {
			a.join(v, back[i])
		}
	}
	for _, op := range others {
		for _, i := range tieCandidates(op) {
			if r := op.Result(); r != nil && a.join(r, op.Args[i]) {
				break
			}
		}
		if op.Def.Name == "if" {
			for i, r := range op.Results {
				for _, in := range op.Blocks {
					a.join(r, in.Ops[len(in.Ops)-1].Args[i])
				}
			}
		}
	}
	for _, op := range loops {
		inits, carried := op.Args, op.Blocks[0].Args
		if op.Def.Name == "for" {
			if countsDown(a.live, op) {
				a.join(carried[0], op.Args[1])
			} else {
				a.join(carried[0], op.Args[0])
			}
			inits, carried = op.Args[3:], carried[1:]
		}
		for i, v := range carried {
			a.join(v, inits[i])
		}
	}
	return nil
}

// tieCandidates lists the operands whose register the result of op would best
// take over: required by two-address instructions, best first.
func tieCandidates(op *emit.Op) []int {
	switch op.Def.Name {
	case "fma":
		return []int{0, 1, 2}
	case "add", "mul", "and", "or", "xor":
		if op.Result().Type.Lanes == 1 && !op.Result().Type.Elem.Float() {
			return []int{0, 1}
		}
	case "sub", "shl", "shr", "sar", "addp", "copy", "trunc", "zext", "sext":
		return []int{0}
	case "select":
		return []int{2}
	case "inst":
		if len(op.Inst.Tied) > 0 && op.Inst.Tied[0] >= 0 {
			return op.Inst.Tied[:1]
		}
	}
	return nil
}

// colour gives every web a register, first in program order, which is best for
// straight code, then with the longest spans first.
func (a *alloc) colour() error {
	var webs []*web
	for id, w := range a.webs {
		if a.find(id) == id && w.cls != none && len(w.spans) > 0 {
			webs = append(webs, w)
		}
	}
	start := func(x, y *web) int { return x.spans[0].from - y.spans[0].from }
	length := func(x, y *web) int { return total(y.spans) - total(x.spans) }
	for _, order := range []func(x, y *web) int{start, length} {
		slices.SortStableFunc(webs, order)
		if a.greedy(webs) {
			return nil
		}
	}
	return a.overBudget(webs)
}

func (a *alloc) greedy(webs []*web) bool {
	for i, w := range webs {
		w.reg = -1
		var taken uint64
		for _, o := range webs[:i] {
			if o.cls == w.cls && meet(o.spans, w.spans) {
				taken |= 1 << o.reg
			}
		}
		for r := range registers(a.t, w.cls) {
			if taken>>r&1 == 0 {
				w.reg = r
				break
			}
		}
		if w.reg < 0 {
			return false
		}
	}
	return true
}

// overBudget says where too many values are alive at once.
func (a *alloc) overBudget(webs []*web) error {
	for _, c := range []class{vec, gpr, mask} {
		worst, where := 0, 0
		for p := 0; p < a.next; p++ {
			n := 0
			for _, w := range webs {
				if w.cls == c && meet(w.spans, []span{{p, p + 1}}) {
					n++
				}
			}
			if n > worst {
				worst, where = n, p
			}
		}
		if worst > registers(a.t, c) {
			var at *emit.Op // the last before that a user wrote, or else the last
			for op, p := range a.at {
				switch {
				case p > where:
				case at == nil, op.Source != "" && at.Source == "", (op.Source != "") == (at.Source != "") && p > a.at[at]:
					at = op
				}
			}
			err := a.f.Refuse(at, "%d %s registers are needed at once, %s has %d", worst, classNames[c], a.t.Name, registers(a.t, c))
			emit.AsError(err).Scarce = classNames[c]
			return err
		}
	}
	return a.f.Refuse(nil, "no assignment of registers was found although no place needs more than %s has; split long-lived values", a.t.Name)
}

// reg returns the register of v, spelt for its type.
func (a *alloc) reg(v *emit.Value) string {
	w := a.webs[a.find(v.ID)]
	if w.reg < 0 {
		return fmt.Sprintf("<none:%d>", v.ID)
	}
	switch w.cls {
	case gpr:
		return gprs[w.reg]
	case mask:
		return fmt.Sprintf("K%d", w.reg+1)
	}
	return vectorName(w.reg, vectorBits(v))
}

// spell returns the vector register of v as one of that many bits.
func (a *alloc) spell(v *emit.Value, bits int) string { return vectorName(a.index(v), bits) }

// vectorBits returns how many bits v has in a vector register.
func vectorBits(v *emit.Value) int {
	if isMask(v.Type) { // on AVX2
		return v.Type.Lanes * maskBits(v)
	}
	return v.Type.Bits()
}

// vectorName spells vector register r for a value of that many bits.
func vectorName(r, bits int) string {
	switch {
	case bits == 512:
		return fmt.Sprintf("Z%d", r)
	case bits == 256:
		return fmt.Sprintf("Y%d", r)
	}
	return fmt.Sprintf("X%d", r)
}

// same reports whether x and y share a register.
func (a *alloc) same(x, y *emit.Value) bool {
	wx, wy := a.webs[a.find(x.ID)], a.webs[a.find(y.ID)]
	return wx.cls == wy.cls && wx.reg == wy.reg && wx.reg >= 0
}

func meet(x, y []span) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].to <= y[j].from:
			i++
		case y[j].to <= x[i].from:
			j++
		default:
			return true
		}
	}
	return false
}

// merge returns the sorted union of two lists of spans; touching ones are joined.
func merge(x, y []span) []span {
	all := slices.Concat(x, y)
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func total(s []span) int {
	n := 0
	for _, x := range s {
		n += x.to - x.from
	}
	return n
}

func signbit(x float64) bool { return math.Signbit(x) }
