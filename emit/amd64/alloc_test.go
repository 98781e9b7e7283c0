package amd64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// verify checks an allocation with its own idea of liveness: it lays the function
// out as a graph of steps in the order in which they are printed, solves the
// dataflow equations, and then no step may write a register that holds another
// value which is still read.
func verify(a *alloc) error {
	c := &graph{a: a}
	c.block(a.f.Body)
	c.solve()
	for _, s := range c.steps {
		if err := c.check(s); err != nil {
			return fmt.Errorf("%s: %s: %w", a.f.Name, s.name, err)
		}
	}
	return nil
}

// graph is the control flow of one function.
type graph struct {
	a     *alloc
	steps []*graphStep
	open  []*graphStep // whose successor is the next step
}

// graphStep reads uses and then writes defs. A parallel copy has in from what
// defs are copied from, nil for constants.
type graphStep struct {
	name       string
	uses, defs []*emit.Value
	from       []*emit.Value
	noCode     bool          // a copy for which nothing is printed
	early      []*emit.Value // read after the result may have been written
	next       []*graphStep
	liveIn     map[*emit.Value]bool
	liveOut    map[*emit.Value]bool
}

func (c *graph) add(s *graphStep) *graphStep {
	for _, o := range c.open {
		o.next = append(o.next, s)
	}
	s.liveIn, s.liveOut = map[*emit.Value]bool{}, map[*emit.Value]bool{}
	c.steps = append(c.steps, s)
	c.open = []*graphStep{s}
	return s
}

// register returns the file and number of the register of v; ok is false if it
// has none.
func (c *graph) register(v *emit.Value) (cls class, r int, ok bool) {
	cls = c.a.cls[v.ID]
	return cls, c.a.index(v), cls != none
}

// reads resolves what is read for v: the operands of a condition, nothing for an
// immediate.
func (c *graph) reads(vs ...*emit.Value) (out []*emit.Value) {
	for _, v := range vs {
		switch {
		case v.Type == emit.Bool && v.Op != nil:
			out = append(out, c.reads(v.Op.Args...)...)
		case c.a.cls[v.ID] != none:
			out = append(out, v)
		}
	}
	return out
}

// move adds a parallel copy.
func (c *graph) move(name string, defs, srcs []*emit.Value) *graphStep {
	s := &graphStep{name: name}
	for i, d := range defs {
		if c.a.cls[d.ID] == none {
			continue
		}
		s.defs = append(s.defs, d)
		from := c.reads(srcs[i])
		s.uses = append(s.uses, from...)
		if from == nil {
			from = []*emit.Value{nil}
		}
		s.from = append(s.from, from[0])
	}
	return c.add(s)
}

func last(b *emit.Block) []*emit.Value { return b.Ops[len(b.Ops)-1].Args }

func (c *graph) block(b *emit.Block) {
	for _, op := range b.Ops {
		text := op.String()
		switch op.Def.Name {
		case "yield":
		case "bitcast":
			c.move(text, op.Results, op.Args)
		case "for":
			c.loop(op, text)
		case "while":
			head, body := op.Blocks[0], op.Blocks[1]
			c.move(text+" enters", head.Args, op.Args)
			top := len(c.steps)
			c.block(head)
			c.move(text+" passes", body.Args, last(head)[1:])
			test := c.add(&graphStep{name: text + " tests", uses: c.reads(last(head)[0])})
			c.block(body)
			back := c.move(text+" goes back", head.Args, last(body))
			back.next = append(back.next, c.steps[top])
			c.open = []*graphStep{test}
			c.move(text+" leaves", op.Results, body.Args).noCode = true
		case "if":
			test := c.add(&graphStep{name: text + " tests", uses: c.reads(op.Args[0])})
			var ends []*graphStep
			for _, in := range op.Blocks {
				c.open = []*graphStep{test}
				c.block(in)
				ends = append(ends, c.move(text+" joins", op.Results, last(in)))
			}
			c.open = ends
		default:
			s := &graphStep{name: text, uses: c.reads(op.Args...), defs: c.reads(op.Results...)}
			// Printed as a copy of one operand and an instruction that reads the others.
			switch r := op.Result(); {
			case r != nil && r.Type == emit.Bool: // compared where it is used
				continue
			case op.Def.Name == "sub" && c.a.cls[r.ID] == gpr:
				s.early = c.reads(op.Args[1])
			case op.Def.Name == "select" && r.Type.Lanes == 1:
				s.early = c.reads(op.Args[0], op.Args[1])
			}
			c.add(s)
		}
	}
}

func (c *graph) loop(op *emit.Op, text string) {
	body := op.Blocks[0]
	idx, first, bound := body.Args[0], op.Args[0], op.Args[1]
	test := []*emit.Value{idx}
	if countsDown(c.a.live, op) {
		first = bound
	} else {
		test = append(test, bound)
	}
	c.move(text+" enters", body.Args, append([]*emit.Value{first}, op.Args[3:]...))
	var ends []*graphStep
	if !op.Attr.Once {
		ends = append(ends, c.add(&graphStep{name: text + " guards", uses: c.reads(test...)}))
	}
	top := len(c.steps)
	c.block(body)
	c.move(text+" goes back", body.Args[1:], last(body))
	latch := c.add(&graphStep{name: text + " counts", uses: c.reads(test...), defs: []*emit.Value{idx}})
	latch.next = append(latch.next, c.steps[top])
	c.open = append(ends, latch)
	c.move(text+" leaves", op.Results, body.Args[1:]).noCode = true
}

// solve computes what is live before and after each step.
func (c *graph) solve() {
	for changed := true; changed; {
		changed = false
		for i := len(c.steps) - 1; i >= 0; i-- {
			s := c.steps[i]
			for _, n := range s.next {
				for v := range n.liveIn {
					s.liveOut[v] = true
				}
			}
			before := len(s.liveIn)
			for v := range s.liveOut {
				s.liveIn[v] = true
			}
			for _, d := range s.defs {
				delete(s.liveIn, d)
			}
			for _, u := range s.uses {
				s.liveIn[u] = true
			}
			changed = changed || len(s.liveIn) != before
		}
	}
}

// bits returns the vector that v is a bitcast of, or v.
func bits(v *emit.Value) *emit.Value {
	for v.Op != nil && v.Op.Def.Name == "bitcast" && v.Type.Lanes > 1 {
		v = v.Op.Args[0]
	}
	return v
}

func (c *graph) check(s *graphStep) error {
	source := map[*emit.Value]*emit.Value{}
	for i, f := range s.from {
		source[s.defs[i]] = f
	}
	for i, d := range s.defs {
		cls, r, _ := c.register(d)
		if r < 0 || r >= registers(c.a.t, cls) {
			return fmt.Errorf("%%%d is in register %d of class %d", d.ID, r, cls)
		}
		if s.noCode && s.from[i] != nil {
			if fc, fr, _ := c.register(s.from[i]); fc != cls || fr != r {
				return fmt.Errorf("%%%d is expected where %%%d is, and no copy is made", d.ID, s.from[i].ID)
			}
		}
		others := append([]*emit.Value(nil), s.early...)
		for v := range s.liveOut {
			others = append(others, v)
		}
		for _, v := range others {
			vc, vr, ok := c.register(v)
			if v == d || !ok || vc != cls || vr != r {
				continue
			}
			// The same content under two names is no conflict.
			if from := source[d]; from != nil && (v == from || source[v] == from) || bits(v) == bits(d) {
				continue
			}
			return fmt.Errorf("%%%d overwrites %%%d in %s, which is still read", d.ID, v.ID, c.a.reg(v))
		}
	}
	return nil
}

// prepare runs the passes on p and allocates.
func (p program) prepare() (*alloc, error) {
	if err := emit.Run(p.f, Backend{}.Passes(p.target), nil); err != nil {
		return nil, err
	}
	return allocate(p.target, p.f)
}

// acceptable reports whether a random program may be refused with err: it may be
// too large for the registers.
func acceptable(err error) bool {
	return strings.Contains(err.Error(), "registers are needed at once") || strings.Contains(err.Error(), "no assignment of registers was found") ||
		strings.Contains(err.Error(), "values trade places") || strings.Contains(err.Error(), "VPERM2F128 reaches")
}

// No two live values of a random program share a register.
func TestAllocation(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("many random functions")
	}
	for _, target := range []emit.Target{AVX2, AVX512} {
		done, refused := 0, 0
		count := level.Of(0, 150, 300)
		for seed := range uint64(count) {
			p, err := randomProgram(seed, target, 5+int(seed%40))
			if err != nil {
				t.Fatal(err)
			}
			before := p.f.String()
			a, err := p.prepare()
			if err != nil {
				if !acceptable(err) {
					t.Fatalf("%v in\n%s", err, before)
				}
				refused++
				continue
			}
			done++
			if err := verify(a); err != nil {
				t.Fatalf("%s: %v in\n%s", target.Name, err, p.f)
			}
		}
		t.Logf("%s: %d allocations verified, %d programs need too many registers", target.Name, done, refused)
		if done < count*2/3 {
			t.Errorf("%s: %d programs were allocated, want at least %d", target.Name, done, count*2/3)
		}
	}
}

// The verifier finds an allocation that is wrong: with two webs of one class, both
// needed somewhere, thrown together.
func TestVerifierSees(t *testing.T) {
	found, tried := 0, 0
	for seed := range uint64(100) {
		p, err := randomProgram(seed, AVX512, 20)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.prepare()
		if err != nil {
			continue
		}
		tried++
		for _, w := range a.webs {
			w.reg = 0
		}
		if verify(a) != nil {
			found++
		}
	}
	if tried == 0 || found != tried {
		t.Errorf("%d of %d allocations of everything to one register were found wrong", found, tried)
	}
}

// tile is the text of a kernel that keeps mr*nv accumulators, nv vectors and one
// broadcast in registers.
func tile(mr, nv int) string {
	var b strings.Builder
	list := func(format string, n int) string {
		var s []string
		for i := range n {
			s = append(s, strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return strings.Join(s, ", ")
	}
	n := mr * nv
	fmt.Fprintf(&b, "%%0 = const : i64\n%%1 = const {imm=1} : i64\n%%z = const : f32x8\n")
	fmt.Fprintf(&b, "%s = for %%0, %%n, %%1, %s : %s (%%i: i64, %s) {\n", list("%r#", n), list("%z", n), list("f32x8", n), list("%x#: f32x8", n))
	for j := range nv {
		fmt.Fprintf(&b, "%%b%d = load %%p {off=%d} : f32x8\n", j, 32*j)
	}
	for i := range mr {
		fmt.Fprintf(&b, "%%a%d = loadb %%p {off=%d} : f32x8\n", i, 4*i)
		for j := range nv {
			at := i*nv + j
			fmt.Fprintf(&b, "%%y%d = fma %%x%d, %%a%d, %%b%d : f32x8\n", at, at, i, j)
		}
	}
	fmt.Fprintf(&b, "yield %s\n}\n", list("%y#", n))
	for i := range n {
		fmt.Fprintf(&b, "store %%r%d, %%p {off=%d}\n", i, 32*i)
	}
	return b.String()
}

func repeatLines(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)) + "\n")
	}
	return b.String()
}

// A kernel with too many live values is refused by name: function, operation,
// how many, how many there are.
func TestOverBudget(t *testing.T) {
	cycle := "%0 = const : i64\n%1 = const {imm=1} : i64\n" + repeatLines("%v# = load %p {off=#} : f32x8", 16) +
		"%a, %b = for %0, %n, %1, %v0, %v1 : f32x8, f32x8 (%i: i64, %x: f32x8, %y: f32x8) {\nyield %y, %x\n}\nstore %a, %p\nstore %b, %p\n" +
		repeatLines("store %v#, %p", 16)
	cycle = strings.NewReplacer("store %v0, %p\n", "", "store %v1, %p\n", "").Replace(cycle)
	for _, c := range []struct {
		name     string
		target   emit.Target
		body     string
		op, want string // op: the beginning of the operation's text; want "": accepted
	}{
		{"6 x 2 fits 16", AVX2, tile(6, 2), "", ""},
		{"6 x 4 in 32", AVX512, tile(6, 4), "", ""},
		{"6 x 4 in 16", AVX2, tile(6, 4), "%34 = loadb", "29 vector registers are needed at once, avx2 has 16"},
		{"7 x 4 + 4 + 1 in 32", AVX512, tile(7, 4), "%38 = loadb", "33 vector registers are needed at once, avx512 has 32"},
		{"integers", AVX2, repeatLines("%i# = load %p {off=#} : i64", 13) + repeatLines("store %i#, %p", 13),
			"%13 = load", "14 general registers are needed at once, avx2 has 13"},
		{"masks", AVX512, repeatLines("%m# = maskn %n : i1x16", 8) + "%v = load %p : f32x16\n" + repeatLines("storem %v, %m#, %p", 8),
			"%25 = inst", "8 mask registers are needed at once, avx512 has 7"},
		{"vectors that trade places with none free", AVX2, cycle,
			"%23, %24 = for", "values trade places (Y1->Y0 Y0->Y1); that needs one more register, and none is free"},
	} {
		_, err := assemble(t, c.target, c.body)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		e := emit.AsError(err)
		if e == nil {
			t.Errorf("%s: error is %v, want an *emit.Error", c.name, err)
			continue
		}
		if e.Func != "f" || !strings.HasPrefix(e.Op, c.op) || e.Where == "" || e.Why != c.want {
			t.Errorf("%s:\nhave %v\nwant f (...): %s...: %s", c.name, err, c.op, c.want)
		}
	}
}

// What has no row, and values that no register holds.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		target     emit.Target
		body, want string
	}{
		{AVX2, "%v = load %p : f32x16\nstore %v, %p", "a value is f32x16: vectors on avx2 have 32 bits or a multiple by a power of two, at most 256"},
		{AVX512, "%v = load %p : f32x3\nstore %v, %p", "a value is f32x3: vectors on avx512 have 32 bits or a multiple by a power of two, at most 512"},
		{AVX512, "%v = load %p : i8x2\nstore %v, %p", "a value is i8x2: vectors on avx512 have 32 bits or a multiple by a power of two, at most 512"},
		{AVX512, "%v = load %p : e4m3x16\nstore %v, %p", "a value is e4m3x16: amd64 has no 8-bit floats"},
		{AVX512, "%v = load %p : bf16\nstore %v, %p", "a value is bf16: amd64 has 16-bit floats in vectors only"},
		{AVX512, "%v = load %p : f16x8\n%w = add %v, %v : f16x8\nstore %w, %p", "amd64 computes on f32 and f64, not on f16x8; convert with cvt"},
		{AVX512, "%a = load %p : i64\n%b = udiv %a, %n : i64\nstore %b, %p", "udiv has no instruction on avx512"},
		{AVX512, "%a = load %p : i8x64\n%b = mul %a, %a : i8x64\nstore %b, %p", "multiplication of i8x64 has no instruction on avx512"},
		{AVX2, "%a = load %p : i16x16\n%b = shr %a, %a : i16x16\nstore %b, %p", "shifts of i16x16 have no instruction on avx2"},
		{AVX512, "%a = load %p : i8x64\n%b = shl %a, %a : i8x64\nstore %b, %p", "shifts of i8x64 have no instruction on avx512"},
		{AVX2, "%a = load %p : i32x8\n%b = udiv %a, %a : i32x8\nstore %b, %p", "the division of i32x8 takes 64 bits a lane, more than avx2 has; use fewer lanes"},
		{AVX512, "%a = load %p : i8x64\n%b = umulh %a, %a : i8x64\nstore %b, %p", "the upper half of a product of i8x64 has no instruction on avx512"},
		{AVX512, "%a = load %p : i8x64\n%b = popcnt %a : i8x64\nstore %b, %p", "bits are counted in i32, i64 and vectors whose lanes fit a register as 16-bit lanes, not in i8x64"},
		{AVX512, "%a = load %p : f64x8\n%b = cvt %a {name=\"rne\"} : f16x8\nstore %b, %p", "conversion of f64x8 to f16x8 has no instruction on avx512"},
		{AVX512, "%a = load %p : f64x8\n%b = cvt %a {name=\"rne\"} : bf16x8\nstore %b, %p", "conversion of f64x8 to bf16x8 has no instruction on avx512"},
		{AVX512, "%a = load %p : i8\n%b = cvt %a {name=\"rne\"} : f32\nstore %b, %p", "conversion of a scalar i8 to f32 has no instruction on amd64"},
		{AVX512, "%b = sat %n {name=\"u\"} : i8\nstore %b, %p", "saturation of a scalar has no row on amd64; use imin and imax"},
		{AVX512, "%a = load %p : i8\n%b = add %a, %a : i8\nstore %b, %p", "integer arithmetic in general registers is of i32 and i64 on amd64, not of i8"},
		{AVX512, "%a = load %p : i8\n%b = shl %a, %a : i8\nstore %b, %p", "shifts in general registers are of i32 and i64 on amd64, not of i8"},
		{AVX512, "%m = maskn %n : i1x4\n%c = cmp %m, %m {name=\"eq\"} : i1x4\n%a = loadm %c, %p : f32x4\nstore %a, %p", "comparison of masks has no row on amd64; use and, or, xor"},
		{AVX512, "%m = maskn %n : i1x3\n%a = loadm %m, %p : f32x3\nstore %a, %p", "masks on avx512 have 2, 4, 8, 16, 32 or 64 lanes"},
		{AVX2, "%m = maskn %n : i1x64\n%a = loadm %m, %p : i8x64\nstore %a, %p", "masks on avx2 have 2, 4, 8, 16 or 32 lanes"},
		{AVX2, "%0 = const : i32\n%1 = const {imm=1} : i32\n%n2 = trunc %n : i32\nfor %0, %n2, %1 (%i: i32) {\nstore %i, %p\nyield\n}", "loops count in i64 on amd64, not in i32"},
		{AVX2, "prefetch %p {imm=2}", "prefetch level is 2, not 0 (L1) or 1 (L2)"},
		{AVX2, "%0 = const : i64\nfor %0, %n, %k (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on amd64"},
		{AVX2, "%0 = const : i64\n%s = const {imm=2147483648} : i64\nfor %0, %n, %s (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on amd64"},
		{AVX2, "%c = cmp %n, %k {name=\"lt\"} : i1\n%d = cmp %n, %k {name=\"gt\"} : i1\n%e = and %c, %d : i1\n%s = select %e, %n, %k : i64\nstore %s, %p", "logic on conditions has no row on amd64; select or branch twice"},
		{AVX2, "%x = param {name=\"x\"} : f32\n%c = cmp %x, %x {name=\"lt\"} : i1\n%s = select %c, %n, %k : i64\nstore %s, %p", "conditions compare i32 or i64 on amd64, not f32"},
		{AVX2, "%0 = const : i64\n%1 = const {imm=1} : i64\n%c = cmp %n, %k {name=\"lt\"} : i1\n" +
			"%d = for %0, %n, %1, %c : i1 (%i: i64, %x: i1) {\n%y = cmp %i, %k {name=\"lt\"} : i1\nyield %y\n}\n%s = select %d, %n, %k : i64\nstore %s, %p",
			"the condition is not made by a comparison; amd64 keeps no truth values in registers"},
	} {
		_, err := assemble(t, c.target, c.body)
		e := emit.AsError(err)
		if e == nil || e.Func != "f" || e.Op == "" || e.Why != c.want {
			t.Errorf("%s\nhave %v\nwant f (...): ...: %s", c.body, err, c.want)
		}
	}
}
