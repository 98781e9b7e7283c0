package gpu

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/verify/check"
)

// grouped makes groups of trials of one kernel: of three, of one, of four, with products
// between them that have nothing to sum, or no elements.
func grouped(c Case, list []Trial) (groups []Trial) {
	sizes := []int{3, 1, 4, 2}
	for len(list) > 0 {
		n := min(sizes[len(groups)%len(sizes)], len(list))
		var group []Trial
		for i, tr := range list[:n] {
			tr.Batch = 0
			group = append(group, tr)
			empty := Trial{Kernel: tr.Kernel, Lie: tr.Lie}
			switch i {
			case 0:
				group = append(group, c.trial(empty, check.Shape{M: 0, N: 70, K: 3}, true))
			case 1:
				group = append(group, c.trial(empty, check.Shape{M: 5, N: 9, K: 0}, true))
			}
		}
		first := group[0]
		first.Group = group[1:]
		groups, list = append(groups, first), list[n:]
	}
	return groups
}

// runGroup does the trial's product and those of its Group in one launch and compares each.
func (tr Trial) runGroup(s cuda.Stream) error {
	return together(s, append([]Trial{tr}, tr.Group...), (*run.Gather).Group, func(int, *Call) {})
}
