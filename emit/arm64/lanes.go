package arm64

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// byElement makes multiply-adds by an element of a register of those whose factor is one
// number of memory in every lane. Numbers that lie behind one another are loaded together,
// so that a load serves as many multiply-adds as it has elements. No byte is read that was
// not read before. A load of several numbers keeps its register for longer than those of
// one. If there are too few registers for that, all stays.
func byElement(t emit.Target, f *emit.Func) error {
	c := f.Clone()
	takeElements(c)
	if _, err := asm.Allocate(shared, t, c); err != nil {
		if _, err := asm.Allocate(shared, t, f); err == nil {
			return nil
		}
	}
	takeElements(f)
	return nil
}

func takeElements(f *emit.Func) {
	uses := map[*emit.Value]int{}
	f.Body.Walk(func(op *emit.Op) {
		for _, a := range op.Args {
			uses[a]++
		}
	})
	inElements(f.Body, uses, map[*emit.Op]bool{})
}

// A factor is a load of one number, or of narrow ones of its size, into every lane that multiply-adds
// and dot products of its block take, and nothing else.
type factor struct {
	at   int // in its block
	load *emit.Op
	cast *emit.Op // to narrow elements; nil: they are numbers
	fmas []*emit.Op
}

// value is what multiply-adds take.
func (x *factor) value() *emit.Value {
	if x.cast != nil {
		return x.cast.Result()
	}
	return x.load.Result()
}

// elementOf is what an operation that multiplies becomes if an element of a register is one of
// its factors; nil: there is none such.
func elementOf(op *emit.Op) *emit.Instruction {
	switch {
	case op.Def.Name == "fma":
		return elementFMAs[op.Result().Type]
	case op.Inst != nil:
		return elementDots[op.Inst]
	}
	return nil
}

// inElements does it in b. taken are the multiply-adds that have a factor already.
func inElements(b *emit.Block, uses map[*emit.Value]int, taken map[*emit.Op]bool) {
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			inElements(in, uses, taken)
		}
	}
	// Loads stay on their side of what writes.
	var run []*factor
	replaced := map[*emit.Op][]*emit.Op{}
	flush := func() {
		for len(run) > 0 {
			group := together(run)
			group.replace(replaced)
			run = without(run, group)
		}
	}
	for i, op := range b.Ops {
		if op.Def.Name == "loadb" {
			if x := factorOf(op, b.Ops[i+1:], uses, taken); x != nil {
				x.at = i
				run = append(run, x)
			}
		} else if op.Def.Mem == emit.Writes || op.Inst != nil && op.Inst.Mem == emit.Writes || len(op.Blocks) > 0 {
			flush()
		}
	}
	flush()
	var out []*emit.Op
	for _, op := range b.Ops {
		if by, ok := replaced[op]; ok {
			out = append(out, by...)
		} else {
			out = append(out, op)
		}
	}
	b.Ops = out
}

// factorOf returns what a load is the factor of, or nil.
func factorOf(load *emit.Op, rest []*emit.Op, uses map[*emit.Value]int, taken map[*emit.Op]bool) *factor {
	x := &factor{load: load}
	v := load.Result()
	if v.Type.Bits() != 128 || lowLoads[lowKey{v.Type, 1}] == nil {
		return nil
	}
	for _, op := range rest {
		v := x.value()
		for i, a := range op.Args {
			switch {
			case a != v:
			case op.Def.Name == "recast" && x.cast == nil && uses[v] == 1:
				x.cast = op
			case elementOf(op) == nil || i == 0 || op.Args[1] == op.Args[2] || taken[op]:
				return nil
			default:
				x.fmas = append(x.fmas, op)
			}
		}
	}
	if len(x.fmas) != uses[x.value()] || len(x.fmas) == 0 {
		return nil // used in other blocks too
	}
	for _, op := range x.fmas {
		taken[op] = true
	}
	return x
}

// group is factors that one load brings, the first at the lowest address.
type group []*factor

// together returns the first of run, with those that lie behind it.
func together(run []*factor) group {
	first := run[0].load
	p, index := first.Address()
	t := first.Result().Type
	at := map[int64]*factor{}
	for _, x := range run {
		if q, i := x.load.Address(); q == p && i == index && x.load.Attr.Scale == first.Attr.Scale && x.load.Result().Type == t &&
			x.value().Type == run[0].value().Type && at[x.load.Attr.Off] == nil {
			at[x.load.Attr.Off] = x
		}
	}
	// The group begins where a row of numbers does, by whole registers.
	size := int64(t.Elem.Bytes())
	from := first.Attr.Off
	for at[from-size] != nil {
		from -= size
	}
	from += (first.Attr.Off - from) / 16 * 16
	var g group
	for n := range int64(t.Lanes) {
		if x := at[from+n*size]; x != nil {
			g = append(g, x)
			continue
		}
		break
	}
	if len(g) == 3 { // there is no load of three
		if first == g[2].load {
			return g[2:]
		}
		g = g[:2]
	}
	return g
}

func without(run []*factor, g group) (rest []*factor) {
	for _, x := range run {
		in := false
		for _, y := range g {
			in = in || x == y
		}
		if !in {
			rest = append(rest, x)
		}
	}
	return rest
}

// replace puts one load where the group's first was in the program, and multiply-adds by
// element in the place of the others.
func (g group) replace(replaced map[*emit.Op][]*emit.Op) {
	earliest := g[0]
	for _, x := range g[1:] {
		if x.at < earliest.at {
			earliest = x
		}
	}
	t := g[0].load.Result().Type
	p, index := g[0].load.Address()
	var before []*emit.Op
	if index != nil {
		at := earliest.load
		if shift := map[int64]int64{2: 1, 4: 2, 8: 3}[at.Attr.Scale]; shift > 0 {
			by := asm.NewOp(at, "const", emit.Attr{Imm: shift}, nil, emit.Int64)
			shl := asm.NewOp(at, "shl", emit.Attr{}, nil, emit.Int64, index, by.Result())
			before, index = append(before, by, shl), shl.Result()
		}
		sum := asm.NewOp(at, "addp", emit.Attr{}, nil, emit.Ptr, p, index)
		before, p = append(before, sum), sum.Result()
	}
	load := asm.NewOp(earliest.load, "inst", emit.Attr{Imm: g[0].load.Attr.Off}, lowLoads[lowKey{t, len(g)}], t, p)
	before = append(before, load)
	all := load.Result()
	if cast := earliest.cast; cast != nil {
		op := asm.NewOp(cast, "recast", cast.Attr, nil, cast.Result().Type, all)
		before, all = append(before, op), op.Result()
	}
	for n, x := range g {
		replaced[x.load] = nil
		if x.cast != nil {
			replaced[x.cast] = nil
		}
		for _, f := range x.fmas {
			other := f.Args[1]
			if other == x.value() {
				other = f.Args[2]
			}
			op := asm.NewOp(f, "inst", emit.Attr{Imm: int64(n)}, elementOf(f), f.Result().Type, f.Args[0], other, all)
			op.Results, op.Comment = f.Results, f.Comment
			op.Results[0].Op = op
			replaced[f] = []*emit.Op{op}
		}
	}
	replaced[earliest.load] = before
}

// elementFMAs are acc + x * y[imm], by type, and elementDots dot products of x and the elements y[imm], by
// that of two vectors.
var (
	elementFMAs = map[emit.Type]*emit.Instruction{}
	elementDots = map[*emit.Instruction]*emit.Instruction{}
)

// ontoCopy are the instructions that change a copy of their first operand. They are not tied
// to it, since it may be used again.
var ontoCopy = map[*emit.Instruction]bool{}

// lowKey is a load of so many elements into the low end of a t.
type lowKey struct {
	t emit.Type
	n int
}

// lowLoads load the first elements of a vector, at a pointer plus imm.
var lowLoads = map[lowKey]*emit.Instruction{}

// loadBytes is how much of them an instruction loads.
var loadBytes = map[*emit.Instruction]int{}

func init() {
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		t := emit.Vector(e, 128/e.Bits())
		shape, letter := fmt.Sprintf("%d%s", t.Lanes, letters[e.Bits()]), letters[e.Bits()]
		elementFMAs[t] = emit.Declare(emit.Instruction{
			Name: fmt.Sprintf("arm64.fmla.element.%v", t), Doc: "acc + x * y[imm], rounded once (DDI 0487, FMLA by element)",
			In: []emit.Type{t, t, t}, Out: []emit.Type{t}, Tied: []int{-1}, // a copy of acc changes, see ontoCopy
			Text: map[string]string{"arm64": fmt.Sprintf("fmla {v0}.%s, {v2}.%s, {v3}.%s[{imm}]", shape, shape, letter)},
			Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
				lanes := make([]uint64, t.Lanes)
				for i := range lanes {
					lanes[i] = e.MulAdd(in[0][1].Lane[i], in[0][2].Lane[imm], in[0][0].Lane[i])
				}
				out[0][0] = emit.Word{Lane: lanes}
				return nil
			},
		})
		ontoCopy[elementFMAs[t]] = true
		declareLowLoads(t)
	}
	declareLowLoads(emit.Vector(emit.I32, 4))
	for _, i := range []*emit.Instruction{inst.ArmDotI8, inst.ArmDotU8, inst.ArmDotBF16} {
		elementDots[i] = declareElementDot(i)
		ontoCopy[elementDots[i]] = true
	}
}

// declareElementDot declares the instruction that does what i does with element imm of its last operand,
// as wide as a sum, in place of each.
func declareElementDot(i *emit.Instruction) *emit.Instruction {
	e := *i
	elems := i.In[2]
	group := elems.Lanes / i.Out[0].Lanes
	e.Name, e.Doc, e.Tied = i.Name+".element", i.Doc+", of one element of y", []int{-1} // see ontoCopy
	whole := fmt.Sprintf("{v3}.%d%s", elems.Lanes, letters[elems.Elem.Bits()])
	e.Text = map[string]string{"arm64": strings.Replace(i.Text["arm64"], whole, fmt.Sprintf("{v3}.%d%s[{imm}]", group, letters[elems.Elem.Bits()]), 1)}
	e.Run = func(m *emit.Machine, imm int64, in, out [][]emit.Word) error {
		all := make([]uint64, 0, elems.Lanes)
		for range i.Out[0].Lanes {
			all = append(all, in[0][2].Lane[int(imm)*group:][:group]...)
		}
		return i.Run(m, 0, [][]emit.Word{{in[0][0], in[0][1], {Lane: all}}}, out)
	}
	return emit.Declare(e)
}

// declareLowLoads declares the loads of a type.
func declareLowLoads(t emit.Type) {
	for n := 1; n <= t.Lanes; n *= 2 {
		lowLoads[lowKey{t, n}] = declareLowLoad(t, n)
		loadBytes[lowLoads[lowKey{t, n}]] = n * t.Elem.Bytes()
	}
}

func declareLowLoad(t emit.Type, n int) *emit.Instruction {
	size := t.Elem.Bytes()
	return emit.Declare(emit.Instruction{
		Name: fmt.Sprintf("arm64.low%d.%v", n, t), Doc: fmt.Sprintf("loads the first %d elements from a pointer + imm; the others are zeros", n),
		In: []emit.Type{emit.Ptr}, Out: []emit.Type{t}, Tied: []int{-1}, Mem: emit.Reads,
		Text: map[string]string{"arm64": wide[n*size*8] + " {at}, {0}"},
		Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
			p := in[0][0]
			b, err := p.Mem.Read(p.Offset()+imm, n*size)
			if err != nil {
				return err
			}
			lanes := make([]uint64, t.Lanes)
			for i := range n {
				for j := range size {
					lanes[i] |= uint64(b[i*size+j]) << (8 * j)
				}
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
	})
}
