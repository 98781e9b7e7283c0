package gen

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// expectation says how fast the kernels of specs should be on one target.
type expectation struct {
	funcs  *functions
	files  []File
	target string

	machine *machine.Machine // predictions are for it; nil if there are none for the target
	lines   []string         // a line for each, and those below it
}

// expectedSides are those of the square products that speeds are predicted for.
var expectedSides = []int{64, 256, 1024, 2048}

// reckon predicts the kernels of each spec that has the target, if that is a CPU. text is
// the machine.
func (x *expectation) reckon(text string, specs []Spec) error {
	if isaset.ByName(x.target) == nil {
		return nil
	}
	h := referenceFor(isaset.ByName(x.target))
	if text != "" && text != "reference" {
		h = new(machine.Machine)
		if err := json.Unmarshal([]byte(text), h); err != nil {
			return fmt.Errorf("--machine: %w", err)
		}
		if err := h.Check(); err != nil {
			return fmt.Errorf("--machine: %w", err)
		}
		if h.Of(x.target).ISA != isaset.Plain(x.target) {
			return fmt.Errorf("--machine: %s has no %s; --target shows the kernels for another instruction set", h.Name, x.target)
		}
	}
	x.machine = h
	for _, s := range specs {
		more, err := x.rows(s, h)
		if err != nil {
			return err
		}
		x.lines = append(x.lines, more...)
	}
	return nil
}

// referenceFor is the machine of predictions that ask for none: the reference, or the first
// that is known to have tiles.
func referenceFor(i *isaset.ISA) *machine.Machine {
	h := machine.Reference(i.Name)
	if !i.Includes("amxbf16") && !i.Includes("amxint8") {
		return h
	}
	known := machine.Known()
	if n := slices.IndexFunc(known, func(m *machine.Machine) bool { return m.Of(i.Name).Tiles > 0 }); n >= 0 {
		return known[n]
	}
	return h
}

// name is that of the machine.
func (x *expectation) name() string {
	if x.machine == nil {
		return ""
	}
	return x.machine.Name
}

// print writes a table of what was reckoned.
func (x *expectation) print(w io.Writer) error {
	if x.lines == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n== what to expect of one core, %s\n\n%-11s%v\n%-11s%v\n%s%-28s%-20s %9s %8s  %s\n%s",
		x.target, "machine", describe(x.machine, x.target), "caches", caches(x.machine), expectText, "", "m x n x k", "GFLOP/s", "ceiling", "bound by", strings.Join(x.lines, ""))
	return err
}

// describe is the machine in a line.
func describe(m *machine.Machine, isa string) string {
	c := &m.Caches
	return fmt.Sprintf("%s: %.0f GFLOP/s f32, %.0f f64 a core; L1 %.0f, L2 %.0f, L3 %.0f, memory %.0f GB/s",
		m.Name, m.Ceiling(isa, 4)/1e9, m.Ceiling(isa, 8)/1e9, c[machine.L1].Read/1e9, c[machine.L2].Read/1e9, c[machine.L3].Read/1e9, c[machine.Memory].Read/1e9)
}

// caches says how large they are taken to be, and where that is from.
func caches(m *machine.Machine) string {
	l1, l2, l3 := m.Room()
	return fmt.Sprintf("%d, %d and %d KiB of a core: %s", l1>>10, l2>>10, l3>>10, m.Sizes)
}

// expectText says what predictions assume.
const expectText = `           a model, not a measurement: operands were used just before and are where they fit; the ceiling is
           multiply-adds from registers, or what is named, and what binds is the part of the time that is longest; > is the plan, and
           below it are the other ways to copy and block which it was chosen from; of a sparse spec > is its format, and
           below it are others, where > before a time is a bound from below and the ratio is to what would be chosen

`

func (x *expectation) rows(s Spec, h *machine.Machine) ([]string, error) {
	targets, err := TargetsOf(s)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(targets, func(t emit.Target) bool { return t.Name == x.target })
	if i < 0 {
		return nil, nil
	}
	var rows []string
	for _, k := range specKinds {
		if k.expect == nil {
			continue
		}
		more, err := k.expect(x, s, targets[i], h)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// ofGEMM predicts a gemm.Spec.
func (x *expectation) ofGEMM(s Spec, t emit.Target, h *machine.Machine) ([]string, error) {
	d, ok := s.(interface{ Describe() gemm.Description })
	if !ok {
		return nil, nil
	}
	m, err := simd.Lower(d.Describe(), t, simd.Options{Widest: x.funcs.Widest})
	if err != nil {
		return nil, err
	}
	if r, ok := m.Op.(gemm.Semiring); ok {
		return x.semiring(m.Name, r)
	}
	return x.dense(m, h), nil
}

// ofSparse predicts a spec of package sparse.
func (x *expectation) ofSparse(s Spec, t emit.Target, h *machine.Machine) ([]string, error) {
	described, ok := s.(interface{ Describe() spec.Description })
	if !ok {
		return nil, nil
	}
	d := described.Describe()
	if d.B != d.T { // of such rows of b no machine file has a rate
		return nil, nil
	}
	switch d.Operation {
	case spec.OpEdgeSoftmax:
		row, err := x.softmax(d, t, h)
		return []string{row}, err
	case spec.OpAttention:
		row, err := x.attention(d, t, h)
		return []string{row}, err
	}
	rows, err := x.sparse(d, h)
	if r, ok := semiringOf(s); ok && err == nil {
		more, err := x.semiring(d.Name, r)
		return append(rows, more...), err
	}
	return rows, err
}

// dense predicts products of a lowered spec.
func (x *expectation) dense(m *simd.Module, h *machine.Machine) []string {
	cycles := 0.0
	if m.Fusion != nil {
		cycles = x.epilogueCycles(m)
	}
	if m.Reduced != "" {
		return blocksExpected(m, x.target, h)
	}
	var rows []string
	seen := map[tiling.Shape]bool{}
	for _, n := range expectedSides {
		shape := m.Shape
		for _, d := range []*int{&shape.M, &shape.N, &shape.K} {
			if *d == 0 {
				*d = n
			}
		}
		if seen[shape] {
			continue
		}
		seen[shape] = true
		size := fmt.Sprintf("%d x %d x %d", shape.M, shape.N, shape.K)
		if m.Fixed != "" {
			rows = append(rows, expected(m.Name, size, m.Blocking.Predict(shape, m.Elem.Size(), x.target, h)))
			continue
		}
		chosen, others := x.plans(m, shape, cycles, h)
		rows = append(rows, expected(m.Name, size, chosen.Predict(h)))
		rows = append(rows, explainPlan(h, chosen, others)...)
	}
	return rows
}

// blocksExpected predicts sums over blocks as products with a K of all of them, whose tiles begin and end
// once. It predicts none for words of two elements, which the model of tiles does not know.
func blocksExpected(m *simd.Module, target string, h *machine.Machine) (rows []string) {
	if gemm.Paired(m.B) {
		return nil
	}
	counts := []int{1, 8, 64}
	if m.Reduce.Count > 0 {
		counts = []int{m.Reduce.Count}
	}
	for _, n := range counts {
		s := m.Shape
		s.K *= n
		rows = append(rows, expected(m.Name, fmt.Sprintf("%d of %d x %d x %d", n, m.Shape.M, m.Shape.N, m.Shape.K), m.Blocking.Predict(s, m.Elem.Size(), target, h)))
	}
	return rows
}

// epilogueCycles is the cost of a vector of sums in the epilogue's loop, a turn of
// which may do a part of one. It includes the vector's share of what is done for a row
// of a panel besides.
func (x *expectation) epilogueCycles(m *simd.Module) float64 {
	if m.Epi == "" {
		return 0
	}
	code := codeOf(assemblyOf(x.files, m.Epi))
	lanes := m.EpiLanes
	if lanes == 0 {
		lanes = m.VL
	}
	row := costOf(code.row).cycles()
	for _, join := range code.joins {
		row += costOf(join).cycles() / float64(lanes)
	}
	for _, again := range code.again {
		row += costOf(again).cycles()
	}
	return costOf(code.loop).cycles()*float64(m.VL)/float64(lanes) + row/float64(m.NV)
}

// expected is a line of the table: the speed, its share of the ceiling, and the longest
// parts of the time.
func expected(name, shape string, p cost.Prediction) string {
	return expectedRow(name, shape, p, fmt.Sprintf("%v: %s", p.Bound(), p.Because(3)))
}

// expectedRow is a line with what else there is to say. Of work that is not counted in flops it has the time.
func expectedRow(name, shape string, p cost.Prediction, because string) string {
	speed := fmt.Sprintf("%9.1f %6.0f %%", p.Rate()/1e9, 100*p.Share())
	if p.Flops == 0 {
		speed = fmt.Sprintf("%9.1f us      ", 1e6*p.Seconds)
	}
	return fmt.Sprintf("%-28s%-20s %s  %s\n", name, shape, speed, because)
}
