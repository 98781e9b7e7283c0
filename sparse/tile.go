package sparse

// tiles is the entries grouped by the tile of h rows and w columns they are in, tile
// rows first. Only tiles with entries are there.
type tiles struct {
	order  []int32 // the entries, tile by tile, in each by row, then column
	first  []int32 // tile t is order[first[t]:first[t+1]]
	io, jo []int32 // where tile t is, in tiles
}

func tilesOf(m, n, h, w int, in []Entry) tiles {
	t := tiles{order: sortBy(sequence(len(in)), ceilDiv(n, w), func(k int32) int { return in[k].J / w })}
	t.order = sortBy(t.order, ceilDiv(m, h), func(k int32) int { return in[k].I / h })
	for at, k := range t.order {
		io, jo := int32(in[k].I/h), int32(in[k].J/w)
		if last := len(t.io) - 1; last < 0 || t.io[last] != io || t.jo[last] != jo {
			t.first, t.io, t.jo = append(t.first, int32(at)), append(t.io, io), append(t.jo, jo)
		}
	}
	t.first = append(t.first, int32(len(in)))
	return t
}

// mask returns the mask of n slots, where slot says which is that of an entry in
// tile t.
func (t tiles) mask(n int, in []Entry, slot func(tile int, e Entry) int) []uint64 {
	mask := newMask(n, len(in))
	if mask == nil {
		return nil
	}
	for tile := range t.io {
		for _, k := range t.order[t.first[tile]:t.first[tile+1]] {
			set(mask, slot(tile, in[k]))
		}
	}
	return mask
}
