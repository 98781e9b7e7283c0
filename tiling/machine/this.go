package machine

import (
	"slices"
	"sync"
)

// This returns the machine that the program runs on. Nobody may change it.
func This() *Machine { return this() }

var this = sync.OnceValue(func() *Machine { return zen4.clone() })

// Reference returns the machine with which everything is decided that the order of
// additions depends on: the same everywhere, so that results are. Its best units are
// those for isa, "avx512", "avx2" or "go". Nobody may change it.
func Reference(isa string) *Machine {
	if m := references()[isa]; m != nil {
		return m
	}
	return references()["go"]
}

var references = sync.OnceValue(func() map[string]*Machine {
	all := map[string]*Machine{}
	for i, u := range zen4.Units {
		m := zen4.clone()
		m.Units = m.Units[i:]
		all[u.ISA] = m
	}
	return all
})

// Known returns the data that comes with the program.
func Known() []*Machine { return []*Machine{zen4.clone()} }

// clone returns a copy that shares nothing.
func (m *Machine) clone() *Machine {
	c := *m
	c.Units = slices.Clone(m.Units)
	return &c
}
