package part

import "math/rand/v2"

// Contiguous returns k parts of neighbouring vertices. Each ends where it reaches its
// share of the weight, and none is empty. Matrices are cut like this without a
// partitioner. It is an error if k is less than 1 or more than the number of vertices.
func Contiguous(h *Hypergraph, k int) (Partition, error) {
	n := h.Vertices()
	if err := checkDivisible("Contiguous", k, n); err != nil {
		return Partition{}, err
	}
	p := Partition{k, make([]int32, n)}
	v, sum := 0, int64(0)
	for q := range k {
		end := n - (k - 1 - q) // each part after this one is left a vertex
		for first := v; v < end; v++ {
			w := int64(h.weight[v])
			// A vertex in whose middle a share ends goes to where more of it is.
			if v > first && (2*sum+w)*int64(k) > 2*h.total*int64(q+1) && q < k-1 {
				break
			}
			sum += w
			p.part[v] = int32(q)
		}
	}
	return p, nil
}

// Random returns k parts of vertices anywhere, whose numbers of vertices differ by at most
// one. It is an error if k is less than 1 or more than the number of vertices.
func Random(h *Hypergraph, k int, seed uint64) (Partition, error) {
	n := h.Vertices()
	if err := checkDivisible("Random", k, n); err != nil {
		return Partition{}, err
	}
	p := Partition{k, make([]int32, n)}
	for i, v := range rand.New(rand.NewPCG(seed, uint64(n))).Perm(n) {
		p.part[v] = int32(i % k)
	}
	return p, nil
}
