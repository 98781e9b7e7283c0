package gen

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// The matrix that sparse kernels are predicted for: entries anywhere, so that rows
// of B are met again only while a cache holds them.
const (
	sampleRows    = 10_000
	sampleEntries = 16 // of a row
	sampleSeed    = 1
)

// freeFeatures is the number of features if a spec leaves it open.
const freeFeatures = 128

// sparse predicts a sparse product with a matrix that is made up, as [advise.For]
// reckons it.
func (x *expectation) sparse(d spec.Description, h *machine.Machine) ([]string, error) {
	if d.T == dtype.F64 {
		return sparseRows[float64](x, d, h)
	}
	return sparseRows[float32](x, d, h)
}

func sparseRows[T dtype.Float](x *expectation, d spec.Description, h *machine.Machine) ([]string, error) {
	m, err := sampleOf[T](d)
	if err != nil {
		return nil, err
	}
	on := advise.Machine{Machine: *h, ISA: x.target, Threads: 1}
	features := d.Features
	if features == 0 {
		features = freeFeatures
	}
	advice, err := advise.For(m, features, on)
	if err != nil {
		return nil, err
	}
	// A format that is not among the candidates is as fast as rows at best; a sampled
	// product reads the same rows.
	c, form := advice.Best, "as "+advice.Best.Name
	for _, y := range advice.Candidates {
		if y.Name == format.CSR.Name {
			c, form = y, "as "+y.Name
		}
	}
	for _, y := range slices.Backward(advice.Candidates) { // the fastest last
		if len(d.Parts) > 0 && y.Rules != nil {
			c, form = y, y.Name
		}
	}
	for _, y := range advice.Candidates {
		if len(d.Parts) == 0 && y.Name == d.Format.Name {
			c, form = y, y.Name
		}
	}
	if d.Operation == spec.OpSDDMM {
		form = "a sum for each entry"
	}
	if d.Operation == spec.OpRGMS {
		return []string{x.relations(d, h, m.NNZ(), features, c.Seconds)}, nil
	}
	if d.Operation == spec.OpSegments {
		return []string{expectedRow(d.Name, fmt.Sprintf("%d x %d", m.Cols(), features), cost.Prediction{Seconds: c.Seconds},
			fmt.Sprintf("%s: %d segments of %d rows, %d columns", c.Bound, sampleRows, sampleEntries, features))}, nil
	}
	p := cost.Prediction{Seconds: c.Seconds, Flops: 2 * float64(m.NNZ()) * float64(features), Ceiling: h.Ceiling(x.target, d.T.Size())}
	rows := []string{expectedRow(d.Name, fmt.Sprintf("%d x %d x %d", sampleRows, features, sampleRows), p,
		fmt.Sprintf("%s: %d entries anywhere in %d rows, %s, %d columns of B", c.Bound, m.NNZ(), sampleRows, form, features))}
	if d.Operation == spec.OpSDDMM {
		return rows, nil
	}
	return append(rows, explainFormats(advice, c)...), nil
}

// sampleOf makes the matrix for a spec.
func sampleOf[T dtype.Float](d spec.Description) (sparse.Matrix[T], error) {
	if d.Operation != spec.OpSegments {
		return sample.Uniform[T](sampleRows, sampleRows, sampleEntries, sampleSeed)
	}
	offsets := make([]int, sampleRows+1)
	for s := range offsets {
		offsets[s] = s * sampleEntries
	}
	return sparse.Segments[T](offsets, false)
}

// relations predicts a product by relations in which each entry is the only one of its row and relation. Rows
// are gathered, multiplied and added up. The first and the last step cost what a product with the matrix
// does.
func (x *expectation) relations(d spec.Description, h *machine.Machine, entries, features int, moved float64) string {
	core, work := cost.Core(h, x.target, d.T.Size()), cost.Work{Flops: 2 * float64(entries) * float64(features) * float64(features), Seconds: 2 * moved}
	p := cost.Predict(work.On(core), work.Flops, core.Flops)
	return expectedRow(d.Name, fmt.Sprintf("%d x %d x %d", sampleRows, features, features), p,
		fmt.Sprintf("%d entries anywhere in %d rows, each of another relation, %d to %d columns: %.0f %% of the time is moving rows",
			entries, sampleRows, features, features, 100*work.Seconds/p.Seconds))
}

// explainFormats is a line for the format of a spec, and one for each of the fastest others
// that the matrix could have.
func explainFormats(a advise.Advice, mine advise.Candidate) []string {
	others := slices.DeleteFunc(slices.Clone(a.Candidates), func(c advise.Candidate) bool { return c.Name == mine.Name })
	return ranked(mine, others, func(mark string, c advise.Candidate) string {
		least, bound, why := "  ", ", "+c.Bound, ": "+cmp.Or(c.Why, "what advise.For chooses")
		if c.Least {
			least, bound = "> ", ""
		}
		if c.Name == mine.Name {
			why = ""
		}
		return fmt.Sprintf("%s %-16s %s%9.1f us%s%s\n", mark, c.Name, least, c.Seconds*1e6, bound, why)
	}, "; tilesmith formats FILE.mtx compares them for a matrix of yours")
}
