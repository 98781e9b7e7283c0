package machine

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// unknown is the rule for a processor without data. Each number is the worst of the known
// cores that are like it, so that nothing is chosen that pays only on a better one. Like
// it are those of the same vendor with the same best instruction set and generation. If there are
// none, they are those of any vendor with these; then those with that set; and if there are none
// again, all of the architecture. has says which instruction sets the machine has.
func unknown(c CPU, arch string, has func(isa string) bool) *Machine {
	all := coresOf(arch)
	isa := goISA
	for _, k := range all {
		for _, u := range k.data.Units {
			if has(u.ISA) && slices.Index(isas(), u.ISA) < slices.Index(isas(), isa) {
				isa = u.ISA
			}
		}
	}
	since := generation(isa, has)
	var like []*Machine
	for _, want := range []func(k core) bool{
		func(k core) bool { return k.vendor == c.Vendor && k.data.Units[0].ISA == isa && k.since == since },
		func(k core) bool { return k.data.Units[0].ISA == isa && k.since == since },
		func(k core) bool { return k.data.Units[0].ISA == isa },
		func(k core) bool { return true },
	} {
		for _, k := range all {
			if want(k) && !slices.Contains(like, k.data) {
				like = append(like, k.data)
			}
		}
		if len(like) > 0 {
			break
		}
	}
	m, names := like[0].clone(), []string{like[0].Name}
	for _, other := range like[1:] {
		m.worsen(other)
		names = append(names, other.Name)
	}
	m.Name = "a core that is not known"
	m.Source = "there are no data for " + c.String() + ": of each number the worst of " + strings.Join(names, ", ")
	m.Sizes = "typical values"
	return m
}

// coresOf lists the cores of an architecture. Others than arm64 count as amd64: 386 is the same
// cores, and for the rest any data do, since no kernel is written for them.
func coresOf(arch string) []core {
	return slices.DeleteFunc(slices.Clone(known), func(k core) bool {
		return (isaset.ByName(k.data.Units[0].ISA).GOARCH == "arm64") != (arch == "arm64")
	})
}

// generation returns the newest of the instruction sets that tell generations of cores with that
// best one apart, as in core.since.
func generation(isa string, has func(isa string) bool) string {
	for _, s := range []string{"neonbf16", "neondot"} {
		if isaset.Plain(s) == isa && has(s) {
			return s
		}
	}
	return ""
}

// worsen makes each number of m the worse of its own and that of another machine, and
// leaves it the units that both have.
func (m *Machine) worsen(other *Machine) {
	m.Units = slices.DeleteFunc(m.Units, func(u Units) bool { return other.Of(u.ISA).ISA != u.ISA })
	theirs := map[string]field{}
	for _, f := range other.clone().allFields() {
		theirs[f.name] = f
	}
	for _, f := range m.allFields() {
		x, ok := f.number()
		o := theirs[f.name]
		y, _ := o.number()
		if ok && (f.worse == smaller && y < x || f.worse == larger && y > x) {
			f.set(y)
		}
	}
}
