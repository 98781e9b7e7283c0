package triangle

import (
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// levels is a triangle for several goroutines. A row can be solved for once those are that
// it has entries of: its level is one more than the highest of theirs. Rows are put in the
// order of levels, and x with them, so that a level is rows that follow each other,
//
//	1 . . . . .        rows 0 and 2 are of level 0: they need nothing,
//	a 1 . . . .        1, 3 and 5 of level 1,
//	. . 1 . . .        4 of level 2, since it needs 3
//	. . b 1 . .
//	. . . c 1 .        order 0 2 | 1 3 5 | 4
//	d . . . . 1
//
// and is cut into steps that goroutines share. (Anderson and Saad, "Solving sparse
// triangular linear systems on parallel computers", 1989; Saad, Iterative Methods for
// Sparse Linear Systems, section 11.6.)
type levels[T dtype.Float] struct {
	rows   triangleRows[T]
	first  []int32 // where levels begin, and the end
	steps  []levelStep
	apart  int // work of levels that several steps share
	joints int // how many levels those are
}

// levelStep is what one goroutine does at a time: part of a level, or several levels of
// which none is worth cutting.
type levelStep struct {
	from, to int32 // positions
	before   int32 // how many steps must be done first: those of earlier levels
}

func levelsOf[T dtype.Float](t *triangleRows[T], n int) *levels[T] {
	l := &levels[T]{first: []int32{0}}
	level := make([]int32, n) // by place
	for p := range n {
		at := int32(0)
		for _, j := range t.indices[t.pointers[p]:t.pointers[p+1]] {
			at = max(at, level[j]+1)
		}
		level[t.place(p)] = at
		for int(at) >= len(l.first)-1 {
			l.first = append(l.first, 0)
		}
		l.first[at+1]++
	}
	for k := 1; k < len(l.first); k++ {
		l.first[k] += l.first[k-1]
	}
	order, position := make([]int32, n), make([]int32, n) // positions in t, and new ones by place
	next := append([]int32(nil), l.first...)
	for p := range n {
		at := &next[level[t.place(p)]]
		order[*at] = int32(p)
		*at++
	}
	for k := 1; k < len(l.first); k++ { // rows of one length follow each other
		slices.SortStableFunc(order[l.first[k-1]:l.first[k]], func(p, q int32) int { return int(t.length(p) - t.length(q)) })
	}
	for at, p := range order {
		position[t.place(int(p))] = int32(at)
	}
	l.rows = t.ordered(order, position)
	l.cut()
	return l
}

// ordered returns t with its rows in another order; position is the new one of a place.
func (t *triangleRows[T]) ordered(order, position []int32) triangleRows[T] {
	o := triangleRows[T]{pointers: make([]int32, len(t.pointers)), order: make([]int32, len(order)),
		indices: make([]int32, 0, len(t.indices)), values: make([]T, 0, len(t.values))}
	move := func(x []T) (y []T) {
		for _, p := range order {
			if x != nil {
				y = append(y, x[p])
			}
		}
		return y
	}
	o.scale, o.divisors = move(t.scale), move(t.divisors)
	for at, p := range order {
		o.order[at] = int32(t.row(int(p)))
		for k := t.pointers[p]; k < t.pointers[p+1]; k++ {
			o.indices, o.values = append(o.indices, position[t.indices[k]]), append(o.values, t.values[k])
		}
		o.pointers[at+1] = int32(len(o.indices))
	}
	return o
}

// work is that of positions from to to-1 for one right side, in entries.
func (t *triangleRows[T]) work(from, to int32) int {
	return int(t.pointers[to]-t.pointers[from]) + call.RowWork*int(to-from)
}

// cut makes the steps.
func (l *levels[T]) cut() {
	unit := stepWork(machine.This())
	whole := false // the last step is levels that are not cut
	for k := range len(l.first) - 1 {
		from, to := l.first[k], l.first[k+1]
		total := l.rows.work(from, to)
		if last := len(l.steps) - 1; whole && total < 2*unit && l.rows.work(l.steps[last].from, from) < 64*unit {
			l.steps[last].to = to
			continue
		}
		before, pieces := int32(len(l.steps)), min(max(total/unit, 1), int(to-from))
		if whole = pieces == 1; !whole {
			l.apart, l.joints = l.apart+total, l.joints+1
		}
		for each := mem.Ceil(total, pieces); from < to; {
			end := from + 1
			for end < to && l.rows.work(from, end) < each {
				end++
			}
			l.steps = append(l.steps, levelStep{from, end, before})
			from = end
		}
	}
}

// stepWork is how many entries are worth a step of their own. It is eight times what it
// takes one core to see what another has written. An entry takes about a cycle.
func stepWork(m *machine.Machine) int { return int(min(max(8*handoff(m), 256), 1<<14)) }

// handoff is that time in cycles. It goes through the cache that cores share four times.
// A step is claimed and then reported done, and each of the two requests a line and
// sends one.
func handoff(m *machine.Machine) float64 { return 4 * m.Caches[machine.L3].Latency * m.Clock }

// vectorLanes is how many multiply-adds, as call.Threaded counts them, a step of a vector is.
const vectorLanes = 8

// length is how many entries position p has.
func (t *triangleRows[T]) length(p int32) int32 { return t.pointers[p+1] - t.pointers[p] }

// changes is how often a row is of another length than the one before it: where its loop ends is
// guessed wrong then.
func (t *triangleRows[T]) changes() (count int) {
	for p := 1; p < len(t.pointers)-1; p++ {
		if t.length(int32(p)) != t.length(int32(p-1)) {
			count++
		}
	}
	return count
}

// manyLengths is the number of rows from which the lengths of rows are more than a processor predicts from
// one solve to the next. With 4,929 rows levels took longer, with 100,000 two thirds of the time
// (docs/results/solve.md).
const manyLengths = 1 << 15

// sorts reports whether one goroutine, too, should go by levels for one right side: there rows of one length follow each
// other. A wrong guess costs 15 cycles, which is what it takes to find four rows that do not lie in order.
func (t *Triangle[T]) sorts() bool {
	if t.n < manyLengths {
		return false
	}
	natural := t.rows.changes()
	if natural < t.n/4 {
		return false
	}
	l := t.plan()
	return natural-l.rows.changes() > t.n/4
}

// threads returns how many goroutines should work on one panel of so many vectors. That is
// as many as are allowed if it saves more time than handing over takes.
func (t *Triangle[T]) threads(allowed, vectors int) int {
	if allowed < 2 || t.total()*float64(vectors) < call.Threaded/vectorLanes {
		return 1
	}
	l := t.plan()
	apart, n := float64(l.apart)*float64(vectors), float64(min(allowed, len(l.steps)))
	if apart-apart/n <= 2*float64(l.joints)*handoff(machine.This()) {
		return 1
	}
	return int(n)
}

// total is the work of one right side.
func (t *Triangle[T]) total() float64 { return float64(t.rows.work(0, int32(t.n))) }
