package layout

// LogicalProduct repeats a. Mode 0 of the result is a. Mode 1 places copies of a side by
// side, one for each coordinate of b, in the order of b's offsets.
//
//	(2,2):(4,1) times 6:1  =  ((2,2),(2,3)):((4,1),(2,8))
//
// Mode 1 is a's complement composed with b; what [Complement] and [Compose] refuse
// is refused.
func LogicalProduct(a, b Layout) (Layout, error) {
	if a.Size() > maxSize/2/b.Cosize() || a.end() > maxSize/2 {
		return Layout{}, refuse("LogicalProduct", "%v times %v reaches beyond offset %d", a, b, maxSize-1)
	}
	// As many offsets as the copies need, rounded up to what a can fill.
	end := a.end()
	m := (a.Size()*b.Cosize() + end - 1) / end * end
	free, err := Complement(a, m)
	if err != nil {
		return Layout{}, within("LogicalProduct", err)
	}
	copies, err := Compose(free, b)
	if err != nil {
		return Layout{}, within("LogicalProduct", err)
	}
	return join([]Layout{a, copies}), nil
}

// BlockedProduct lays out copies of the tile a as b says, mode by mode. Mode i of the
// result is (mode i of a, mode i of b), coalesced, so that a tile is a block of
// neighbouring coordinates. Missing modes count as 1:0.
func BlockedProduct(a, b Layout) (Layout, error) {
	return zippedProduct("BlockedProduct", a, b, func(tile, copies Layout) Layout {
		return join([]Layout{tile, copies})
	})
}

// RakedProduct is BlockedProduct with the two exchanged in every mode: neighbouring
// coordinates belong to different copies, so that the tiles are interleaved.
func RakedProduct(a, b Layout) (Layout, error) {
	return zippedProduct("RakedProduct", a, b, func(tile, copies Layout) Layout {
		return join([]Layout{copies, tile})
	})
}

func zippedProduct(op string, a, b Layout, zip func(tile, copies Layout) Layout) (Layout, error) {
	rank := max(a.Rank(), b.Rank())
	p, err := LogicalProduct(pad(a, rank), pad(b, rank))
	if err != nil {
		return Layout{}, within(op, err)
	}
	modes := make([]Layout, rank)
	for i := range modes {
		modes[i] = Coalesce(zip(p.Mode(0).Mode(i), p.Mode(1).Mode(i)))
	}
	return join(modes), nil
}

// pad returns l as a tuple of rank modes.
func pad(l Layout, rank int) Layout {
	modes := l.Modes()
	for len(modes) < rank {
		modes = append(modes, flat(nil))
	}
	return join(modes)
}
