package sparse

// foresight is how many rows a core may know by heart once it has seen them: branch
// predictors have tables of some ten thousand entries, and a row takes one or two. What
// else runs between two products has them, too: a Zen 4 forgot anything from none to all.
const foresight = 1 << 13

// surprises returns how many ends of loops over rows are jumps that a core does not
// foresee: a row of n entries has a loop over n/u and, if u is more than 1, one over those
// that are left. Predictors look a length up by those of the rows before, as in Yeh and Patt
// (MICRO 1991). If all the rows of a product are few, half of the surprises are none.
func (s Structure) surprises(u, all int) int64 {
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
	if all <= foresight {
		return count / 2
	}
	return count
}
