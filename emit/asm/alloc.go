package asm

import (
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// Web is a set of values that share one register, with the union of their spans.
type Web struct {
	Cls   Class
	Spans []Span // sorted
	Reg   int
}

// Alloc assigns a register to every value that needs one.
type Alloc struct {
	*Live
	parent []int
	Webs   []*Web // by root value ID
}

// Allocate runs liveness, coalescing and colouring on f.
func Allocate(m *Machine, t emit.Target, f *emit.Func) (*Alloc, error) {
	a, err := coalesced(m, t, f)
	if err != nil {
		return nil, err
	}
	return a, a.colour()
}

// coalesced is allocate without the colouring.
func coalesced(m *Machine, t emit.Target, f *emit.Func) (*Alloc, error) {
	if err := checkTypes(m, t, f); err != nil {
		return nil, err
	}
	l := analyze(m, t, f)
	a := &Alloc{Live: l, parent: make([]int, len(l.Spans)), Webs: make([]*Web, len(l.Spans))}
	for id, s := range l.Spans {
		a.parent[id] = id
		a.Webs[id] = &Web{Cls: l.Cls[id], Spans: merge(nil, s), Reg: -1}
	}
	return a, a.coalesce()
}

// checkTypes refuses values that no register of the target holds. The result is the
// instruction's business.
func checkTypes(m *Machine, t emit.Target, f *emit.Func) (err error) {
	check := func(op *emit.Op, vs []*emit.Value) {
		for _, v := range vs {
			why := m.Refuses(t, v.Type)
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

// Find returns the ID of the value that stands for all that share id's register.
func (a *Alloc) Find(id int) int {
	for a.parent[id] != id {
		a.parent[id] = a.parent[a.parent[id]]
		id = a.parent[id]
	}
	return id
}

// join makes x and y share a register if both need one and their spans do not
// meet; it reports whether they do now.
func (a *Alloc) join(x, y *emit.Value) bool {
	i, j := a.Find(x.ID), a.Find(y.ID)
	if i == j {
		return true
	}
	wi, wj := a.Webs[i], a.Webs[j]
	if wi.Cls != wj.Cls || wi.Cls == None || meet(wi.Spans, wj.Spans) {
		return false
	}
	wi.Spans = merge(wi.Spans, wj.Spans)
	a.parent[j] = i
	return true
}

// unite makes two vectors with the same bits share a register wherever either is
// needed.
func (a *Alloc) unite(x, y *emit.Value) {
	i, j := a.Find(x.ID), a.Find(y.ID)
	if i == j || a.Webs[i].Cls != Vec || a.Webs[j].Cls != Vec {
		return
	}
	a.Webs[i].Spans = merge(a.Webs[i].Spans, a.Webs[j].Spans)
	a.parent[j] = i
}

// coalesce merges values that want one register. Values that have to share come first,
// then the back edges of inner loops, where a copy would cost most.
func (a *Alloc) coalesce() error {
	var loops, others []*emit.Op
	a.F.Body.Walk(func(op *emit.Op) {
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
			if a.Cls[r.ID] != None && !a.join(last[i], r) {
				return a.F.Refuse(op, "result %d cannot share the register of the carried value: it is used inside the loop after being replaced", i)
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
		for _, i := range a.M.Ties(op) {
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
			if a.CountsDown(op) {
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

// colour gives every web a register, first in program order, which is best for
// straight code, then with the longest spans first.
func (a *Alloc) colour() error {
	var webs []*Web
	for id, w := range a.Webs {
		if a.Find(id) == id && w.Cls != None && len(w.Spans) > 0 {
			webs = append(webs, w)
		}
	}
	start := func(x, y *Web) int { return x.Spans[0].from - y.Spans[0].from }
	length := func(x, y *Web) int { return total(y.Spans) - total(x.Spans) }
	for _, order := range []func(x, y *Web) int{start, length} {
		slices.SortStableFunc(webs, order)
		if a.greedy(webs) {
			return nil
		}
	}
	return a.overBudget(webs)
}

func (a *Alloc) greedy(webs []*Web) bool {
	for i, w := range webs {
		w.Reg = -1
		var taken uint64
		for _, o := range webs[:i] {
			if o.Cls == w.Cls && meet(o.Spans, w.Spans) {
				taken |= 1 << o.Reg
			}
		}
		for r := range a.M.Registers(a.T, w.Cls) {
			if taken>>r&1 == 0 {
				w.Reg = r
				break
			}
		}
		if w.Reg < 0 {
			return false
		}
	}
	return true
}

// overBudget says where too many values are alive at once.
func (a *Alloc) overBudget(webs []*Web) error {
	for _, c := range []Class{Vec, GPR, Mask} {
		worst, where := 0, 0
		for p := 0; p < a.next; p++ {
			n := 0
			for _, w := range webs {
				if w.Cls == c && meet(w.Spans, []Span{{p, p + 1}}) {
					n++
				}
			}
			if n > worst {
				worst, where = n, p
			}
		}
		if worst > a.M.Registers(a.T, c) {
			var at *emit.Op // the last before that a user wrote, or else the last
			for op, p := range a.At {
				switch {
				case p > where:
				case at == nil, op.Source != "" && at.Source == "", (op.Source != "") == (at.Source != "") && p > a.At[at]:
					at = op
				}
			}
			err := a.F.Refuse(at, "%d %s registers are needed at once, %s has %d", worst, classNames[c], a.T.Name, a.M.Registers(a.T, c))
			emit.AsError(err).Scarce = classNames[c]
			return err
		}
	}
	return a.F.Refuse(nil, "no assignment of registers was found although no place needs more than %s has; split long-lived values", a.T.Name)
}

// Same reports whether x and y share a register.
func (a *Alloc) Same(x, y *emit.Value) bool {
	wx, wy := a.Webs[a.Find(x.ID)], a.Webs[a.Find(y.ID)]
	return wx.Cls == wy.Cls && wx.Reg == wy.Reg && wx.Reg >= 0
}

func meet(x, y []Span) bool {
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
func merge(x, y []Span) []Span {
	all := slices.Concat(x, y)
	slices.SortFunc(all, func(a, b Span) int { return a.from - b.from })
	var out []Span
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func total(s []Span) int {
	n := 0
	for _, x := range s {
		n += x.to - x.from
	}
	return n
}

func signbit(x float64) bool { return math.Signbit(x) }

// Index returns the number of v's register.
func (a *Alloc) Index(v *emit.Value) int { return a.Webs[a.Find(v.ID)].Reg }
