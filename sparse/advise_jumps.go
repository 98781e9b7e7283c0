package sparse

// foresight is how many rows a core knows by heart once it has seen them: branch
// predictors have tables of some ten thousand entries, and a row takes one or two.
const foresight = 1 << 13

// surprises returns how many ends of loops over rows are jumps that a core does not
// foresee: a row of n entries has a loop over n/u and, if u is more than 1, one over those
// that are left. all is the rows of all parts of a product. Where there are too many rows to know them, predictors look a length up
// by those of the rows before, as in Yeh and Patt (MICRO 1991).
func (s Structure) surprises(u, all int) int64 {
	if all <= foresight {
		return 0
	}
	const bits = 13
	table := make([]int32, 1<<bits)
	count, h := int64(0), uint32(0)
	for r, x := range s.first {
		n := s.last[r] - x
		at := &table[h*0x9E3779B1>>(32-bits)]
		if u > 1 && *at%int32(u) != n%int32(u) {
			count++
		}
		if *at/int32(u) != n/int32(u) {
			count++
		}
		*at = n
		h = (h<<10 ^ uint32(n)) & (1<<30 - 1) // of the last three rows
	}
	return count
}
