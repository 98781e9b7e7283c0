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
	var g run.Gather
	members := append([]Trial{tr}, tr.Group...)
	var calls []*Call
	var err error
	for _, x := range members {
		call := x.call(s, x.Case.Problem(x.Trial))
		call.Options.Gather = &g
		calls = append(calls, call)
		if err = x.Case.Launch(call); err == nil {
			err = call.err
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = g.Group()
	}
	for _, c := range calls {
		err = c.finish(err)
	}
	for i, c := range calls {
		if err == nil {
			err = members[i].Case.Judge(members[i].Trial, c.Problem)
		}
	}
	return err
}
