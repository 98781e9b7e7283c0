package part

// coarseVertices is how many vertices for each part the coarsest hypergraph has, if it can.
const coarseVertices = 160

// Limits of what is divided at once, with counts of pins and gains for each part. More parts,
// or more of these numbers, are divided in two steps.
const (
	flatParts = 64
	flatSize  = 1 << 27
)

func flat(h *Hypergraph, k int) bool {
	return k <= 2 || k <= flatParts && h.Vertices()+h.Nets() <= flatSize/k
}

// multilevel makes as many parts as there are limits. It joins vertices, level by level, to make the
// hypergraph smaller, divides the smallest, and refines that partition on each level back. With part,
// which is within the limits, vertices are joined within its parts only, and it is what the smallest
// starts from (a V-cycle).
func (m *maker) multilevel(h *Hypergraph, limit []int64, part []int32) []int32 {
	k := len(limit)
	if k == 1 {
		return make([]int32, h.Vertices())
	}
	if !flat(h, k) {
		if part != nil {
			return part
		}
		return m.divide(h, limit)
	}
	type level struct {
		h  *Hypergraph
		of []int32
	}
	var levels []level
	heaviest := max(1, (h.total+int64(coarseVertices*k)-1)/int64(coarseVertices*k))
	for h.Vertices() > coarseVertices*k {
		of, n := cluster(h, heaviest, part, m.r)
		if n > h.Vertices()*99/100 {
			break
		}
		levels = append(levels, level{h, of})
		h = contract(h, of, n)
		if part != nil {
			coarse := make([]int32, n)
			for v, c := range of {
				coarse[c] = part[v]
			}
			part = coarse
		}
	}
	switch {
	case part != nil:
	case k == 2:
		part = m.bisect(h, limit)
	default:
		part = m.divide(h, limit)
	}
	part = m.refine(h, part, limit)
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		fine := make([]int32, len(l.of))
		for v, c := range l.of {
			fine[v] = part[c]
		}
		part = m.refine(l.h, fine, limit)
	}
	return part
}

// refine lowers km1, and keeps parts within their limits if they are, or can be brought there.
func (m *maker) refine(h *Hypergraph, part []int32, limit []int64) []int32 {
	s := newState(h, part, limit)
	rebalance(s)
	f := newFM(s, m.r)
	for range 10 {
		if gained := f.round(25); gained*1000 <= s.km1 {
			break
		}
	}
	return part
}
