package advise

import (
	"cmp"
	"slices"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling"
)

// blocks sends block rows through. Each block sends its rows of B, as often as its rows
// are more than registers have sums for, then the rows of C.
func (f *flow) blocks(s runs.Set, z *footprint, size int) {
	b := z.block
	met := runs.NewTally(runs.CeilDiv(s.N, b), s.NNZ)
	var columns []int32
	for r := 0; r < len(s.First); {
		io := int32(s.Row(r) / b)
		columns = columns[:0]
		for ; r < len(s.First) && int32(s.Row(r)/b) == io; r++ {
			for _, j := range s.Columns[s.First[r]:s.Last[r]] {
				if jo := int(j) / b; met.Of(jo) != int(io)+1 {
					met.Set(jo, io+1)
					columns = append(columns, int32(jo))
				}
			}
		}
		for t := range z.tall {
			for _, jo := range columns {
				if t == 0 {
					f.read(4 + b*b*size)
				}
				for j := int(jo) * b; j < min(s.N, int(jo)*b+b); j += f.narrow {
					f.row(int32(j))
				}
			}
		}
		for i := int(io) * b; i < min(s.M, int(io)*b+b); i++ {
			f.out(i)
		}
	}
}

// weights sends blocks of rows and columns through as the kernels for pruned weights
// have them. In each block the rows with most entries come first, and those with equally
// many are neighbours. The rows that are summed are those of C here; in between their sums
// lie in memory of their own, which is as near.
func (f *flow) weights(s runs.Set, z *footprint, size int) {
	from, to := slices.Clone(s.First), slices.Clone(s.First)
	order := make([]int32, weightRows)
	for r0 := 0; r0 < len(s.First); r0 += weightRows {
		for j0 := 0; j0 < s.N; j0 += z.depth {
			rows := order[:min(weightRows, len(s.First)-r0)]
			end := int32(min(s.N, j0+z.depth))
			for i := range rows {
				r := int32(r0 + i)
				rows[i] = r
				for to[r] < s.Last[r] && s.Columns[to[r]] < end {
					to[r]++
				}
			}
			slices.SortStableFunc(rows, func(x, y int32) int { return cmp.Compare(to[y]-from[y], to[x]-from[x]) })
			for len(rows) > 0 {
				n := to[rows[0]] - from[rows[0]]
				group := rows[:1]
				if len(rows) >= tiling.PrunedGroup && to[rows[tiling.PrunedGroup-1]]-from[rows[tiling.PrunedGroup-1]] == n {
					group = rows[:tiling.PrunedGroup]
				}
				rows = rows[len(group):]
				for k := range n {
					for _, r := range group {
						f.row(s.Columns[from[r]+k])
					}
				}
				for _, r := range group {
					f.read(4 + int(n)*(size+4))
					if n > 0 || j0 == 0 || int(end) == s.N {
						f.out(s.Row(int(r)))
					}
					from[r] = to[r]
				}
			}
		}
	}
}
