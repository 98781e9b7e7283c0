package layout

// RightInverse returns the layout r with l(r(i)) = i for every i of r: where to find
// offset i. It covers the offsets from 0 up to the first gap of l's modes, taken by
// stride. For a bijection that is all of l; if no stride is 1 it is 1:0.
//
//	(4,8):(8,1)  ->  (8,4):(4,1)
func RightInverse(l Layout) Layout {
	ms := coalesce(l.leaves())
	// A mode of l that starts at coordinate at and has stride d becomes, in the inverse, a
	// mode of stride at that starts at offset d.
	starts := map[int]mode{} // by offset
	at := 1
	for _, m := range ms {
		if m.d > 0 && m.n > starts[m.d].n {
			starts[m.d] = mode{m.n, at}
		}
		at *= m.n
	}
	var out []mode
	for end := 1; starts[end].n > 0; {
		m := starts[end]
		out = append(out, m)
		end *= m.n
	}
	return flat(coalesce(out))
}

// LeftInverse returns a layout r with r(l(c)) = c for every integer coordinate c of l:
// which element stands at an offset. r also takes the offsets that l leaves out, with
// meaningless results. LeftInverse refuses an l that is not injective, or whose gaps
// are not a layout; see [Complement].
//
//	4:2  ->  (2,4):(4,1)
func LeftInverse(l Layout) (Layout, error) {
	for _, m := range l.leaves() {
		if m.n > 1 && m.d == 0 {
			return Layout{}, refuse("LeftInverse", "mode %v of %v puts %d elements in one place", m, l, m.n)
		}
	}
	gaps, err := Complement(l, l.end())
	if err != nil {
		return Layout{}, within("LeftInverse", err)
	}
	return RightInverse(join([]Layout{l, gaps})), nil
}
