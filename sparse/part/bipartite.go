package part

import "slices"

// edge is an entry of a block.
type edge struct{ row, col int32 }

// bipartite is the graph of a block: an edge from its column, at the left, to its row, at
// the right, for each entry. Both are numbered from 0 within the block.
type bipartite struct {
	left, right []int32 // columns and rows of the matrix, ascending
	first, to   []int32 // the rows of column u are to[first[u]:first[u+1]]
	col         []int32 // from columns of the matrix to left

	mateL, mateR []int32 // of the matching, -1 for none
	level        []int32 // of left vertices, from those without a mate
	next         []int32 // the first edge of each left vertex not yet tried in a phase
	queue, stack []int32
}

// set makes the graph of entries whose rows ascend.
func (b *bipartite) set(entries []edge) {
	b.left, b.right = b.left[:0], b.right[:0]
	for i, e := range entries {
		b.left = append(b.left, e.col)
		if i == 0 || e.row != entries[i-1].row {
			b.right = append(b.right, e.row)
		}
	}
	slices.Sort(b.left)
	b.left = slices.Compact(b.left)
	for u, j := range b.left {
		b.col[j] = int32(u)
	}
	b.first = append(b.first[:0], make([]int32, len(b.left)+2)...)
	for _, e := range entries {
		b.first[b.col[e.col]+2]++
	}
	for u := range len(b.left) {
		b.first[u+2] += b.first[u+1]
	}
	b.to = append(b.to[:0], make([]int32, len(entries))...)
	r := int32(-1)
	for i, e := range entries {
		if i == 0 || e.row != entries[i-1].row {
			r++
		}
		at := &b.first[b.col[e.col]+1]
		b.to[*at] = r
		*at++
	}
	b.first = b.first[:len(b.left)+1]
}

// cover returns a minimum vertex cover, as columns and rows of the matrix.
func (b *bipartite) cover() (cols, rows []int32) {
	size := b.match()
	if size == len(b.left) {
		return b.left, nil
	}
	// Koenig: start at the columns without a mate, and go by an edge to rows and by a mate
	// back. The cover is the rows that are reached, and the columns that are not.
	reachedR := make([]bool, len(b.right))
	b.search(func(r int32) { reachedR[r] = true })
	for u, l := range b.level {
		if l < 0 {
			cols = append(cols, b.left[u])
		}
	}
	for r, ok := range reachedR {
		if ok {
			rows = append(rows, b.right[r])
		}
	}
	return cols, rows
}

// match makes a maximum matching and returns its size.
func (b *bipartite) match() (size int) {
	b.mateL, b.mateR = none(b.mateL, len(b.left)), none(b.mateR, len(b.right))
	for u := range b.left { // a greedy start leaves few to the phases
		for _, r := range b.to[b.first[u]:b.first[u+1]] {
			if b.mateR[r] < 0 {
				b.mateL[u], b.mateR[r] = r, int32(u)
				size++
				break
			}
		}
	}
	for {
		free := false
		b.search(func(r int32) { free = free || b.mateR[r] < 0 })
		if !free {
			return size
		}
		b.next = append(b.next[:0], b.first[:len(b.left)]...)
		for u := range b.left {
			if b.mateL[u] < 0 && b.augment(int32(u)) {
				size++
			}
		}
	}
}

// search sets the level of all left vertices that alternating paths reach from those
// without a mate, -1 for others. It visits the right ones that are reached.
func (b *bipartite) search(visit func(r int32)) {
	b.level = none(b.level, len(b.left))
	b.queue = b.queue[:0]
	for u, r := range b.mateL {
		if r < 0 {
			b.level[u] = 0
			b.queue = append(b.queue, int32(u))
		}
	}
	for at := 0; at < len(b.queue); at++ {
		u := b.queue[at]
		for _, r := range b.to[b.first[u]:b.first[u+1]] {
			visit(r)
			if v := b.mateR[r]; v >= 0 && b.level[v] < 0 {
				b.level[v] = b.level[u] + 1
				b.queue = append(b.queue, v)
			}
		}
	}
}

// augment looks for a path of ascending levels from u to a right vertex without a mate, and
// swaps the edges along it. An edge that led nowhere is not tried again in a phase.
func (b *bipartite) augment(u int32) bool {
	b.stack = append(b.stack[:0], u)
	for len(b.stack) > 0 {
		u := b.stack[len(b.stack)-1]
		if b.next[u] == b.first[u+1] {
			b.stack = b.stack[:len(b.stack)-1]
			if n := len(b.stack); n > 0 {
				b.next[b.stack[n-1]]++
			}
			continue
		}
		r := b.to[b.next[u]]
		v := b.mateR[r]
		if v < 0 {
			for _, w := range b.stack {
				r := b.to[b.next[w]]
				b.mateL[w], b.mateR[r] = r, w
				b.next[w]++
			}
			return true
		}
		if b.level[v] == b.level[u]+1 {
			b.stack = append(b.stack, v)
		} else {
			b.next[u]++
		}
	}
	return false
}

// none returns n times -1, in list if it has room.
func none(list []int32, n int) []int32 {
	list = list[:0]
	for range n {
		list = append(list, -1)
	}
	return list
}
