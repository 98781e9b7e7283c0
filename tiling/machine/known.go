package machine

import (
	"slices"
	"sync"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// The vendors, by their own names in CPUID.
const (
	amd   = "AuthenticAMD"
	intel = "GenuineIntel"
)

// known lists the families of cores, and which processors have them: the family, and the
// first and the last of the models. AMD's numbers are those of its revision guides;
// Intel's of SDM volume 4, table 2-1. A new core is one more entry and its data.
var known = []struct {
	vendor string
	family int
	models [][2]int
	data   *Machine
}{
	{amd, 0x17, [][2]int{{0x30, 0xaf}}, &zen2},
	{amd, 0x19, [][2]int{{0x00, 0x0f}, {0x20, 0x5f}}, &zen3},
	{amd, 0x19, [][2]int{{0x10, 0x1f}, {0x60, 0x7f}, {0xa0, 0xaf}}, &zen4},
	// Others of the family have vector pipes of 256 bits.
	{amd, 0x1a, [][2]int{{0x00, 0x1f}, {0x40, 0x4f}, {0x70, 0x7f}}, &zen5},
	{intel, 6, [][2]int{{0x55, 0x55}}, &skylakeServer},
	{intel, 6, [][2]int{{0x6a, 0x6a}, {0x6c, 0x6c}}, &iceLakeServer},
	{intel, 6, [][2]int{{0x8f, 0x8f}}, &sapphireRapids},
	{intel, 6, [][2]int{{0xcf, 0xcf}}, &emeraldRapids},
}

// Known returns the data that comes with the program: families of cores, as they are in
// servers.
func Known() (list []*Machine) {
	for _, k := range known {
		list = append(list, k.data.clone())
	}
	return list
}

// For returns a copy of the data for a processor, and whether there are any.
func For(c CPU) (m *Machine, ok bool) {
	for _, k := range known {
		if k.vendor != c.Vendor || k.family != c.Family {
			continue
		}
		if slices.ContainsFunc(k.models, func(r [2]int) bool { return r[0] <= c.Model && c.Model <= r[1] }) {
			return k.data.clone(), true
		}
	}
	return nil, false
}

// Reference returns the machine that decides everything that the order of additions
// depends on. It is the same everywhere, whatever This and files say, so results are the
// same too. Its best units are those for isa, which the order may depend on: "avx512",
// "avx2", what extends these, or "go". Any other name counts as "go". Do not change it.
func Reference(isa string) *Machine {
	if m := references()[isaset.Plain(isa)]; m != nil {
		return m
	}
	return references()[goISA]
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

// clone returns a copy that shares nothing.
func (m *Machine) clone() *Machine {
	c := *m
	c.Units = slices.Clone(m.Units)
	return &c
}
