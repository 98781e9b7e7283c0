package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
)

// A choice is a number of a model, an axis such numbers to choose from.
type (
	choice struct{ name, value string }
	axis   []choice
)

// maxModels bounds the combinations of a grid.
const maxModels = 1000

// parseGrid reads axes such as "hidden=64,128 drop=.3,.5".
func parseGrid(text string) (grid []axis, err error) {
	models := 1
	for _, part := range strings.Fields(text) {
		name, values, _ := strings.Cut(part, "=")
		var a axis
		for value := range strings.SplitSeq(values, ",") {
			a = append(a, choice{name, value})
			if err := new(Model).set(name, value); err != nil {
				return nil, err
			}
		}
		if models *= len(a); models > maxModels {
			return nil, fmt.Errorf("the grid has more than %d models", maxModels)
		}
		grid = append(grid, a)
	}
	if len(grid) == 0 {
		return nil, fmt.Errorf("a grid of nothing: want numbers as hidden=64,128")
	}
	return grid, nil
}

// combinations returns m with the numbers of each point of a grid, which parseGrid has read.
func combinations(m Model, grid []axis) []Model {
	all := []Model{m}
	for _, a := range grid {
		var next []Model
		for _, m := range all {
			for _, c := range a {
				if err := m.set(c.name, c.value); err != nil {
					panic(err)
				}
				next = append(next, m)
			}
		}
		all = next
	}
	return all
}

// choose trains all models of the grid and prints what validation says of the epochs that are kept, the best last. Nodes to test
// are not looked at.
func (o *options) choose(ctx context.Context, set *data.Set, out io.Writer) error {
	type result struct {
		model                     Model
		accuracy, deviation, loss float64
	}
	var results []result
	for _, m := range combinations(o.model, o.grid) {
		r, accuracies := result{model: m}, []float64{}
		for n := range o.runs {
			t, err := NewTrainer[float32](m, set, o.seed+uint64(n))
			if err != nil {
				return err
			}
			if err := t.Run(ctx, nil); err != nil {
				return fmt.Errorf("%s: %w", m.chosen(o.grid), err)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			t.Keep()
			v := t.Score(set.Validation)
			accuracies = append(accuracies, 100*v.Accuracy)
			r.loss += v.Loss / float64(o.runs)
		}
		r.accuracy, r.deviation = spread(accuracies)
		results = append(results, r)
	}
	slices.SortStableFunc(results, func(x, y result) int {
		return cmp.Or(cmp.Compare(x.accuracy, y.accuracy), cmp.Compare(y.loss, x.loss))
	})
	for _, r := range results {
		fmt.Fprintf(out, "%s: validation %.2f +- %.2f %% right, loss %.4f\n", r.model.chosen(o.grid), r.accuracy, r.deviation, r.loss)
	}
	return nil
}

// chosen returns what m has of the axes of a grid.
func (m Model) chosen(grid []axis) string {
	s := m.Name
	values := map[string]any{"hidden": m.Hidden, "epochs": m.Epochs, "patience": m.Patience, "rate": m.Rate, "drop": m.Drop, "decay": m.Decay,
		"batch": m.Batch, "fanout": m.Fanout}
	for _, a := range grid {
		s += fmt.Sprintf(" %s=%v", a[0].name, values[a[0].name])
	}
	return s
}
