package epi

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
)

// A Group is the memory of products that are done in no order.
type Group struct{ all []stretch }

// A stretch is the memory of an operand, from its first byte to its last, as distances from
// the group's first.
type stretch struct {
	from, to int
	problem  int
	Memory
}

// Add adds what a problem reads, or writes.
func (g *Group) Add(problem int, m Memory, written bool) {
	if m.Size == 0 {
		return
	}
	m.written = written
	from := 0
	if len(g.all) > 0 {
		from = mem.Distance(g.all[0].P, m.P)
	}
	g.all = append(g.all, stretch{from, from + int(m.Size), problem, m})
}

// AddAll adds what an epilogue reads and writes.
func (g *Group) AddAll(problem int, e *Epilogue) {
	for i := range e.N {
		g.Add(problem, e.spans[i], e.spans[i].written)
	}
}

// Apart panics if what one problem writes shares memory with anything of another. It
// goes up the addresses with the stretches that have begun and not ended.
func (g *Group) Apart(name string) {
	slices.SortStableFunc(g.all, func(x, y stretch) int { return cmp.Compare(x.from, y.from) })
	var read, written []*stretch
	for i := range g.all {
		x := &g.all[i]
		ended := func(y *stretch) bool { return y.to <= x.from }
		read, written = slices.DeleteFunc(read, ended), slices.DeleteFunc(written, ended)
		for _, y := range written {
			refuse(name, y, x)
		}
		if !x.written {
			read = append(read, x)
			continue
		}
		for _, y := range read {
			refuse(name, y, x)
		}
		written = append(written, x)
	}
}

// refuse panics if x and y, of which one is written and x begins first, are of two problems
// and share memory.
func refuse(name string, x, y *stretch) {
	if x.problem == y.problem || x.beside(y) {
		return
	}
	if !x.written {
		x, y = y, x
	}
	panic(layout.ShapeError{What: name, Why: fmt.Sprintf("%s of problem %d shares memory with %s of problem %d; products of a group are done in no order",
		x.Name, x.problem, y.Name, y.problem)})
}

// beside reports that y, which begins inside of x, is beside it in one matrix:
//
//	. . . . . . . .     off = down*step + right, from x to y: to the right of x
//	. x x x . y y .     by right bytes, or, one row further on, to its
//	. x x x . y y .     left by step-right
//
// Of matrices that lie otherwise it is not known.
func (x *stretch) beside(y *stretch) bool {
	step, wide, many := x.rows()
	stepY, wideY, _ := y.rows()
	if step != stepY || max(wide, wideY) > step || step == 0 {
		return false
	}
	down, right := (y.from-x.from)/step, (y.from-x.from)%step
	return right >= wide && (down+1 >= many || step-right >= wideY)
}

// rows returns how a matrix lies, by whichever of rows and columns are further apart: their
// distance, the bytes of one, and how many there are.
func (x *stretch) rows() (step, wide, many int) {
	step, wide = x.m.RS, x.width
	if x.m.CS > x.m.RS {
		step, wide = x.m.CS, x.height
	}
	if step == 0 || wide == 0 {
		return 0, 0, 0
	}
	return step, wide, (int(x.Size)-wide)/step + 1
}
