package epi

import (
	"cmp"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
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
	if x.problem == y.problem || x.beside(&y.Memory, y.from-x.from) {
		return
	}
	if !x.written {
		x, y = y, x
	}
	check.Call(name).Refuse("%s of problem %d shares memory with %s of problem %d; products of a group are done in no order",
		x.Name, x.problem, y.Name, y.problem)
}
