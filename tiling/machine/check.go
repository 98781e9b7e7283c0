package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// A fault says what of a machine cannot be.
type fault struct{ field, why string }

func (f *fault) Error() string { return f.field + " " + f.why }

// longestText is how many characters a text may have: the names of all machines that there are data of, and what a measurement says besides.
const longestText = 600

// Check returns an error that says which number no machine can have, what it is and what
// would be right. It holds for the data that come with the program as for files.
func (m *Machine) Check() error {
	if f := m.check(); f != nil {
		return f
	}
	return nil
}

func (m *Machine) check() *fault {
	for _, u := range m.Units {
		if !slices.Contains(isas(), u.ISA) {
			return &fault{u.ISA, "is no instruction set; there are " + strings.Join(isas(), ", ")}
		}
	}
	for _, f := range m.allFields() {
		if f := f.check(); f != nil {
			return f
		}
	}
	c := &m.Caches
	switch n := len(m.Units); {
	case c[L2].Size < c[L1].Size:
		return &fault{"l2.size", fmt.Sprintf("is %d, less than the %d of l1; it must be more", c[L2].Size, c[L1].Size)}
	case c[L3].Size < c[L1].Size:
		return &fault{"l3.size", fmt.Sprintf("is %d, less than the %d of l1; it must be more", c[L3].Size, c[L1].Size)}
	case m.Pages.Far < m.Pages.Near:
		return &fault{"page.far", fmt.Sprintf("is %d, less than the %d of page.near; it must be as many or more", m.Pages.Far, m.Pages.Near)}
	case !slices.ContainsFunc(m.Units, func(u Units) bool { return u.ISA == goISA }):
		return &fault{goISA, "is not there; what compiled Go does must be, as the last of the instruction sets"}
	case m.Units[n-1].ISA != goISA:
		return &fault{goISA, "is not the last of the instruction sets; what compiled Go does must be"}
	}
	for i := range m.Units {
		if isa := isaset.ByName(m.Units[i].ISA); isa != nil && m.Units[i].Vector != isa.Bits/8 {
			return &fault{isa.Name + ".vector", fmt.Sprintf("is %d; it must be %d", m.Units[i].Vector, isa.Bits/8)}
		}
		if slices.ContainsFunc(m.Units[:i], func(u Units) bool { return u.ISA == m.Units[i].ISA }) {
			return &fault{m.Units[i].ISA, "is there twice; it must be there once"}
		}
	}
	return nil
}

// goISA names compiled Go among instruction sets.
const goISA = "go"

// isas lists the instruction sets that a machine has units of.
func isas() (names []string) {
	for _, i := range isaset.All {
		if i.Extends == nil {
			names = append(names, i.Name)
		}
	}
	return append(names, goISA)
}

func (f *field) check() *fault {
	if s, ok := f.at.(*string); ok {
		switch {
		case !utf8.ValidString(*s) || strings.ContainsFunc(*s, func(r rune) bool { return !strconv.IsPrint(r) }):
			return &fault{f.name, fmt.Sprintf("is %.40q; it must be printable text", *s)}
		case strings.TrimSpace(*s) != *s:
			return &fault{f.name, fmt.Sprintf("is %.40q; it must not begin or end with spaces", *s)}
		case utf8.RuneCountInString(*s) > longestText:
			return &fault{f.name, fmt.Sprintf("has %d characters; it must have at most %d", utf8.RuneCountInString(*s), longestText)}
		}
		return nil
	}
	// NaN is in no range.
	if x, _ := f.number(); !(x >= f.low && x <= f.high) {
		return &fault{f.name, fmt.Sprintf("is %s; it must be from %s to %s", short(x), short(f.low), short(f.high))}
	}
	return nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
