package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// The attention that is predicted: a window in which each token sees a fifth of all, and heads of
// this width if a spec leaves it open.
const (
	windowTokens = 4096
	windowBlock  = 64
	windowReach  = 6 // blocks each way
	freeWidth    = 64
)

// softmax predicts a softmax over the rows of the sample matrix, whose entries lie where they fit. It
// counts the function of scores, the shift by the greatest, powers of e, and in Go the sums of rows and
// the shares.
func (x *expectation) softmax(d spec.Description, t emit.Target, h *machine.Machine) (string, error) {
	elem, size := gemm.ElemOf(d.T), d.T.Size()
	fs, k, err := lower.Attention{Name: "f", Elem: elem, Vectors: 1}.Lower(t)
	if err != nil {
		return "", err
	}
	exp, err := loopCycles(t, fs, k.Op("Exp").F)
	if err != nil {
		return "", err
	}
	shift, err := loopCycles(t, fs, k.Op("Shift").F)
	if err != nil {
		return "", err
	}
	const entries = sampleRows * sampleEntries
	// A sum waits for the one before, and a share for the divider.
	const share = 4 + 5
	vectors := float64(entries) / float64(t.Lanes(elem))
	return x.softmaxRow(d, fmt.Sprintf("%d x %d", sampleRows, sampleRows), h, float64(2*entries*size), []workPart{
		{"the function", inCycles(h, vectors*x.scoreCycles(d.Epilogue, d.Name))},
		{"powers of e", inCycles(h, vectors*(exp+shift))},
		{"sums and shares of rows", inCycles(h, entries*share)},
	}, fmt.Sprintf("%d entries in %d rows", entries, sampleRows)), nil
}

// attention predicts attention over a window: two products by the kernels of dense ones, and a softmax between them. Its
// gradients are seven products, since rows of dq, and of dk and dv, are computed separately, each with its
// own scores and gradients by weights.
func (x *expectation) attention(d spec.Description, t emit.Target, h *machine.Machine) (string, error) {
	elem, size := gemm.ElemOf(d.T), d.T.Size()
	fs, k, err := lower.Softmax{Name: "f", Elem: elem}.Lower(t)
	if err != nil {
		return "", err
	}
	products, times, matrices, name := 2.0, 1.0, 4.0, k.Op("Step").F
	functions := x.scoreCycles(d.Epilogue, d.Name)
	if of := d.Attention.GradientsOf; of != "" {
		products, times, matrices, name = 7, 2, 8, k.Op("Back").F
		functions += x.scoreCycles(d.Epilogue, of)
	}
	step, err := loopCycles(t, fs, name)
	if err != nil {
		return "", err
	}
	mask, err := mask.Band(windowTokens, windowBlock, windowReach)
	if err != nil {
		return "", err
	}
	heads, width := max(1, d.Attention.Heads), d.Features
	if width == 0 {
		width = freeWidth
	}
	computed := float64(heads) * mask.Density() * windowTokens * windowTokens // a causal mask cuts blocks, of which some are computed whole
	if d.Attention.Causal {
		computed *= float64(windowReach+1) / (2*windowReach + 1)
	}
	vectors := times * computed / float64(t.Lanes(elem))
	bytes := matrices * float64(heads) * windowTokens * float64(width) * float64(size)
	return x.softmaxRow(d, fmt.Sprintf("%d x %d x %d", windowTokens, heads*width, windowTokens), h, bytes, []workPart{
		{"products", cost.Work{Flops: 2 * products * computed * float64(width)}},
		{"the function", inCycles(h, vectors*functions)},
		{"powers of e", inCycles(h, vectors*step)},
	}, fmt.Sprintf("a window of %d of %d tokens, %d heads of %d columns", (2*windowReach+1)*windowBlock, windowTokens, heads, width)), nil
}

// workPart is a part of what is predicted.
type workPart struct {
	what string
	cost.Work
}

// inCycles is work of so many cycles.
func inCycles(h *machine.Machine, n float64) cost.Work { return cost.Work{Seconds: n / h.Clock} }

// softmaxRow is a line of the table: parts follow one another, and their bytes move meanwhile.
func (x *expectation) softmaxRow(d spec.Description, shape string, h *machine.Machine, bytes float64, parts []workPart, of string) string {
	core, level := cost.Core(h, x.target, d.T.Size()), h.Holds(bytes)
	all := cost.Step{Meanwhile: cost.Move(level, bytes), Times: 1}
	seconds := make([]float64, len(parts))
	for i, p := range parts {
		all.Work, seconds[i] = all.Work.Plus(p.Work), cost.Time(p.Work, core)
	}
	p := cost.Prediction{Seconds: cost.Total([]cost.Step{all}, core), Flops: all.Work.Flops, Ceiling: core.Flops}
	most := cost.Slowest(seconds)
	bound := fmt.Sprintf("%s %.0f %%", parts[most].what, 100*seconds[most]/p.Seconds)
	if cost.Time(all.Work, core) < p.Seconds {
		bound = fmt.Sprint("reading ", cost.Of(level))
	}
	if p.Flops > 0 {
		of = fmt.Sprintf("%.1f us, %s", 1e6*p.Seconds, of)
	}
	return expectedRow(d.Name, shape, p, fmt.Sprintf("%s: %s, %.1f MB", bound, of, bytes/1e6))
}

// scoreCycles is what the function of scores of a spec, or its derivative, takes for a vector of them.
func (x *expectation) scoreCycles(epilogue any, spec string) float64 {
	if epilogue == nil {
		return 0
	}
	name := strings.ToLower(spec[:1]) + spec[1:] + "_" + x.target + "_epi"
	return costOf(codeOf(assemblyOf(x.files, name)).loop).cycles()
}

// loopCycles is what a kernel takes for a vector, in its longest innermost loop.
func loopCycles(t emit.Target, fs []*emit.Func, name string) (float64, error) {
	for _, f := range fs {
		if f.Name != name {
			continue
		}
		asm, err := assembly(Options{Package: "p", Source: "a prediction"}, t, unit.Kernels("", f))
		if err != nil {
			return 0, err
		}
		return costOf(codeOf(string(asm)).loop).cycles(), nil
	}
	return 0, fmt.Errorf("there is no kernel %s; this is a bug", name)
}
