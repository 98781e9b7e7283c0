package gpu

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// A family is the kernels of a spec, in tiles so small that a mutant takes no time.
type family struct {
	set *run.Set
	few bool                                                              // in short mode, of some kernels only
	try func(set *run.Set, k *run.Kernel, s cuda.Stream, long bool) error // all that kernel k has to pass
}

var smallTile = tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3}

func familyOf(t testing.TB, spec kernels.Spec, target emit.Target, translate kernels.Translate, c func(set *run.Set) Case, more ...func(c Case, k *run.Kernel) []Trial) family {
	t.Helper()
	return family{set: setOf(t, spec, translate, target), try: func(set *run.Set, k *run.Kernel, s cuda.Stream, long bool) error {
		if k.Name == "" {
			return tryAll(padTrials(c(set), &set.Targets[0]), s)
		}
		trials := kernelTrials(c(set), k, long)
		for _, m := range more {
			trials = append(trials, m(c(set), k)...)
		}
		return tryAll(trials, s)
	}}
}

func tryAll(trials []Trial, s cuda.Stream) error {
	for _, tr := range trials {
		if err := tr.Run(s); err != nil {
			return fmt.Errorf("%v: %w", tr, err)
		}
	}
	return nil
}

func plainFamily[T dtype.Elem](t testing.TB, spec kernels.Spec) family {
	return familyOf(t, spec, ptx.SM80, nil, func(set *run.Set) Case {
		return Plain(set, func(s cuda.Stream, opt run.Options, out cuda.Matrix[T], a, b cuda.Matrix[T]) error {
			call := run.Begin(set, s, opt)
			run.Out(call, out)
			run.A(call, a)
			run.B(call, b)
			return call.Launch()
		})
	})
}

// reducedFamily has an operand of every pattern, a further output and reductions of rows
// and columns, one of them an index.
func reducedFamily(t testing.TB) family { return mixedFamily(t, false) }

// groupedFamilies are kernels for groups only: with an epilogue, and with alpha and beta.
func groupedFamilies(t testing.TB) []family {
	list := []family{
		mixedFamily(t, true),
		plainFamily[float32](t, gemm.Spec[float32, float32, float32, float32]{Name: "GroupF32", GPU: smallTile, Grouped: true}),
	}
	for i, f := range list {
		target := f.set.Targets[0]
		target.Kernels = slices.DeleteFunc(slices.Clone(target.Kernels), func(k run.Kernel) bool { return !k.Grouped })
		list[i].set = f.with(target)
	}
	return list
}

// mixedFamily is the one of reductions, or of groups without them.
func mixedFamily(t testing.TB, group bool) family {
	mixed := func(acc, row, col float32, full dtype.BF16, one float32) (float32, dtype.BF16) {
		x := float32(acc*row) + col
		return x + float32(full.Float32()*one), dtype.ToBF16(x)
	}
	epilogue := gemm.Fuse[float32, float32](mixed, []gemm.Output{gemm.Also[dtype.BF16]("pre")}, gemm.PerRow[float32]("scale").In(), gemm.PerColumn[float32]("bias").In(),
		gemm.Full[dtype.BF16]("residual").In(), gemm.Scalar[float32]("gain").In())
	spec := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "GroupMixed", GPU: smallTile, Grouped: true, Epilogue: epilogue}
	if !group {
		spec.Name, spec.Grouped, spec.Epilogue = "Reduced", false, epilogue.RowSum("sums").RowArgMin("least").ColMax("peaks")
	}
	translate := func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
		acc, row, col, full, one := op.Args[0], op.Args[1], op.Args[2], op.Args[3], op.Args[4]
		x := b.Add(b.Mul(acc, row), col)
		return []*emit.Value{b.Add(x, b.Mul(b.Cvt(emit.F32, "rne", full), one)), b.Cvt(emit.BF16, "rne", x)}, nil
	}
	return familyOf(t, spec, ptx.SM80, translate, func(set *run.Set) Case {
		c := Case{Kernels: set, Strict: true,
			Launch: func(c *Call) error {
				call := run.Begin(set, c.Stream, c.Options)
				run.Out(call, Out[float32](c, 0))
				run.Out(call, Out[dtype.BF16](c, 1))
				run.A(call, A[dtype.BF16](c))
				run.B(call, B[dtype.BF16](c))
				run.PerRow(call, Row[float32](c, 2))
				run.PerColumn(call, Column[float32](c, 3))
				run.FullOf(call, Full[dtype.BF16](c, 4))
				run.One(call, Scalar[float32](c, 5))
				if !group {
					run.Reduced(call, Reduced[float32](c, 6))
					run.Reduced(call, Reduced[int32](c, 7))
					run.Reduced(call, Reduced[float32](c, 8))
				}
				return call.Launch()
			},
			Case: check.Case{Name: spec.Name, A: dtype.TypeBF16, B: dtype.TypeBF16, Acc: dtype.F32,
				Slots: []check.Slot{{Type: dtype.F32, Out: true}, {Type: dtype.TypeBF16, Out: true}, {Type: dtype.F32, Row: true}, {Type: dtype.F32, Col: true},
					{Type: dtype.TypeBF16, Row: true, Col: true}, {Type: dtype.F32},
					{Name: "sums", Type: dtype.F32, Reduced: true, Reduce: reduce.Sum, Row: true},
					{Name: "least", Type: dtype.I32, Reduced: true, Reduce: reduce.ArgMin, Row: true},
					{Name: "peaks", Type: dtype.F32, Reduced: true, Reduce: reduce.Max, Col: true}},
				Results: func(p *check.Problem, sum float64, i, j int) []float64 {
					y, x := mixed(float32(sum), float32(p.At(2, i, j)), float32(p.At(3, i, j)), dtype.ToBF16(p.At(4, i, j)), float32(p.At(5, i, j)))
					return []float64{float64(y), x.Float64()}
				},
			},
		}
		if group {
			c.Slots = c.Slots[:6]
		}
		return c
	}, extremes, zeroSums)
}

// zeroSums is a product whose sums are all 0, and to which the epilogue adds 0, for kernels to which K = 0 does not come.
func zeroSums(c Case, k *run.Kernel) []Trial {
	if k.Parts.Name == "" && !k.Grouped {
		return nil
	}
	c.fill = func(p *check.Problem) {
		zeroA(p)
		for i := range p.M {
			p.Store(2, 0, i, 1)
		}
		clear(check.Get[[]float32](p, 3))
		clear(check.Get[[]dtype.BF16](p, 4))
	}
	tr := c.trial(Trial{Kernel: k.Name, Lie: lieFor(k, 2)}, check.Shape{M: k.Tile.BM, N: k.Tile.BN, K: k.Tile.BK}, true)
	if k.Grouped {
		tr.Group = []Trial{tr}
		return []Trial{tr}
	}
	parts := tr
	tr.Schedule, parts.Schedule = run.SplitK(1), run.SplitK(2)
	parts.Shape.K *= 2
	return []Trial{tr, parts}
}

// extremes is a product with a row of nothing but +Inf, of which the index of the least is
// 0 (whoever goes round it begins and ends elsewhere), and with a NaN that is the first of
// its row and of its column.
func extremes(c Case, k *run.Kernel) (list []Trial) {
	c.fill = func(p *check.Problem) {
		for k := range p.K {
			for j := range p.N {
				p.Store(check.B, k, j, 1)
			}
			for i := range p.M {
				p.Store(check.A, i, k, 1)
			}
		}
		for i := range p.M {
			p.Store(2, 0, i, 1)
		}
		p.Store(check.A, 8, 0, math.Inf(1))
		p.Store(4, 0, 0, math.NaN())
	}
	tr := Trial{Kernel: k.Name, Lie: lieFor(k, 2)}
	list = append(list, c.trial(tr, check.Shape{M: 12, N: 8, K: 1}, true))
	if k.Grouped {
		list[0].Group = []Trial{list[0]}
	}
	if k.Parts.Name != "" { // with tiles in parts too
		tr.Schedule = run.SplitK(2)
		list = append(list, c.trial(tr, check.Shape{M: 12, N: 8, K: 2 * k.Tile.BK}, true))
	}
	return list
}

// stock are the families of which named mutants are.
func stock(t testing.TB) []family {
	return []family{
		reducedFamily(t),
		plainFamily[dtype.BF16](t, gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16", GPU: smallTile}),
		plainFamily[float32](t, gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32", GPU: smallTile}),
	}
}

func families(t testing.TB) (list []family) {
	of := mutantsOf()
	if of == "" {
		list = append(stock(t), groupedFamilies(t)...)
	}
	return append(list, typedFamilies(t, func(name string) bool {
		// Of sparse ones not all that survives is explained.
		return strings.HasPrefix(name, of) && (of != "" || !strings.HasPrefix(name, "Sparse"))
	})...)
}

// typedFamilies are those of types and of sparse products whose names are wanted.
func typedFamilies(t testing.TB, want func(name string) bool) (list []family) {
	for _, c := range append(types(), sparseTypes()...) {
		if want(c.spec.Describe().Name) {
			f := c.family(t, c)
			f.few = true
			list = append(list, f)
		}
	}
	return list
}

// kernelText cuts the text of one kernel out of a module's.
func kernelText(ptx, name string) (head, text string) {
	at := strings.Index(ptx, ".visible .entry "+name+"(")
	end := at + strings.Index(ptx[at:], "\n}\n") + 3
	return ptx[:strings.Index(ptx, ".visible .entry")], ptx[at:end]
}

// A subject is a text that mutants are made of: that of a kernel, of the one that ends its
// tiles, or of the one that copies operands.
type subject struct {
	k          run.Kernel // that is called; of what copies operands many are
	name, text string
}

// subjects are the kernels of a family, what ends the tiles of those that share them, and what copies operands.
func (f family) subjects() (list []subject) {
	t := f.set.Targets[0]
	of := func(k run.Kernel, name string) subject {
		_, text := kernelText(t.PTX, name)
		return subject{k, name, text}
	}
	for _, k := range t.Kernels {
		list = append(list, of(k, k.Name))
	}
	// What ends tiles does so for several kernels, of which the last calls it.
	for i, k := range t.Kernels {
		again := slices.ContainsFunc(t.Kernels[i+1:], func(x run.Kernel) bool { return x.Parts == k.Parts })
		if k.Parts.Name != "" && !again {
			list = append(list, of(k, k.Parts.Name))
		}
	}
	if slices.ContainsFunc(t.Kernels, func(k run.Kernel) bool { return !k.Grouped }) {
		list = append(list, of(run.Kernel{}, t.Pad))
	}
	return list
}

// only is set with one kernel, those that end its tiles and join reductions, and the subject's
// text.
func (f family) only(s subject) *run.Set {
	t := f.set.Targets[0]
	if s.k.Name == "" {
		_, text := kernelText(t.PTX, s.name)
		t.PTX = strings.Replace(t.PTX, text, s.text, 1)
		return f.with(t)
	}
	ptx, _ := kernelText(t.PTX, s.k.Name)
	for _, name := range append([]string{s.k.Name, s.k.Parts.Name}, t.Joins...) {
		switch {
		case name == "":
			continue
		case name == s.name:
			ptx += s.text
			continue
		}
		_, text := kernelText(t.PTX, name)
		ptx += text
	}
	return f.with(run.Target{PTX: ptx, Kernels: []run.Kernel{s.k}, Joins: t.Joins})
}

// with is f's set with other kernels.
func (f family) with(t run.Target) *run.Set {
	return &run.Set{Name: f.set.Name, A: f.set.A, B: f.set.B, Acc: f.set.Acc, Slots: f.set.Slots, Plain: f.set.Plain, Work: f.set.Work, Targets: []run.Target{t}}
}

// schedules are the orders of execution that a mutant has to get through.
var schedules = []emu.Options{{Seed: 1, Async: emu.Latest}, {}, {Seed: 2, Async: emu.Random}}

// caught returns what is wrong with a subject: first by the trials of short
// mode, which find nearly all that is found, then with TILESMITH_LONG by the others.
func (f family) caught(t testing.TB, x subject) error {
	err := f.tried(t, x, schedules, false)
	if err == nil && testenv.Long() {
		err = f.tried(t, x, schedules, true)
	}
	return err
}

// mutant returns x with a line changed.
func (x subject) mutant(m mutant) subject {
	x.text = m.apply(x.text)
	return x
}

func (f family) tried(t testing.TB, x subject, schedules []emu.Options, long bool) error {
	for _, o := range schedules {
		o.MaxSteps = 2_000_000
		d, err := emu.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		set := f.only(x)
		err = f.try(set, &x.k, s, long)
		set.Forget(d)
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// itself fails the test if x as it is does not pass. Of the orders of execution one is
// enough in short mode, and in all parts but the first: mutants that survive have passed all.
func (f family) itself(t testing.TB, x subject) {
	t.Helper()
	key := f.set.Name + " " + x.name
	if _, passed := passedItself.Load(key); passed {
		return
	}
	err := f.tried(t, x, schedules[:1], false)
	if part := os.Getenv("TILESMITH_MUTANTS"); err == nil && testenv.Long() && (part == "" || strings.HasPrefix(part, "0/")) {
		err = f.caught(t, x)
	}
	if err != nil {
		t.Fatalf("the kernel itself: %v", err)
	}
	passedItself.Store(key, true)
}

// passedItself has the set and the name of each subject that passed: tests have subjects in common.
var passedItself sync.Map

// factsOf returns the facts of a subject, which are looked for once.
func (f family) factsOf(x subject) *facts {
	made, _ := subjectFacts.LoadOrStore(f.set.Name+" "+x.name, sync.OnceValue(func() *facts { return newFacts(x.text) }))
	return made.(func() *facts)()
}

var subjectFacts sync.Map // set and name of a subject: func() *facts

// thinned leaves out lines of long runs of one instruction, as unrolled loops have: of
// each run of more than 16 every 16th stays.
func thinned(text string, all []mutant) (list []mutant) {
	lines := strings.Split(text, "\n")
	run, op := 0, ""
	keep := make([]bool, len(lines))
	for i, l := range lines {
		now, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if run++; now != op {
			run, op = 0, now
		}
		keep[i] = run < 16 || run%16 == 0
	}
	for _, m := range all {
		if keep[m.line] {
			list = append(list, m)
		}
	}
	return list
}

// known returns what the table says of a mutant of a kernel, or nil.
func known(kernel string, f *facts, m mutant) *equivalence {
	for _, list := range [][]equivalence{equivalents, padEquivalents} {
		for i := range list {
			if e := &list[i]; e.holds(kernel, f, m) {
				return e
			}
		}
	}
	return nil
}

// A sample of so many mutants of a kernel is listed.
const sampled = 3

// part returns which of a kernel's mutants are listed: from first on, every step'th. That
// is a sample, or of TILESMITH_MUTANTS=i/n the i'th part of n,
// from 0 on: parts in programs of their own take a few minutes each. TILESMITH_MUTANTS=i/n,NAME
// is that of the types whose specs begin with NAME, those of sparse products among them, without the families
// that are tried first.
func part(t testing.TB, kernel, mutants int, few bool) (first, step int) {
	var i, n int
	switch s, _, _ := strings.Cut(os.Getenv("TILESMITH_MUTANTS"), ","); {
	case s != "":
		if _, err := fmt.Sscanf(s, "%d/%d", &i, &n); err != nil || i < 0 || i >= n {
			t.Fatalf("TILESMITH_MUTANTS is %q, want a part such as 0/40", s)
		}
		return i, n
	}
	step = max(mutants/sampled, 1)
	if few {
		step *= 2
	}
	return 37 * kernel % step, step
}

// mutantsOf is what the names of the types begin with that are asked for.
func mutantsOf() string {
	_, name, _ := strings.Cut(os.Getenv("TILESMITH_MUTANTS"), ",")
	return name
}

// TestMutants: what the checks of a kernel let pass is in the table: it is equivalent,
// or only the trials of TILESMITH_LONG find it. What they do not is not in it. A sample is tried, in long tests that which has
// its turn; TILESMITH_MUTANTS=i/n tries a part of all mutants, which take days;
// -run with a kernel's name those of one.
func TestMutants(t *testing.T) {
	skipShort(t)
	all := os.Getenv("TILESMITH_MUTANTS") != ""
	kinds := map[string][4]int{} // caught, equivalent, caught with TILESMITH_LONG, not in the table
	type listed struct {
		family
		subject
		list []mutant
	}
	var kernels []listed
	total, made, tried, caught := 0, 0, 0, 0
	for i, f := range families(t) {
		subjects := f.subjects()
		for n, x := range subjects {
			if f.few && n%12 != i%min(12, len(subjects)) && !all { // one of twelve, of each family another
				continue
			}
			k, thin := listed{family: f, subject: x}, thinned(x.text, mutants(x.text))
			total += len(thin)
			first, step := part(t, n, len(thin), f.few)
			for i := first; i < len(thin); i += step {
				k.list, made = append(k.list, thin[i]), made+1
			}
			kernels = append(kernels, k)
		}
	}
	picked := level.Pick(len(kernels), 0, 6) // of kernels, which have to pass themselves
	for i, k := range kernels {
		if f, x := k.family, k.subject; len(k.list) > 0 && (all || slices.Contains(picked, i)) {
			t.Run(x.name, func(t *testing.T) {
				f.itself(t, x)
				facts := f.factsOf(x)
				for _, m := range k.list {
					tried++
					c := kinds[m.kind]
					e := known(x.name, facts, m)
					switch err := f.caught(t, x.mutant(m)); {
					case err != nil && strings.Contains(err.Error(), "Options.MaxTime") && e != nil: // a busy machine is no proof
						c[1]++
					case err != nil && e != nil && !e.long && !e.some:
						t.Errorf("not the same: %v: %s: %v", m, e.why, err)
						fallthrough
					case err != nil:
						c[0]++
					case e != nil && !e.long:
						c[1]++
					case e != nil && !testenv.Long():
						c[2]++
						t.Logf("survives without TILESMITH_LONG: %v: %s", m, e.why)
					default:
						c[3]++
						t.Errorf("survives: %v", m)
					}
					kinds[m.kind] = c
				}
			})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		caught += kinds[k][0]
		t.Logf("%5d caught, %3d equivalent, %3d for TILESMITH_LONG: %s", kinds[k][0], kinds[k][1], kinds[k][2], k)
	}
	t.Logf("mutants tried %d of %d, caught %d; there are %d in all", tried, made, caught, total)
}

// skipShort skips what tests the tests.
func skipShort(t *testing.T) {
	t.Helper()
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
}

// TestNamedMutants: these passed once. A long test tries all that are alike, else one of each.
func TestNamedMutants(t *testing.T) {
	skipShort(t)
	tried := 0
	sparse := sparseTypes()[0]
	named := append(stock(t), sparse.family(t, sparse))
	for _, c := range []struct {
		family, kernel, mutant string
		most                   int
	}{
		{"MatMulBF16", "kk16", `cvt\.rn\.bf16x?2?\.f32 .* -> cvt\.rz`, 2},
		{"MatMulBF16", "any", `cvt\.rn\.bf16x?2?\.f32 .* -> cvt\.rz`, 2},
		{"MatMulF32", "kn16", `%ctaid\.z; -> .*%ctaid\.y`, 1},
		{"MatMulF32", "any", `%ctaid\.z; -> .*%ctaid\.y`, 1},
		{"MatMulBF16", "mn16", `setp\.gt\.\S+ .* -> setp\.ge`, 6},
		{"MatMulBF16", "kn4", `setp\.gt\.\S+ .* -> setp\.ge`, 6},
		{"MatMulBF16", "kk16", `address: .* ld\.global`, 4},
		{"MatMulF32", "any", `address: .* ld\.global`, 4},
		{"Reduced", "kk16", `address: .*ld\.param\.\w+ .*\[arg_bs`, 4},
		{"Reduced", "kk16", `NaN: .*\.neu\.f32`, 4},
		{"SparseBF16", "kk16", `ld\.shared\.b32`, 6},   // metadata
		{"SparseBF16", "kn4", `arg_(p1|rs1|bs1)\b`, 6}, // where it lies
	} {
		t.Run(c.family+" "+c.kernel+" "+c.mutant, func(t *testing.T) {
			at := regexp.MustCompile(c.mutant)
			n := 0
			for _, f := range named {
				for _, x := range f.subjects() {
					if n == level.Of(1, 1, c.most) || f.set.Name != "mutants."+c.family || !strings.HasSuffix(x.name, c.kernel) {
						continue
					}
					f.itself(t, x)
					facts := f.factsOf(x)
					for _, m := range mutants(x.text) {
						if !at.MatchString(m.String()) || n == level.Of(1, 1, c.most) || known(x.name, facts, m) != nil {
							continue
						}
						n++
						tried++
						if f.caught(t, x.mutant(m)) == nil {
							t.Errorf("survives: %v", m)
						}
					}
				}
			}
			if n == 0 {
				t.Error("no such mutant")
			}
		})
	}
	t.Logf("mutants tried %d", tried)
}

// TestSilentMutants: these change next to nothing. An accumulator begins at the tiniest of normal numbers, which every sum but
// one of zeros swallows, in kernels to which K = 0 does not come; and a matrix instruction takes bytes without sign for bytes with one, which are the same up to 127.
// TILESMITH_LONG=1 tries each such line in ten turns, else of some kernels one.
func TestSilentMutants(t *testing.T) {
	skipShort(t)
	begins, unsigned := regexp.MustCompile(`^(\tmov\.f32 %f\d+, )0f00000000;$`), regexp.MustCompile(`^(\tmma\..*)\.u8\b`)
	all := append(stock(t), groupedFamilies(t)...)
	all = append(all, typedFamilies(t, func(name string) bool { return name == "MatMulI8U8" || name == "MatMulU8" })...)
	type silent struct {
		family
		subject
		mutant
	}
	var list []silent
	for _, f := range all {
		for _, x := range f.subjects() {
			if x.name != x.k.Name || x.k.Parts.Name == "" && !x.k.Grouped && !strings.Contains(x.text, ".u8") {
				continue
			}
			lines, before := strings.Split(x.text, "\n"), len(list)
			for at, l := range lines {
				if begins.MatchString(l) && !begins.MatchString(lines[at-1]) && !begins.MatchString(lines[at+1]) {
					continue // no accumulator: they begin together
				}
				for _, m := range []mutant{{"number", at, l, begins.ReplaceAllString(l, "${1}0f05000000;")}, {"sign", at, l, unsigned.ReplaceAllString(l, "$1.s8")}} {
					if m.now != l {
						list = append(list, silent{f, x, m})
					}
				}
			}
			if len(list) == before {
				t.Errorf("%s: no such mutant", x.name)
			}
		}
	}
	picked := level.Pick(len(list), 0, 5)
	t.Logf("mutants tried %d of %d", len(picked), len(list))
	for _, i := range picked {
		f, x, m := list[i].family, list[i].subject, list[i].mutant
		t.Run(x.name, func(t *testing.T) {
			f.itself(t, x)
			if f.tried(t, x.mutant(m), schedules[:1], false) == nil {
				t.Errorf("survives: %v", m)
			}
		})
	}
}
