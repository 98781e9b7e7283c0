package mesh

import (
	"container/heap"
	"slices"
)

// A phase says which operations a plan may still use.
type phase uint8

const (
	slicing   phase = iota // all
	moving                 // all-to-all, permute and gather
	gathering              // gather
	phases
)

// A bound is, for every phase and number of parts, the least cost of the rest of a plan.
// It is the exact cost if atoms had no names, so that permutes were free and never needed.
// There are few numbers of parts where there are many states.
type bound [phases]map[parts]price

func (s *space) bound(time Time) bound {
	ranks := 1
	for _, a := range s.atoms {
		ranks *= a.size
	}
	factors := []int{1} // of moves: products of atoms
	for _, a := range s.atoms {
		for _, f := range factors {
			factors = append(factors, f*a.size)
		}
		slices.Sort(factors)
		factors = slices.Compact(factors)
	}
	factors = factors[1:]
	// before calls visit with all numbers of parts from which one operation of a phase leads
	// to n, and its price.
	before := func(p phase, n parts, visit func(parts, price)) {
		total := 1
		for i := range s.sizes {
			total *= int(n[i])
		}
		reach := func(m parts, f func() price) {
			if _, ok := s.tile(m); ok {
				visit(m, f())
			}
		}
		for i := range s.sizes {
			for _, f := range factors {
				m := n
				switch {
				case p == gathering:
					if ranks/total%f == 0 {
						m[i] *= int32(f)
						reach(m, func() price { return s.price(move{m, i, i, f}) })
					}
				case int(n[i])%f != 0:
				case p == slicing:
					m[i] /= int32(f)
					reach(m, func() price { return price{} })
				default:
					m[i] /= int32(f)
					for j := range s.sizes {
						if j != i {
							m := m
							m[j] *= int32(f)
							reach(m, func() price { return s.price(move{m, j, i, f}) })
						}
					}
				}
			}
		}
	}
	var b bound
	known := map[parts]price{s.parts(s.to): {}}
	for p := gathering; ; p-- {
		// Dijkstra's algorithm, backwards from all that is known.
		done, open := map[parts]price{}, &queue[parts]{time: time}
		for n, q := range known {
			heap.Push(open, item[parts]{at: n, f: q})
		}
		for open.Len() > 0 {
			top := heap.Pop(open).(item[parts])
			if _, seen := done[top.at]; seen {
				continue
			}
			done[top.at] = top.f
			before(p, top.at, func(n parts, q price) {
				if _, seen := done[n]; !seen {
					heap.Push(open, item[parts]{at: n, f: q.plus(top.f)})
				}
			})
		}
		b[p], known = done, done
		if p == slicing {
			return b
		}
	}
}

// A queue gives the cheapest item first; of those the one with the least left to pay, and
// then the last one in.
type queue[T any] struct {
	time  Time
	items []item[T]
	n     int
}

type item[T any] struct {
	at   T
	f, h price // what a plan through it costs at least, and the part of it that is yet to come
	n    int
}

func (q *queue[T]) Len() int      { return len(q.items) }
func (q *queue[T]) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue[T]) Less(i, j int) bool {
	a, b := &q.items[i], &q.items[j]
	if c := q.time.compare(a.f, b.f); c != 0 {
		return c < 0
	}
	if c := q.time.compare(a.h, b.h); c != 0 {
		return c < 0
	}
	return a.n > b.n
}
func (q *queue[T]) Push(x any) {
	it := x.(item[T])
	it.n = q.n
	q.n++
	q.items = append(q.items, it)
}
func (q *queue[T]) Pop() any {
	last := len(q.items) - 1
	it := q.items[last]
	q.items = q.items[:last]
	return it
}
