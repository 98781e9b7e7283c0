package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// HStack returns the matrices side by side. It is an error if they have not as many rows.
func HStack[T dtype.Value](parts ...Matrix[T]) (Matrix[T], error) {
	return block("sparse.HStack", [][]Matrix[T]{parts})
}

// VStack returns the matrices one below another. It is an error if they have not as many
// columns.
func VStack[T dtype.Value](parts ...Matrix[T]) (Matrix[T], error) {
	column := make([][]Matrix[T], len(parts))
	for i := range parts {
		column[i] = parts[i : i+1]
	}
	return block("sparse.VStack", column)
}

// Block returns a matrix made of rows of blocks; duplicates in them are summed. A block of
// 0 x 0, such as Matrix[T]{}, stands for zeros of the size of its row and column, as None
// does in SciPy's bmat. It is an error if sizes do not agree.
func Block[T dtype.Value](blocks [][]Matrix[T]) (Matrix[T], error) {
	return block("sparse.Block", blocks)
}

// unknown is the size of a row or column of blocks of which all are 0 x 0.
const unknown = -1

func block[T dtype.Value](where string, blocks [][]Matrix[T]) (Matrix[T], error) {
	across := 0
	if len(blocks) > 0 {
		across = len(blocks[0])
	}
	heights, widths := make([]int, len(blocks)), make([]int, across)
	for r := range heights {
		heights[r] = unknown
	}
	for c := range widths {
		widths[c] = unknown
	}
	entries := int64(0)
	for r, row := range blocks {
		if len(row) != across {
			return Matrix[T]{}, Errorf(ErrLength, where, "each has as many", "row %d has %d blocks, the first has %d", r, len(row), across)
		}
		for c := range row {
			m := row[c].s.some()
			if m.rows == 0 && m.cols == 0 {
				continue
			}
			if heights[r] != unknown && m.rows != heights[r] {
				return Matrix[T]{}, Errorf(ErrShape, where, "all of a row have as many rows", "block (%d, %d) is %d x %d, one before it has %d rows", r, c, m.rows, m.cols, heights[r])
			}
			if widths[c] != unknown && m.cols != widths[c] {
				return Matrix[T]{}, Errorf(ErrShape, where, "all of a column have as many columns", "block (%d, %d) is %d x %d, one above it has %d columns", r, c, m.rows, m.cols, widths[c])
			}
			heights[r], widths[c] = m.rows, m.cols
			entries += int64(len(m.indices))
		}
	}
	rows, cols := sumSizes(heights), sumSizes(widths)
	if err := checkTotal(where, rows, cols, entries); err != nil {
		return Matrix[T]{}, err
	}
	g, values := grow(where, int(rows), int(cols), int(entries)), make([]T, 0, entries)
	for r, row := range blocks {
		parts := make([]Matrix[T], across)
		for c := range row {
			parts[c] = row[c].Canonical()
		}
		for i := range max(heights[r], 0) {
			first := int32(0)
			for c, m := range parts {
				if i < m.s.rows {
					for _, j := range m.s.columns(i) {
						g.put(first + j)
					}
					values = append(values, m.values[m.s.pointers[i]:m.s.pointers[i+1]]...)
				}
				first += int32(max(widths[c], 0))
			}
			g.endRow()
		}
	}
	return grown(g, values)
}

// sumSizes returns the sum of sizes that are known.
func sumSizes(sizes []int) (sum int64) {
	for _, n := range sizes {
		sum += int64(max(n, 0))
	}
	return sum
}
