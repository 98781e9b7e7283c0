package machine

// A field is one number or text of a machine: its name in files, its place, and the
// range that is not absurd.
type field struct {
	name      string
	at        any // *string, *int or *float64
	low, high float64
	worse     worse
	unit      string // as of Number
}

// worse says which way a number gets worse.
type worse int

const (
	neither worse = iota
	smaller
	larger
)

// levelNames are the words of files for the levels of memory.
var levelNames = [Levels]string{"l1", "l2", "l3", "memory"}

// The range that a machine's numbers may have, in bytes/s and seconds. It goes from a
// tenth of the slowest machine that still runs Go to ten times the fastest of today.
const (
	slowest, fastest  = 1e8, 1e14
	shortest, longest = 1e-11, 1e-4
)

// sizes are the least and the most bytes of a level.
var sizes = [Levels][2]float64{{1 << 10, 4 << 20}, {16 << 10, 1 << 30}, {64 << 10, 16 << 30}, {}}

// fields lists everything of a machine but its units, in the order of files.
func (m *Machine) fields() []field {
	list := []field{
		{name: "name", at: &m.Name},
		{name: "source", at: &m.Source},
		{name: "sizes", at: &m.Sizes},
		{name: "cpu.vendor", at: &m.CPU.Vendor},
		{"cpu.family", &m.CPU.Family, 0, 1 << 20, neither, ""},
		{"cpu.model", &m.CPU.Model, 0, 1 << 20, neither, ""},
		{"clock", &m.Clock, 1e8, 2e10, smaller, "Hz"},
		{"cores", &m.Cores, 1, 1 << 16, smaller, ""},
	}
	for i := range m.Caches {
		l, name := &m.Caches[i], levelNames[i]+"."
		if i != Memory {
			list = append(list,
				field{name + "size", &l.Size, sizes[i][0], sizes[i][1], smaller, "bytes"},
				field{name + "ways", &l.Ways, 1, 1 << 10, smaller, ""})
		}
		list = append(list,
			field{name + "read", &l.Read, slowest, fastest, smaller, "bytes/s"},
			field{name + "write", &l.Write, slowest, fastest, smaller, "bytes/s"},
			field{name + "latency", &l.Latency, shortest, longest, larger, "s"},
			field{name + "misses", &l.Misses, 1, 1000, smaller, ""})
	}
	p := &m.Pages
	return append(list,
		field{"stream", &m.Stream, slowest, fastest, smaller, "bytes/s"},
		field{"together", &m.Together, slowest, fastest, smaller, "bytes/s"},
		field{"page.size", &p.Size, 1 << 10, 1 << 30, smaller, "bytes"},
		field{"page.near", &p.Near, 1, 1 << 20, smaller, ""},
		field{"page.far", &p.Far, 1, 1 << 24, smaller, ""},
		field{"page.lookup", &p.Lookup, 0, longest, larger, "s"},
		field{"page.walk", &p.Walk, 0, longest, larger, "s"},
		field{"tail", &m.Tail, 0, 1000, larger, "cycles"})
}

// fields lists everything of units but the name, which their names begin with.
func (u *Units) fields() []field {
	name := u.ISA + "."
	return []field{
		{name + "vector", &u.Vector, 4, 1 << 10, smaller, "bytes"},
		{name + "fma", &u.FMA, 0.01, 64, smaller, "a cycle"},
		{name + "latency", &u.Latency, 1, 100, larger, "cycles"},
		{name + "loads", &u.Loads, 0.01, 64, smaller, "a cycle"},
		{name + "stores", &u.Stores, 0.01, 64, smaller, "a cycle"},
		{name + "shuffle", &u.Shuffle, 0, 64, smaller, "a cycle"},
		{name + "issue", &u.Issue, 0.5, 64, smaller, "a cycle"},
		{name + "masked", &u.Masked, 0, 1000, larger, "cycles"},
		{name + "gather", &u.Gather, 0.05, 1000, larger, "cycles"},
	}
}

// number is what a field holds, if that is a number.
func (f *field) number() (float64, bool) {
	switch x := f.at.(type) {
	case *int:
		return float64(*x), true
	case *float64:
		return *x, true
	}
	return 0, false
}

// set stores a number.
func (f *field) set(x float64) {
	switch p := f.at.(type) {
	case *int:
		*p = int(x)
	case *float64:
		*p = x
	}
}

// A Number is one of a machine's, for tables.
type Number struct {
	Name  string // as files call it: "l2.read"
	Value float64
	Unit  string // "bytes", "bytes/s", "Hz", "s", "cycles", "a cycle", or "" for what is counted
}

// Numbers lists the numbers of the machine, in the order of files: all but those of CPU.
func (m *Machine) Numbers() (list []Number) {
	for _, f := range m.allFields() {
		if x, ok := f.number(); ok && f.worse != neither {
			list = append(list, Number{f.name, x, f.unit})
		}
	}
	return list
}
