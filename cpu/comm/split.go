package comm

import (
	"cmp"
	"slices"
	"sync"
)

// splitting is the Split that a group's ranks come to.
type splitting struct {
	mu   sync.Mutex
	came []*splitter
}

type splitter struct {
	r          *request
	color, key int
	group      *local
}

func (t *local) Split(color, key int) (Transport, error) {
	if err := t.m.w.ended(); err != nil {
		return nil, err
	}
	s := &splitter{r: new(request), color: color, key: key}
	s.r.set(split, t, t.rank, 0, nil)
	x := &t.g.split
	x.mu.Lock()
	x.came = append(x.came, s)
	if len(x.came) == len(t.g.members) {
		divide(x.came)
		for _, s := range x.came {
			s.r.complete()
		}
		x.came = nil
	}
	x.mu.Unlock()
	if err := t.finish(s.r); err != nil {
		return nil, err
	}
	if s.group == nil {
		return nil, nil
	}
	return s.group, nil
}

// divide makes the groups of all ranks of one.
func divide(all []*splitter) {
	slices.SortFunc(all, func(a, b *splitter) int {
		return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key), cmp.Compare(a.r.t.rank, b.r.t.rank))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].color == all[0].color {
			n++
		}
		if all[0].color >= 0 {
			members := make([]*member, n)
			for i, s := range all[:n] {
				members[i] = s.r.t.m
			}
			g := newParty(members)
			for i, s := range all[:n] {
				s.group = &local{m: s.r.t.m, g: g, rank: i}
			}
		}
		all = all[n:]
	}
}
