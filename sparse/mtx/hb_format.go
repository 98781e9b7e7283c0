package mtx

// A layout is a Fortran format such as (16I5), (1P,5E16.8), (1X,8I9) or (3(1X,E24.16)):
// where numbers stand in a line. Lines after the first begin at the last group of the
// outermost level, if there is one. Fortran goes on like this when a format ends before
// a list.
type layout struct {
	text        string
	items       []item
	again       int // items[again:] are those of later lines
	first, rest int // numbers in the first line, and in each after it
	skips       bool
	scale       int // that the first line leaves behind
}

// An item of a format is a group, a field of numbers, nX or kP.
type item struct {
	repeat int
	group  []item // nil for the others
	field  field
	skip   int  // of nX
	scales bool // kP: field.scale holds from here on
}

// A field is a number of a width.
type field struct {
	width   int
	integer bool
	digits  int // behind a point that is not written
	scale   int // of kP: numbers without an exponent are 10^k times too large
}

// maxField bounds what a line of a format holds.
const maxField = 1 << 16

// lines is how many lines n numbers take.
func (l *layout) lines(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= l.first:
		return 1
	}
	return 1 + (n-l.first-1)/l.rest + 1
}

// end is where some fields of a line end.
func (l *layout) end(first bool, some int) (end int) {
	l.each(first, some, func(from int, f field) bool { end = from + f.width; return true })
	return end
}

// integers reports whether all fields are.
func (l *layout) integers() bool {
	all := true
	l.each(true, l.first, func(_ int, f field) bool { all = f.integer; return all })
	return all
}

// each calls visit for some fields of a line, the first or a later one, and the byte that each begins at.
func (l *layout) each(first bool, some int, visit func(from int, f field) bool) {
	w := walk{left: some, visit: visit}
	if first {
		w.items(l.items)
		return
	}
	w.scale = l.scale
	w.items(l.items[l.again:])
}

// A walk goes through a line.
type walk struct {
	at, scale, left int
	visit           func(from int, f field) bool
}

// items reports whether the line goes on.
func (w *walk) items(list []item) bool {
	for _, t := range list {
		for range t.repeat {
			switch {
			case t.scales:
				w.scale = t.field.scale
			case t.skip > 0:
				w.at += t.skip
			case t.group != nil:
				if !w.items(t.group) {
					return false
				}
			default:
				f := t.field
				f.scale = w.scale
				if w.left--; w.left < 0 || !w.visit(w.at, f) {
					return false
				}
				w.at += f.width
			}
		}
	}
	return true
}
