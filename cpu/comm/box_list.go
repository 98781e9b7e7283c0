package comm

import "math/bits"

// rows are lists of elements by the rank that they come from or wait for. So the search for one of
// a thousand ranks does not pass the elements of all others. The last list is of those that wait
// for AnySource.
type rows[P linked[P, T], T any] struct {
	lists []list[P, T]
	turns uint64
}

// perRow is about how many ranks share a list.
const perRow = 16

// push adds an element of rank r, or AnySource, of a group of so many ranks.
func (s *rows[P, T]) push(ranks, r int, e P) {
	if s.lists == nil {
		s.lists = make([]list[P, T], 1+1<<bits.Len(uint(ranks-1)/perRow))
	}
	*e.order() = s.turns
	s.turns++
	s.of(r).push(e)
}

// of returns the list of rank r, or of AnySource.
func (s *rows[P, T]) of(r int) *list[P, T] {
	last := len(s.lists) - 1
	if r == AnySource {
		return &s.lists[last]
	}
	return &s.lists[r&(last-1)]
}

// first returns the first matching element among those of rank r and of AnySource, or among
// all if r is AnySource. It returns the element's list and the element, or nil.
func (s *rows[P, T]) first(r int, right func(P) bool) (at *list[P, T], e P) {
	if s.lists == nil {
		return nil, nil
	}
	look := func(l *list[P, T]) {
		if x := l.find(right); x != nil && (e == nil || *x.order() < *e.order()) {
			at, e = l, x
		}
	}
	if r != AnySource {
		look(s.of(r))
		look(s.of(AnySource))
		return at, e
	}
	for i := range s.lists {
		look(&s.lists[i])
	}
	return at, e
}

// find returns the first element that is right, or nil.
func (s *rows[P, T]) find(r int, right func(P) bool) P {
	_, e := s.first(r, right)
	return e
}

// take is find, and takes it out.
func (s *rows[P, T]) take(r int, right func(P) bool) P {
	at, e := s.first(r, right)
	if e != nil {
		at.take(func(x P) bool { return x == e })
	}
	return e
}

// all calls f for all elements, rank by rank.
func (s *rows[P, T]) all(f func(e P)) {
	for i := range s.lists {
		for e := s.lists[i].first; e != nil; e = *e.link() {
			f(e)
		}
	}
}

// A list is linked through its elements, in the order in which they were pushed.
type list[P linked[P, T], T any] struct{ first, last P }

type linked[P any, T any] interface {
	*T
	link() *P
	order() *uint64 // its turn among all of a box
}

func (l *letter) link() **letter   { return &l.next }
func (r *request) link() **request { return &r.next }
func (l *letter) order() *uint64   { return &l.turn }
func (r *request) order() *uint64  { return &r.turn }

func (s *list[P, T]) push(e P) {
	if s.first == nil {
		s.first = e
	} else {
		*s.last.link() = e
	}
	s.last = e
}

// find returns the first element that is right, or nil.
func (s *list[P, T]) find(right func(P) bool) P {
	for e := s.first; e != nil; e = *e.link() {
		if right(e) {
			return e
		}
	}
	return nil
}

// take is find, and takes it out.
func (s *list[P, T]) take(right func(P) bool) P {
	var before P
	for e := s.first; e != nil; before, e = e, *e.link() {
		if !right(e) {
			continue
		}
		after := *e.link()
		if before == nil {
			s.first = after
		} else {
			*before.link() = after
		}
		if after == nil {
			s.last = before
		}
		*e.link() = nil
		return e
	}
	return nil
}
