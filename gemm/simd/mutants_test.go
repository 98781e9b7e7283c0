package simd

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Reasons to leave a mutant out: it means the same as the kernel.
const (
	commutes   = "the operands of add, mul, and, or, xor, eq and the factors of fma and of most dot products commute"
	hint       = "a prefetch or a fence, and what is computed for it alone, has no effect on results of one thread"
	promised   = "once is a promise to the backend, not an operation"
	idle       = "with no rows left everything inside the if is masked off: it only saves time"
	masked     = "a loop over what is left of k reads nothing where its mask is empty, and one round of it is all there can be"
	spare      = "lanes of the last sums that no element uses may hold anything"
	cleared    = "a mask may have the lowest bit of what was shifted to the left, and back by less"
	complete   = "of complex numbers every bit is kept: Pair.Keep has ones, and Pair.Turn of a triangle the same in each lane"
	none       = "a loop of fewer rounds than none has none"
	lanewise   = "a whole vector may be stored lane by lane, too, which only takes longer"
	contracted = "the comparison comes out the same for every value that kernel.Args allows (mode 0 to 2 or 4, n 1 to the lanes, remainders below their divisor)"
)

// breeder makes the mutants of one kernel by walking its operations.
type breeder struct {
	*gemmtest.Breeder
	vl       int
	streams  bool                 // it knows ModeStream
	inside   map[*emit.Op][]guard // the conditions under which an operation is executed
	users    map[*emit.Value][]*emit.Op
	excluded map[string]int
}

// guard is a comparison that holds, or does not.
type guard struct {
	cmp   *emit.Op
	holds bool
}

func breed(f *emit.Func, vl int) *breeder {
	b := &breeder{vl: vl, inside: map[*emit.Op][]guard{}, users: map[*emit.Value][]*emit.Op{}, excluded: map[string]int{}}
	b.Breeder = gemmtest.NewBreeder(f, b.strip)
	b.index(b.Base.Body, nil)
	for i, op := range b.Ops {
		b.mutate(i, op)
	}
	return b
}

// strip removes prefetches and fences, and what only they need.
func (b *breeder) strip(f *emit.Func) {
	count := func() (n int) {
		f.Body.Walk(func(*emit.Op) { n++ })
		return n
	}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(emit.DeadCode(f))
	before := count()
	var walk func(in *emit.Block)
	walk = func(in *emit.Block) {
		for _, op := range in.Ops {
			for _, in := range op.Blocks {
				walk(in)
			}
		}
		in.Ops = slices.DeleteFunc(in.Ops, func(op *emit.Op) bool {
			empty := op.Def.Name == "if" && op.Result() == nil && len(op.Blocks[0].Ops)+len(op.Blocks[1].Ops) == 2 // that yield nothing
			return op.Def.Name == "prefetch" || op.Inst == inst.StreamFence || empty
		})
	}
	walk(f.Body)
	must(emit.DeadCode(f))
	b.excluded[hint] = before - count()
}

func (b *breeder) index(in *emit.Block, gs []guard) {
	for _, op := range in.Ops {
		b.inside[op] = gs
		b.streams = b.streams || op.Inst != nil && op.Inst.Mem == emit.Writes && op.Inst != inst.Scratch && !onTiles(op.Inst)
		for _, a := range op.Args {
			b.users[a] = append(b.users[a], op)
		}
		for i, block := range op.Blocks {
			inner := gs
			if op.Def.Name == "if" && op.Args[0].Op != nil && op.Args[0].Op.Def.Name == "cmp" {
				inner = append(gs[:len(gs):len(gs)], guard{op.Args[0].Op, i == 0})
			}
			b.index(block, inner)
		}
	}
}

// onTiles reports whether an instruction is of AMX.
func onTiles(i *emit.Instruction) bool { return strings.HasPrefix(i.Needs, "amx") }

// mutate makes all mutants of operation i, which is op.
func (b *breeder) mutate(i int, op *emit.Op) {
	name, r := op.Def.Name, op.Result()
	b.drop(i, op)
	b.swap(i, op)
	switch name {
	case "load", "loadm", "loadb", "store", "storem":
		b.access(i, op)
	case "maskn":
		for _, d := range []int64{1, -1} {
			b.Add(i, fmt.Sprintf("n%+d", d), func(f *emit.Func, op *emit.Op) {
				one := gemmtest.Before(f, op, "const", emit.Attr{Imm: d}, emit.Int64)
				op.Args[0] = gemmtest.Before(f, op, "add", emit.Attr{}, emit.Int64, op.Args[0], one)
			})
		}
	case "const":
		if r.Type.Elem.Float() {
			b.Add(i, "plus 1", func(_ *emit.Func, op *emit.Op) { op.Attr.F++ })
			return
		}
		for _, d := range []int64{1, -1} {
			reason := b.sameForUsers(op, d)
			if d == 1 && op.Attr.Imm%2 == 0 && b.masksShifted(op) {
				reason = cleared
			}
			if reason != "" {
				b.excluded[reason]++
				continue
			}
			b.Add(i, fmt.Sprintf("%+d", d), func(_ *emit.Func, op *emit.Op) { op.Attr.Imm += d })
		}
	case "shuffle":
		n := len(op.Attr.Perm)
		b.Add(i, "two lanes exchanged", func(_ *emit.Func, op *emit.Op) {
			p := op.Attr.Perm
			p[0], p[1] = p[1], p[0]
		})
		b.Add(i, "rotated", func(_ *emit.Func, op *emit.Op) {
			op.Attr.Perm = append(op.Attr.Perm[1:n:n], op.Attr.Perm[0])
		})
	case "cmp":
		for _, pred := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			changed := *op
			changed.Attr.Name = pred
			if pred == op.Attr.Name {
				continue
			}
			if reason := b.same(op, &changed); reason != "" {
				b.excluded[reason]++
				continue
			}
			b.Add(i, "predicate "+pred, func(_ *emit.Func, op *emit.Op) { op.Attr.Name = pred })
		}
	case "param":
		b.fields(i, op)
	case "inst":
		if onTiles(op.Inst) {
			b.tiles(i, op)
		}
	case "for":
		b.loop(i, op)
	case "if":
		b.Add(i, "sides exchanged", func(_ *emit.Func, op *emit.Op) { slices.Reverse(op.Blocks) })
	}
}

// tiles names the neighbour of each tile that an instruction names.
func (b *breeder) tiles(i int, op *emit.Op) {
	places := 1
	switch {
	case op.Inst == inst.TileLoadConfig || op.Inst == inst.TileRelease:
		return
	case len(op.Args) == 0 && op.Inst != inst.TileZero:
		places = 3
	}
	for place := range places {
		b.Add(i, fmt.Sprintf("another tile %d", place), func(_ *emit.Func, op *emit.Op) { op.Attr.Imm ^= 1 << (3 * place) })
	}
}

// drop replaces a result by an operand of its type or by zeros, and removes
// stores.
func (b *breeder) drop(i int, op *emit.Op) {
	switch op.Def.Name {
	case "store", "storem":
		b.Add(i, "dropped", gemmtest.Remove)
		return
	case "inst":
		if op.Result() == nil {
			b.Add(i, "dropped", gemmtest.Remove)
			return
		}
	case "for", "if", "yield", "const":
		return
	}
	r := op.Result()
	for j, a := range op.Args {
		if a.Type == r.Type {
			b.Add(i, fmt.Sprintf("dropped for operand %d", j), func(f *emit.Func, op *emit.Op) { gemmtest.Replace(f, op, op.Args[j]) })
		}
	}
	if r.Type.Elem.Float() {
		b.Add(i, "dropped for zeros", func(f *emit.Func, op *emit.Op) {
			gemmtest.Replace(f, op, gemmtest.Before(f, op, "const", emit.Attr{}, op.Result().Type))
		})
	}
}

// swap exchanges any two operands of one type.
func (b *breeder) swap(i int, op *emit.Op) {
	if op.Def.Name == "yield" {
		return
	}
	for j := range op.Args {
		for k := range j {
			x, y := op.Args[k], op.Args[j]
			if x.Type != y.Type || x == y || op.Def.Name == "for" && k >= 3 {
				continue // what a loop carries is treated in loop
			}
			changed := *op
			changed.Args = []*emit.Value{y, x}
			reason := ""
			switch n := op.Def.Name; {
			case n == "add" || n == "mul" || n == "and" || n == "or" || n == "xor" || n == "fma" && k == 1, n == "cmp" && op.Attr.Name == "eq",
				n == "inst" && op.Inst != inst.DotU8I8(op.Result().Type.Lanes):
				reason = commutes
			case n == "cmp":
				reason = b.same(op, &changed)
			}
			if reason != "" {
				b.excluded[reason]++
				continue
			}
			b.Add(i, fmt.Sprintf("operands %d and %d exchanged", k, j), func(_ *emit.Func, op *emit.Op) {
				op.Args[j], op.Args[k] = op.Args[k], op.Args[j]
			})
		}
	}
}

// access changes an address by an element, its scale, and the mask.
func (b *breeder) access(i int, op *emit.Op) {
	t := op.Args[0].Type
	if r := op.Result(); r != nil {
		t = r.Type
	}
	for _, d := range []int64{1, -1} {
		b.Add(i, fmt.Sprintf("offset %+d element", d), func(_ *emit.Func, op *emit.Op) { op.Attr.Off += d * int64(t.Elem.Bytes()) })
	}
	if op.Attr.Scale != 0 {
		b.Add(i, "another scale", func(_ *emit.Func, op *emit.Op) {
			if op.Attr.Scale *= 2; op.Attr.Scale > 8 {
				op.Attr.Scale = 4
			}
		})
		b.Add(i, "without its index", func(_ *emit.Func, op *emit.Op) {
			op.Args, op.Attr.Scale = op.Args[:len(op.Args)-1], 0
		})
	}
	if m := strings.TrimSuffix(op.Def.Name, "m"); m != op.Def.Name {
		b.Add(i, "without its mask", func(_ *emit.Func, op *emit.Op) {
			at := len(op.Args) - 2
			if op.Attr.Scale != 0 {
				at--
			}
			op.Def, op.Args = emit.Lookup(m), slices.Delete(op.Args, at, at+1)
		})
	}
}

// fields reads other fields of the argument block: the three that follow of the
// same type.
func (b *breeder) fields(i int, op *emit.Op) {
	var names []string
	for _, a := range b.Base.Args {
		if a.Type == b.Base.Arg(op.Attr.Name).Type {
			names = append(names, a.Name)
		}
	}
	at := slices.Index(names, op.Attr.Name)
	for d := 1; d <= min(3, len(names)-1); d++ {
		other := names[(at+d)%len(names)]
		b.Add(i, "field "+other, func(_ *emit.Func, op *emit.Op) { op.Attr.Name = other })
	}
}

// loop moves the bound and leaves carried values as they are, or exchanges them.
func (b *breeder) loop(i int, op *emit.Op) {
	if op.Attr.Once {
		b.excluded[promised]++
	}
	for _, d := range []int64{1, -1} {
		b.Add(i, fmt.Sprintf("bound %+d", d), func(f *emit.Func, op *emit.Op) {
			one := gemmtest.Before(f, op, "const", emit.Attr{Imm: d}, emit.Int64)
			op.Args[1] = gemmtest.Before(f, op, "add", emit.Attr{}, emit.Int64, op.Args[1], one)
		})
	}
	yield := func(op *emit.Op) []*emit.Value {
		in := op.Blocks[0]
		return in.Ops[len(in.Ops)-1].Args
	}
	for j := range yield(op) {
		b.Add(i, fmt.Sprintf("value %d is not carried on", j), func(_ *emit.Func, op *emit.Op) { yield(op)[j] = op.Blocks[0].Args[1+j] })
		b.Add(i, fmt.Sprintf("result %d is what it began with", j), func(f *emit.Func, op *emit.Op) {
			r := op.Results[j]
			f.Body.Walk(func(o *emit.Op) {
				for k, a := range o.Args {
					if a == r {
						o.Args[k] = op.Args[3+j]
					}
				}
			})
		})
		if j > 0 && yield(op)[j].Type == yield(op)[j-1].Type {
			b.Add(i, fmt.Sprintf("values %d and %d trade places", j-1, j), func(_ *emit.Func, op *emit.Op) {
				y := yield(op)
				y[j-1], y[j] = y[j], y[j-1]
			})
		}
	}
}

// domain returns the values that the contract allows for v, nil if it does not say.
func (b *breeder) domain(v *emit.Value) []int64 {
	upTo := func(lo, hi int64) (out []int64) {
		for x := lo; x <= hi; x++ {
			out = append(out, x)
		}
		return out
	}
	if v.Op == nil {
		return nil
	}
	switch op := v.Op; {
	case op.Def.Name == "param" && op.Attr.Name == "mode":
		if b.streams {
			return append(upTo(0, 2), kernel.ModeStream)
		}
		return upTo(0, 2)
	case op.Def.Name == "param" && op.Attr.Name == "n":
		return upTo(1, int64(b.vl))
	case op.Def.Name == "and" && constant(op.Args[1]) != nil:
		return upTo(0, constant(op.Args[1]).Attr.Imm)
	case op.Def.Name == "const":
		return []int64{op.Attr.Imm}
	}
	return nil
}

func constant(v *emit.Value) *emit.Op {
	if v.Op != nil && v.Op.Def.Name == "const" {
		return v.Op
	}
	return nil
}

func holds(pred string, x, y int64) bool {
	switch pred {
	case "eq":
		return x == y
	case "ne":
		return x != y
	case "lt":
		return x < y
	case "le":
		return x <= y
	case "gt":
		return x > y
	}
	return x >= y
}

// same returns why the comparison q may stand for p, of the kernel, or "".
func (b *breeder) same(p, q *emit.Op) string {
	return b.agree(p, func(value map[*emit.Value]int64) bool {
		return holds(q.Attr.Name, value[q.Args[0]], value[q.Args[1]])
	})
}

// sameForUsers returns why the constant op may be greater by d, or "": all who
// use it are comparisons that come out the same.
func (b *breeder) sameForUsers(op *emit.Op, d int64) (reason string) {
	for _, u := range b.users[op.Result()] {
		if u.Def.Name != "cmp" || u.Args[1] != op.Result() {
			return ""
		}
		reason = b.agree(u, func(value map[*emit.Value]int64) bool {
			return holds(u.Attr.Name, value[u.Args[0]], value[u.Args[1]]+d)
		})
		if reason == "" {
			return ""
		}
	}
	return reason
}

// masksShifted reports whether all users of the constant op mask by it what was shifted to
// the left.
func (b *breeder) masksShifted(op *emit.Op) bool {
	shifted := func(v *emit.Value) bool {
		if v.Op == nil || v.Op.Def.Name != "sar" {
			return v.Op != nil && v.Op.Def.Name == "shl" && constant(v.Op.Args[1]) != nil && constant(v.Op.Args[1]).Attr.Imm > 0
		}
		left := v.Op.Args[0].Op
		return left != nil && left.Def.Name == "shl" && constant(left.Args[1]).Attr.Imm > constant(v.Op.Args[1]).Attr.Imm
	}
	for _, u := range b.users[op.Result()] {
		if u.Def.Name != "and" || u.Args[1] != op.Result() || !shifted(u.Args[0]) {
			return false
		}
	}
	return len(b.users[op.Result()]) > 0
}

// agree returns why q may stand for the comparison p, or "": q comes out like p
// wherever p is executed, or differs only where p guards nothing.
func (b *breeder) agree(p *emit.Op, q func(map[*emit.Value]int64) bool) string {
	x, y := p.Args[0], p.Args[1]
	xs, ys := b.domain(x), b.domain(y)
	if xs == nil || ys == nil {
		return ""
	}
	reason := contracted
	for _, i := range xs {
		for _, j := range ys {
			value := map[*emit.Value]int64{x: i, y: j}
			reached := true
			for _, g := range b.inside[p] {
				if v, ok := value[g.cmp.Args[0]]; ok && constant(g.cmp.Args[1]) != nil {
					reached = reached && holds(g.cmp.Attr.Name, v, constant(g.cmp.Args[1]).Attr.Imm) == g.holds
				}
			}
			now := q(value)
			if !reached || holds(p.Attr.Name, i, j) == now {
				continue
			}
			if i != 0 || !now || !b.idle(p) {
				return ""
			}
			reason = idle
		}
	}
	return reason
}

// idle reports whether the if on p does nothing if p's operand is 0: it has one
// side, in which loads are masked and every store is inside a further "if
// operand > constant".
func (b *breeder) idle(p *emit.Op) bool {
	for _, u := range b.users[p.Result()] {
		if u.Def.Name != "if" || len(u.Blocks[1].Ops) != 1 {
			return false
		}
		ok := true
		u.Blocks[0].Walk(func(op *emit.Op) {
			switch op.Def.Name {
			case "load", "loadb", "storem", "for":
				ok = false
			case "maskn":
				ok = ok && op.Args[0] == p.Args[0]
			case "store":
				last := b.inside[op][len(b.inside[op])-1].cmp
				c := constant(last.Args[1])
				ok = ok && last != p && last.Args[0] == p.Args[0] && last.Attr.Name == "gt" && c != nil && c.Attr.Imm >= 0
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

// excuse returns why a change of op may go unseen, or "": it only decides how often a
// loop with masked loads runs, or it moves lanes that are left over.
func (b *breeder) excuse(op *emit.Op) string {
	isMasked := func(loop *emit.Op) bool {
		return slices.ContainsFunc(loop.Blocks[0].Ops, func(o *emit.Op) bool { return o.Def.Name == "maskn" })
	}
	switch {
	case keeps(op):
		return complete
	case b.choosesLanes(op):
		return lanewise
	case b.noRounds(op):
		return none
	case op.Def.Name == "shuffle" && op.Args[0] == op.Args[1]:
		return spare
	case op.Def.Name == "for" && isMasked(op):
		return masked
	case op.Result() == nil || len(b.users[op.Result()]) == 0:
		return ""
	}
	for _, u := range b.users[op.Result()] {
		if u.Def.Name == "for" && isMasked(u) && (u.Args[1] == op.Result() || u.Args[2] == op.Result()) {
			continue
		}
		if len(u.Blocks) > 0 || b.excuse(u) != masked {
			return ""
		}
	}
	return masked
}

// choosesLanes reports whether op only decides if a last vector is stored lane by lane.
func (b *breeder) choosesLanes(op *emit.Op) bool {
	users := b.users[op.Result()]
	if op.Def.Name != "cmp" {
		return len(users) == 1 && users[0].Def.Name == "cmp" && b.choosesLanes(users[0])
	}
	n := op.Args[0].Op
	return op.Attr.Name == "lt" && n != nil && n.Def.Name == "param" && n.Attr.Name == "n" && len(users) == 1 && users[0].Def.Name == "if"
}

// noRounds reports whether op is the zero that a choice of a loop's rounds may have.
func (b *breeder) noRounds(op *emit.Op) bool {
	users := b.users[op.Result()]
	if op.Def.Name != "const" || op.Attr.Imm != 0 || len(users) != 1 || users[0].Def.Name != "select" {
		return false
	}
	rounds := users[0].Result()
	return !slices.ContainsFunc(b.users[rounds], func(u *emit.Op) bool { return u.Def.Name != "for" || u.Args[1] != rounds })
}

// keeps reports whether op is the mask of what of a pair counts, or loads it or that of a triangle,
// whose lanes are alike.
func keeps(op *emit.Op) bool {
	factor := func(op *emit.Op, name string) bool {
		return op.Def.Name == "load" && op.Attr.Off == int64(kernel.PairOffset(name)) && op.Args[0].Op != nil && op.Args[0].Op.Attr.Name == "pair"
	}
	if op.Def.Name == "and" {
		mask := op.Args[1].Op
		return mask != nil && mask.Def.Name == "bitcast" && mask.Args[0].Op != nil && factor(mask.Args[0].Op, "keep")
	}
	return factor(op, "keep") || factor(op, "turn")
}

// tried are the mutants of a kernel that this run tries: so many in a normal one.
func tried(b *breeder, normal int) iter.Seq[gemmtest.Mutant] {
	return b.Make(level.Pick(b.Len(), 1, normal))
}

// skipShort skips what tests the tests.
func skipShort(t *testing.T) {
	t.Helper()
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
}

// Every mutant of these kernels that is tried is caught, or excused by a reason above.
func TestMutants(t *testing.T) {
	skipShort(t)
	type caught struct{ result, refused, checker int }
	var all caught
	excluded := map[string]int{}
	survived, made := 0, 0
	for _, c := range []struct {
		spec   spec
		target emit.Target
		names  []string
	}{
		{stock[emit.F32], amd64.AVX2, []string{"_2x8", "_4x16tail", "_6x8tail", "_packrows16", "_packcols", "_2x56axpy", "_3x3dot", "_join"}},
		{stock[emit.F64], amd64.AVX2, []string{"_2x4", "_3x8tail", "_packrows4", "_packcols", "_6x2dot", "_1x8dot", "_6x8triangle", "_6x8solve"}},
		{stock[emit.F64], amd64.AVX512, []string{"_packcols", "_5x4tail"}},
		{gemm.Spec[complex128, complex128, complex128, complex128]{Name: "ZGEMM"}, amd64.AVX2, []string{"_3x2triangle", "_3x2solve"}},
		{narrowSpecs[dtype.TypeF16], amd64.AVX512, []string{"_2x32widen"}},
		{narrowSpecs[dtype.TypeF16], amd64.AVX2, []string{"_4x8widen"}},
		{narrowSpecs[dtype.TypeBF16], amd64.AVX2, []string{"_2x16widen"}},
		{wordSpecs[0], amd64.AVX512BF16, []string{"_2x32tail", "_packrows"}},
		{wordSpecs[0], amd64.AMXBF16, []string{"_16x32", "_32x32"}},
		{wordSpecs[5], amd64.AMXINT8, []string{"_16x16", "_32x32"}},
		{wordSpecs[1], amd64.AVXVNNI, []string{"_2x8", "_3x16tail", "_packrows16", "_packcols"}},
		{wordSpecs[2], amd64.AVX512VNNI, []string{"_2x16tail"}},
		{wordSpecs[1], arm64.NEONDOT, []string{"_2x8tail", "_2x4tail"}},
		{wordSpecs[2], arm64.NEONI8MM, []string{"_3x8tail", "_zip8", "_ziprows"}},
		{wordSpecs[0], arm64.NEONBF16, []string{"_2x8tail"}},
		{wordSpecs[3], amd64.AVX2, []string{"_2x8", "_3x8tail", "_packrowsa", "_copyrowsa8", "_packcolsa"}},
		{wordSpecs[4], amd64.AVX2, []string{"_packrows", "_copyrows8", "_packcols"}},
	} {
		m := lower(t, c.spec, c.target)
		kernels := m.kernels
		switch {
		case m.Widening != nil:
			kernels = m.widening
		case m.Depth > 0:
			kernels = m.wordKernels
		}
		type runs struct {
			f   *emit.Func
			run func(f *emit.Func) error
		}
		var list []runs
		for _, k := range kernels() {
			list = append(list, runs{k.f, k.run})
		}
		if m.Triangles != nil {
			fs, run := m.triangles()
			for i, f := range fs {
				list = append(list, runs{f, run[i]})
			}
		}
		for _, k := range list {
			if _, name, _ := strings.Cut(k.f.Name, "_"+c.target.Name); !slices.Contains(c.names, name) {
				continue
			}
			b := breed(k.f, m.VL)
			if err := k.run(b.Base); err != nil {
				t.Fatalf("without its prefetches: %v", err)
			}
			for reason, n := range b.excluded {
				excluded[reason] += n
			}
			made += b.Len()
			for mu := range tried(b, 20) {
				if mu.Func.Check() != nil {
					all.checker++
					continue
				}
				err := k.run(mu.Func)
				if reason := b.excuse(mu.Op); err == nil && reason != "" {
					excluded[reason]++
					continue
				}
				switch {
				case err == nil:
					survived++
					t.Errorf("%s survives: %s", k.f.Name, mu.What)
				case emit.AsError(err) != nil:
					all.refused++
				default:
					all.result++
				}
			}
		}
	}
	n := all.result + all.refused + all.checker
	t.Logf("mutants tried %d of %d, caught %d: %d by results, %d by the interpreter, %d by the checker", n+survived, made, n, all.result, all.refused, all.checker)
	for _, reason := range slices.Sorted(maps.Keys(excluded)) {
		t.Logf("excluded %d: %s", excluded[reason], reason)
	}
	if n+survived < 200 {
		t.Errorf("%d mutants, want at least 200", n+survived)
	}
}
