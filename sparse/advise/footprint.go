package advise

import (
	"github.com/tilesmith/tilesmith/tiling"

	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

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
func measure(f format.Format, s runs.Set, sigma int) footprint {
	last := f.Axes[len(f.Axes)-1]
	switch f.Axes[0].Name {
	case "j": // csc
		return footprint{order: byColumns, updates: true, slots: int64(s.NNZ), visits: int64(s.NNZ), bytes: 4 * int64(s.N+1+s.NNZ)}
	case "d": // dia
		return inDiagonals(s)
	case "io":
		if f.Axes[1].Variable && f.Axes[1].Sparse { // bsr, dbsr
			return inBlocks(s, last.Size, f.Axes[0].Sparse)
		}
		return inSlices(s, f.Axes[2].Size, sigma)
	}
	switch i := f.Axes[0]; {
	case i.Sparse && last.Variable: // dcsr
		return footprint{updates: again(s), slots: int64(s.NNZ), visits: int64(filled(s)), bytes: 4 * int64(2+2*filled(s)+1+s.NNZ)}
	case i.Sparse: // dell, and coo, whose positions are entries
		positions := 0
		for r, x := range s.First {
			positions += runs.CeilDiv(int(s.Last[r]-x), last.Size)
		}
		n := int64(positions) * int64(last.Size)
		return footprint{tested: true, updates: positions > filled(s) || again(s), slots: n, visits: int64(positions), bytes: 4 * (int64(2+positions) + n)}
	case !last.Variable: // ell
		n := int64(s.M) * int64(last.Size)
		return footprint{tested: true, slots: n, visits: int64(s.M), bytes: 4 * n}
	}
	return footprint{plain: true, slots: int64(s.NNZ), visits: int64(s.M), bytes: 4 * int64(s.M+1+s.NNZ)}
}

// clears reports whether rows of C, of m, that the part does not meet are cleared first.
func (z *footprint) clears(m int) bool {
	return !z.plain && !z.updates && z.order == byRows && z.visits < int64(m)
}

// filled returns the number of runs that are not empty.
func filled(s runs.Set) int {
	n := 0
	for r, x := range s.First {
		if s.Last[r] > x {
			n++
		}
	}
	return n
}

// again reports whether some row has two runs.
func again(s runs.Set) bool {
	for r := 1; r < len(s.Rows); r++ {
		if s.Rows[r] == s.Rows[r-1] {
			return true
		}
	}
	return false
}

// longest returns the entries of the longest run.
func longest(s runs.Set) int {
	n := int32(0)
	for r, x := range s.First {
		n = max(n, s.Last[r]-x)
	}
	return int(n)
}

func inDiagonals(s runs.Set) footprint {
	seen := runs.NewTally(s.M+s.N+1, s.NNZ)
	for r, x := range s.First {
		for d := s.M - s.Row(r); x < s.Last[r]; x++ {
			seen.Set(d+int(s.Columns[x]), 1)
		}
	}
	var offsets []int32
	for d := range seen.Keys() {
		offsets = append(offsets, int32(d-s.M))
	}
	n := int64(len(offsets)) * int64(s.M)
	z := footprint{tested: true, slots: n, visits: int64(s.M), bytes: 4 * int64(len(offsets)), diagonals: offsets}
	if n > int64(s.NNZ) {
		z.bytes += 8 * ((n + 63) / 64)
	}
	return z
}

// inBlocks counts the blocks of b x b that have an entry; sparse says that rows of
// blocks without one take no position.
func inBlocks(s runs.Set, b int, sparse bool) footprint {
	z := footprint{order: byBlocks, block: b}
	met := runs.NewTally(runs.CeilDiv(s.N, b), s.NNZ) // by block column, the block row that met it last, from 1
	rows, at := 0, int32(-1)
	for r, x := range s.First {
		io := int32(s.Row(r) / b)
		if io != at && x < s.Last[r] {
			at = io
			rows++
		}
		for _, j := range s.Columns[x:s.Last[r]] {
			jo := int(uint32(j) / uint32(b))
			if met.Of(jo) != int(io)+1 {
				met.Set(jo, io+1)
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
		z.bytes += 4 * int64(runs.CeilDiv(s.M, b)+1)
	}
	if z.slots > int64(s.NNZ) {
		z.bytes += 8 * ((z.slots + 63) / 64)
	}
	return z
}

// inSlices is SELL(c, sigma), for compressed rows.
func inSlices(s runs.Set, c, sigma int) footprint {
	order := runs.LongestFirst(s.M, s.N, sigma, func(i int32) int { return int(s.Last[i] - s.First[i]) })
	slices, columns := runs.CeilDiv(s.M, c), int64(0)
	for t := range slices {
		width := int32(0)
		for _, i := range order[t*c : min(s.M, t*c+c)] {
			width = max(width, s.Last[i]-s.First[i])
		}
		columns += int64(width)
	}
	n := columns * int64(c)
	return footprint{tested: true, slots: n, visits: int64(s.M), bytes: 4 * (int64(slices)*int64(c+1) + 1 + n)}
}

// weightRows is the rows of a block of pruned weights.
const weightRows = tiling.PrunedRows

// inWeights is pruned weights as package cpu arranges them.
func inWeights(s runs.Set) footprint {
	z := footprint{order: byWeights, slots: int64(s.NNZ), depth: tiling.PrunedDepth(max(s.M, 1), max(s.N, 1), s.NNZ)}
	last := (max(s.N, 1) - 1) / z.depth
	seen := map[[2]int32]bool{} // by block of columns and length
	for r, x := range s.First {
		if r%weightRows == 0 {
			z.lengths += len(seen)
			clear(seen)
		}
		first, end := false, false
		for x < s.Last[r] {
			c, from := int(s.Columns[x])/z.depth, x
			for ; x < s.Last[r] && int(s.Columns[x])/z.depth == c; x++ {
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
