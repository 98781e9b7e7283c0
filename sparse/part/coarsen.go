package part

import "math/rand/v2"

// ratedPins is how many pins a net may have to count in ratings, if that is not less than four times the
// mean. Larger nets say little about what belongs together, and cost the most, pins squared.
const ratedPins = 100

// cluster joins vertices that share costly small nets, until at most a share of 1/2.5 of them
// is left or nothing can be joined. Each vertex, in random order, joins the cluster with the largest sum
// of cost/(pins-1) over nets that it has in common, where clusters count once (Catalyurek and Aykanat,
// 1999; Karypis et al., DAC 1997). A cluster weighs at most heaviest. Vertices join within the same group
// only; nil is one group. A vertex whose cluster of choice is too heavy or of another group joins one that
// was left by the same. All the leaves of a star are such vertices: what hangs on one hub goes together.
// It returns the cluster of each vertex and their number.
func cluster(h *Hypergraph, heaviest int64, group []int32, r *rand.Rand) (of []int32, clusters int) {
	n := h.Vertices()
	of = make([]int32, n)
	weight := make([]int64, n)
	size := make([]int32, n)
	for v := range of {
		of[v] = int32(v)
		weight[v] = int64(h.weight[v])
		size[v] = 1
	}
	score := make([]float64, n)
	counted := newStamps(n)     // clusters, by a net
	waiting := make([]int32, n) // a vertex, from 1, that wanted to join the cluster
	var near, list []int32      // clusters with a score; clusters of a net
	rated := max(ratedPins, 4*h.Pins()/max(1, h.Nets()))
	clusters = n
	enough := n * 2 / 5
	for _, u := range nearbyOrder(n, r) {
		if clusters <= enough {
			break
		}
		if of[u] != u || size[u] > 1 {
			continue
		}
		near = near[:0]
		for _, j := range h.netsOf(u) {
			net := h.net(j)
			if len(net) > rated || len(net) < 2 {
				continue
			}
			counted.next()
			list = list[:0]
			for _, v := range net {
				if c := of[v]; counted.meet(c) {
					list = append(list, c)
				}
			}
			if len(list) < 2 {
				continue
			}
			add := float64(h.cost[j]) / float64(len(list)-1)
			for _, c := range list {
				if c == u {
					continue
				}
				if score[c] == 0 {
					near = append(near, c)
				}
				score[c] += add
			}
		}
		best, target := 0.0, int32(-1)
		wish, hub := 0.0, int32(-1)
		fresh := false
		w := weight[u]
		for _, c := range near {
			x := score[c]
			score[c] = 0
			if x > wish {
				wish, hub = x, c
			}
			if w+weight[c] > heaviest || group != nil && group[c] != group[u] {
				continue
			}
			single := size[c] == 1
			if x > best || x == best && single && !fresh {
				best, target, fresh = x, c, single
			}
		}
		if target < 0 && hub >= 0 {
			if c := waiting[hub] - 1; c >= 0 && w+weight[of[c]] <= heaviest && (group == nil || group[of[c]] == group[u]) {
				target = of[c]
			} else {
				waiting[hub] = u + 1
			}
		}
		if target >= 0 {
			of[u] = target
			weight[target] += w
			size[target]++
			size[u] = 0
			clusters--
		}
	}
	name := make([]int32, n)
	next := int32(0)
	for v, c := range of {
		if int32(v) == c {
			name[v] = next
			next++
		}
	}
	for v, c := range of {
		of[v] = name[c]
	}
	return of, int(next)
}

// nearbyOrder returns 0 to n-1 in random order, but in blocks. Vertices near in a matrix are near
// in memory, and a million vertices anywhere would mostly be waited for.
func nearbyOrder(n int, r *rand.Rand) []int32 {
	const block = 1024
	order := make([]int32, 0, n)
	for _, b := range r.Perm((n + block - 1) / block) {
		from := len(order)
		for v := b * block; v < min(n, (b+1)*block); v++ {
			order = append(order, int32(v))
		}
		part := order[from:]
		r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return order
}

// contract returns the hypergraph of clusters. A net has a cluster once. Nets within one cluster
// are dropped, and nets with the same pins become one, with the sum of their costs.
func contract(h *Hypergraph, of []int32, clusters int) *Hypergraph {
	c := newMerging(&Hypergraph{weight: make([]int32, clusters)})
	for v, to := range of {
		c.weight[to] += h.weight[v]
	}
	for j := range int32(h.Nets()) {
		c.begin()
		for _, v := range h.net(j) {
			c.pin(of[v])
		}
		c.end(h.cost[j])
	}
	c.finish()
	return c.Hypergraph
}
