package machine

import (
	"slices"
	"strings"
)

// unknown is the rule for a processor without data. Each number is the worst of the known
// cores that are like it, so that nothing is chosen that pays only on a better one. Like
// it are those of the same vendor with the same best instruction set. If there are none,
// they are those of any vendor with that set; and if there are none again, all. has says
// which instruction sets the machine has.
func unknown(c CPU, has func(isa string) bool) *Machine {
	best := func(m *Machine) string {
		for _, u := range m.Units {
			if has(u.ISA) {
				return u.ISA
			}
		}
		return goISA
	}
	isa := goISA
	for _, k := range known {
		if i := best(k.data); slices.Index(isas(), i) < slices.Index(isas(), isa) {
			isa = i
		}
	}
	var like []*Machine
	for _, want := range []func(vendor, isa string) bool{
		func(v, i string) bool { return v == c.Vendor && i == isa },
		func(_, i string) bool { return i == isa },
		func(_, _ string) bool { return true },
	} {
		for _, k := range known {
			if want(k.vendor, k.data.Units[0].ISA) {
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
