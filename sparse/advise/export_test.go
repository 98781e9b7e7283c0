package advise

import (
	"github.com/tilesmith/tilesmith/layout/dtype"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Predict returns the seconds of every candidate of m, by name, none of which is cut
// short: the caches are simulated for all.
func Predict[T dtype.Float](m sparse.Matrix[T], features int, on Machine) map[string]float64 {
	s := runs.Of(m.Canonical().Raw())
	a := Advice{Features: features, Machine: on}
	size := dtype.Of[T]().Size()
	kern := kernelsFor(on.Of(on.ISA), size)
	var rows []judged
	seconds := map[string]float64{}
	for _, p := range plans(s, features*size, &on) {
		if p.prepare(s, &kern) != nil {
			continue
		}
		j := judged{plan: p, cost: p.work(&on, s, features*size, size)}.simulate(&a, s, size, rows)
		if rows == nil {
			rows = []judged{j}
		}
		seconds[p.name] = j.cost.seconds()
	}
	return seconds
}
