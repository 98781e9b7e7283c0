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

// A core is a family of cores, and which processors have it: the family, and the first and the
// last of the models.
type core struct {
	vendor string
	family int
	models [][2]int
	data   *Machine
	// since is an instruction set that tells the core's generation from older ones with the same
	// registers. It is "" if none does.
	since string
}

// known lists the families of cores. AMD's numbers are those of its revision guides; Intel's of
// SDM volume 4, table 2-1; those of Arm's architecture see [midr], by Linux's
// arch/arm64/include/asm/cputype.h, and Apple's also [appleCPU]. A new core is one more entry and
// its data.
var known = []core{
	{amd, 0x17, [][2]int{{0x30, 0xaf}}, &zen2, ""},
	{amd, 0x19, [][2]int{{0x00, 0x0f}, {0x20, 0x5f}}, &zen3, ""},
	{amd, 0x19, [][2]int{{0x10, 0x1f}, {0x60, 0x7f}, {0xa0, 0xaf}}, &zen4, ""},
	// Others of the family have vector pipes of 256 bits.
	{amd, 0x1a, [][2]int{{0x00, 0x1f}, {0x40, 0x4f}, {0x70, 0x7f}}, &zen5, ""},
	{intel, 6, [][2]int{{0x55, 0x55}}, &skylakeServer, ""},
	{intel, 6, [][2]int{{0x6a, 0x6a}, {0x6c, 0x6c}}, &iceLakeServer, ""},
	{intel, 6, [][2]int{{0x8f, 0x8f}}, &sapphireRapids, ""},
	{intel, 6, [][2]int{{0xcf, 0xcf}}, &emeraldRapids, ""},

	{arm, armFamily, [][2]int{{0xd0c, 0xd0c}}, &neoverseN1, "neondot"},
	{arm, armFamily, [][2]int{{0xd40, 0xd40}}, &neoverseV1, "neonbf16"},
	{arm, armFamily, [][2]int{{0xd49, 0xd49}}, &neoverseN2, "neonbf16"},
	{microsoft, armFamily, [][2]int{{0xd49, 0xd49}}, &neoverseN2, "neonbf16"}, // Cobalt 100
	{arm, armFamily, [][2]int{{0xd4f, 0xd4f}}, &neoverseV2, "neonbf16"},
	{arm, armFamily, [][2]int{{0xd07, 0xd07}}, &cortexA57, ""},
	{arm, armFamily, [][2]int{{0xd08, 0xd08}}, &cortexA72, ""},
	{arm, armFamily, [][2]int{{0xd0b, 0xd0b}}, &cortexA76, "neondot"},
	// By MIDR_EL1, of plain, Pro and Max processors; and by family.
	{apple, armFamily, [][2]int{{0x023, 0x023}, {0x025, 0x025}, {0x029, 0x029}}, &m1, "neondot"},
	{apple, 0x1b58, [][2]int{{0x8bb3, 0x8bb3}}, &m1, "neondot"},
	{apple, armFamily, [][2]int{{0x033, 0x033}, {0x035, 0x035}, {0x039, 0x039}}, &m2, "neonbf16"},
	{apple, 0xda33, [][2]int{{0xd83d, 0xd83d}}, &m2, "neonbf16"},
	{apple, 0xfa33, [][2]int{{0x415e, 0x415e}}, &m3, "neonbf16"},
	{apple, 0x5f4d, [][2]int{{0xea93, 0xea93}}, &m3, "neonbf16"}, // Pro
	{apple, 0x7201, [][2]int{{0x5832, 0x5832}}, &m3, "neonbf16"}, // Max
	{apple, 0x6f51, [][2]int{{0x29ac, 0x29ac}}, &m4, "neonbf16"},
	{apple, 0x17d5, [][2]int{{0xb93a, 0xb93a}}, &m4, "neonbf16"}, // Pro and Max
	{qualcomm, armFamily, [][2]int{{0x001, 0x001}}, &oryon, "neonbf16"},
}

// Known returns the data that comes with the program: families of cores, those of amd64 as they
// are in servers, then those of arm64.
func Known() (list []*Machine) {
	for i, k := range known {
		if i == 0 || known[i-1].data != k.data {
			list = append(list, k.data.clone())
		}
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
// "avx2", "neon", what extends these, or "go". Any other name counts as "go". It is a Zen 4, for
// "neon" a Neoverse N1. Do not change it.
func Reference(isa string) *Machine {
	all := references()
	for _, name := range [2]string{isa, isaset.Plain(isa)} {
		for _, m := range all {
			if m.Units[0].ISA == name {
				return m
			}
		}
	}
	return all[len(all)-1]
}

// references are few, so that to go over them is quicker than to hash a name.
var references = sync.OnceValue(func() (all []*Machine) {
	for i := range zen4.Units {
		m := zen4.clone()
		m.Units = m.Units[i:]
		all = append(all, m)
	}
	return slices.Insert(all, len(all)-1, neoverseN1.clone()) // the last is "go"
})

// clone returns a copy that shares nothing.
func (m *Machine) clone() *Machine {
	c := *m
	c.Units = slices.Clone(m.Units)
	return &c
}
