package sparse

import "github.com/tilesmith/tilesmith/tiling"

// order is how the loops of a format meet B and C.
type order uint8

const (
	byRows    order = iota // row by row or position by position, each summed in registers
	byColumns              // C is updated for each entry, anywhere
	byBlocks               // dense blocks through the dense micro-kernel
	byWeights              // blocks of rows and columns, in each the rows by length
)

// footprint is what a part takes in its format, counted without conversion.
type footprint struct {
	order     order
	slots     int64
	visits    int64 // of rows of C, by rows: positions with their own sum
	bytes     int64 // of the structure
	block     int   // rows of a block
	blocks    int
	tiles     int  // block rows that are stored
	tall      int  // tiles of registers one above the other in a block
	depth     int  // columns of a block of pruned weights
	lengths   int  // different ones of rows, in all such blocks
	plain     bool // compressed rows, which have kernels of their own
	tested    bool // a slot may be padding
	updates   bool // rows of C may be met again: they are cleared first, and every visit adds
	diagonals []int32
}

// measure returns the footprint of s in f, which is one of this package's formats;
// it takes linear time. sigma is that of SELL.
func (f Format) measure(s Structure, sigma int) footprint {
	last := f.Axes[len(f.Axes)-1]
	switch f.Axes[0].Name {
	case "j": // csc
		return footprint{order: byColumns, updates: true, slots: int64(s.nnz), visits: int64(s.nnz), bytes: 4 * int64(s.n+1+s.nnz)}
	case "d": // dia
		return s.inDiagonals()
	case "io":
		if f.Axes[1].Variable && f.Axes[1].Sparse { // bsr, dbsr
			return s.inBlocks(last.Size, f.Axes[0].Sparse)
		}
		return s.inSlices(f.Axes[2].Size, sigma)
	}
	switch i := f.Axes[0]; {
	case i.Sparse && last.Variable: // dcsr
		return footprint{updates: s.again(), slots: int64(s.nnz), visits: int64(s.runs()), bytes: 4 * int64(2+2*s.runs()+1+s.nnz)}
	case i.Sparse: // dell, and coo, whose positions are entries
		positions := 0
		for r, x := range s.first {
			positions += ceilDiv(int(s.last[r]-x), last.Size)
		}
		n := int64(positions) * int64(last.Size)
		return footprint{tested: true, updates: positions > s.runs() || s.again(), slots: n, visits: int64(positions), bytes: 4 * (int64(2+positions) + n)}
	case !last.Variable: // ell
		n := int64(s.m) * int64(last.Size)
		return footprint{tested: true, slots: n, visits: int64(s.m), bytes: 4 * n}
	}
	return footprint{plain: true, slots: int64(s.nnz), visits: int64(s.m), bytes: 4 * int64(s.m+1+s.nnz)}
}

// clears reports whether rows of C, of m, that the part does not meet are cleared first.
func (z *footprint) clears(m int) bool {
	return !z.plain && !z.updates && z.order == byRows && z.visits < int64(m)
}

// runs returns the number of runs that are not empty.
func (s Structure) runs() int {
	n := 0
	for r, x := range s.first {
		if s.last[r] > x {
			n++
		}
	}
	return n
}

// again reports whether some row has two runs.
func (s Structure) again() bool {
	for r := 1; r < len(s.rows); r++ {
		if s.rows[r] == s.rows[r-1] {
			return true
		}
	}
	return false
}

// longest returns the entries of the longest run.
func (s Structure) longest() int {
	n := int32(0)
	for r, x := range s.first {
		n = max(n, s.last[r]-x)
	}
	return int(n)
}

func (s Structure) inDiagonals() footprint {
	seen := newTally(s.m+s.n+1, s.nnz)
	for r, x := range s.first {
		for d := s.m - s.row(r); x < s.last[r]; x++ {
			seen.set(d+int(s.columns[x]), 1)
		}
	}
	var offsets []int32
	for d := range seen.keys() {
		offsets = append(offsets, int32(d-s.m))
	}
	n := int64(len(offsets)) * int64(s.m)
	z := footprint{tested: true, slots: n, visits: int64(s.m), bytes: 4 * int64(len(offsets)), diagonals: offsets}
	if n > int64(s.nnz) {
		z.bytes += 8 * ((n + 63) / 64)
	}
	return z
}

// inBlocks counts the blocks of b x b that have an entry; sparse says that rows of
// blocks without one take no position.
func (s Structure) inBlocks(b int, sparse bool) footprint {
	z := footprint{order: byBlocks, block: b}
	met := newTally(ceilDiv(s.n, b), s.nnz) // by block column, the block row that met it last, from 1
	rows, at := 0, int32(-1)
	for r, x := range s.first {
		io := int32(s.row(r) / b)
		if io != at && x < s.last[r] {
			at = io
			rows++
		}
		for _, j := range s.columns[x:s.last[r]] {
			jo := int(uint32(j) / uint32(b))
			if met.of(jo) != int(io)+1 {
				met.set(jo, io+1)
				z.blocks++
			}
		}
	}
	z.slots = int64(z.blocks) * int64(b) * int64(b)
	z.visits, z.tiles = int64(rows)*int64(b), rows
	z.bytes = 4 * int64(z.blocks)
	if sparse {
		z.bytes += 4 * int64(2+2*rows+1)
	} else {
		z.bytes += 4 * int64(ceilDiv(s.m, b)+1)
	}
	if z.slots > int64(s.nnz) {
		z.bytes += 8 * ((z.slots + 63) / 64)
	}
	return z
}

// inSlices is SELL(c, sigma), for compressed rows.
func (s Structure) inSlices(c, sigma int) footprint {
	order := longestFirst(s.m, s.n, sigma, func(i int32) int { return int(s.last[i] - s.first[i]) })
	slices, columns := ceilDiv(s.m, c), int64(0)
	for t := range slices {
		width := int32(0)
		for _, i := range order[t*c : min(s.m, t*c+c)] {
			width = max(width, s.last[i]-s.first[i])
		}
		columns += int64(width)
	}
	n := columns * int64(c)
	return footprint{tested: true, slots: n, visits: int64(s.m), bytes: 4 * (int64(slices)*int64(c+1) + 1 + n)}
}

// weightRows is the rows of a block of pruned weights.
const weightRows = tiling.PrunedRows

// inWeights is pruned weights as package cpu arranges them.
func (s Structure) inWeights() footprint {
	z := footprint{order: byWeights, slots: int64(s.nnz), depth: tiling.PrunedDepth(max(s.m, 1), max(s.n, 1), s.nnz)}
	last := (max(s.n, 1) - 1) / z.depth
	seen := map[[2]int32]bool{} // by block of columns and length
	for r, x := range s.first {
		if r%weightRows == 0 {
			z.lengths += len(seen)
			clear(seen)
		}
		first, end := false, false
		for x < s.last[r] {
			c, from := int(s.columns[x])/z.depth, x
			for ; x < s.last[r] && int(s.columns[x])/z.depth == c; x++ {
			}
			seen[[2]int32{int32(c), x - from}] = true
			z.visits++
			first, end = first || c == 0, end || c == last
		}
		if !first { // rows begin and end in out whether they have entries there or not
			z.visits++
		}
		if !end && last > 0 {
			z.visits++
		}
	}
	z.lengths += len(seen)
	z.bytes = 4 * (z.visits + z.slots)
	return z
}
