package part

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
)

// MaxParts is the largest number of parts.
const MaxParts = 1 << 20

// Partition says for each vertex, row or column which of k parts it is in. It cannot be
// changed. The zero Partition has no parts and nothing in them.
type Partition struct {
	k    int
	part []int32
}

// New returns the partition in which vertex v is in parts[v], from 0 to k-1. The parts are
// copied. Some may be empty.
func New(k int, parts []int32) (Partition, error) {
	if err := checkParts("New", k); err != nil {
		return Partition{}, err
	}
	for v, q := range parts {
		if q < 0 || int(q) >= k {
			return Partition{}, fail(sparse.ErrIndex, "New", fmt.Sprintf("parts are from 0 to %d", k-1), "vertex %d is in part %d", v, q)
		}
	}
	return Partition{k, append([]int32(nil), parts...)}, nil
}

// K returns the number of parts.
func (p Partition) K() int { return p.k }

// Len returns the number of vertices.
func (p Partition) Len() int { return len(p.part) }

// Of returns the part of vertex v. It panics if there is none.
func (p Partition) Of(v int) int { return int(p.part[v]) }

// Parts returns a copy of the part of each vertex.
func (p Partition) Parts() []int32 { return append([]int32(nil), p.part...) }

// Members returns the vertices of each part, ascending.
func (p Partition) Members() [][]int32 {
	size := make([]int, p.k)
	for _, q := range p.part {
		size[q]++
	}
	all := make([]int32, len(p.part))
	out := make([][]int32, p.k)
	for q := range out {
		out[q], all = all[:0:size[q]], all[size[q]:]
	}
	for v, q := range p.part {
		out[q] = append(out[q], int32(v))
	}
	return out
}

// String says how many vertices are in how many parts.
func (p Partition) String() string { return fmt.Sprintf("%d vertices in %d parts", len(p.part), p.k) }
