package sparse

// cost is the seconds of a product by what they go to.
type cost struct{ work, l2, l3, memory float64 }

// seconds is the sum: kernels fetch early, but a core has only so many misses under
// way. Of 70 products of matrices whose B is anywhere from L1 to memory it was within
// 25 % for half, and within a factor of 1.7 for eight in ten.
func (c cost) seconds() float64 { return c.work + c.l2 + c.l3 + c.memory }

// most names the largest term.
func (c cost) most() string {
	switch x := c.seconds() / 2; {
	case c.memory > x:
		return "memory"
	case c.l3 > x:
		return "L3"
	case c.l2 > x:
		return "L2"
	case c.work > x:
		return "instructions"
	}
	return "instructions and caches"
}

// waits adds what the traffic takes.
func (c cost) waits(on Machine, t Traffic) cost {
	n := t.Sum()
	c.l2, c.l3, c.memory = float64(n.L2)/on.L2, float64(n.L3)/on.L3, float64(n.Memory)/on.Memory
	return c
}

// work returns what the instructions of a product take whose rows of B are width
// bytes.
func work(on Machine, width, rows int, parts []footprint) float64 {
	k := &on.Costs
	vectors := float64(ceilDiv(width, on.Vector))
	panels := float64(ceilDiv(int(vectors), on.Panel))
	ns := 0.
	for g, z := range parts {
		slots, visits := float64(z.slots), float64(z.visits)
		switch {
		case z.order == byBlocks:
			columns := slots / float64(z.block)
			ns += k.Part + panels*k.Block*columns + vectors*(k.BlockVector*slots+k.VisitVector*visits)
		case z.plain:
			ns += k.Call + panels*(k.Row*visits+k.Entry*slots) + vectors*(k.RowVector*visits+k.EntryVector*slots)
		default:
			ns += k.Part + panels*(k.Visit*visits+k.Slot*slots) + vectors*(k.VisitVector*visits+k.SlotVector*slots)
		}
		// The first part stores rows that it meets once, and clears the others; what
		// meets a row again adds to it.
		if z.updates || g > 0 {
			ns += k.UpdateVector * vectors * visits
		}
		switch {
		case g == 0 && z.updates:
			ns += k.ClearVector * vectors * float64(rows)
		case g == 0:
			ns += k.ClearVector * vectors * max(0, float64(rows)-visits)
		}
	}
	return ns * 1e-9
}
