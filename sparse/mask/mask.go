// Package mask says which elements of a matrix of scores count, block by block: what attention over blocks goes over.
package mask

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Mask says which elements of a matrix of scores count, by square blocks of Size. It is for attention
// over blocks, where rows are queries and columns keys. It is immutable. Make one with [New],
// [Band] or another of these functions; join them with [Mask.Or], and let none see what comes later
// with [Mask.Causal].
type Mask struct {
	rows, cols, size int
	causal           bool
	blocks           sparse.Pattern
}

// New returns the mask of a rows x cols matrix that has a block wherever blocks
// has an entry, whatever its value. blocks has a row for each size rows, and a column for each size columns;
// the last ones may be cut short.
func New[T dtype.Float](rows, cols, size int, blocks sparse.Matrix[T]) (Mask, error) {
	const where = "mask.New"
	m, n, err := maskSize(where, rows, cols, size)
	if err != nil {
		return Mask{}, err
	}
	if blocks.Rows() != m || blocks.Cols() != n {
		return Mask{}, sparse.Errorf(sparse.ErrShape, where, fmt.Sprintf("want %d x %d, one for each %d rows and columns", m, n, size), "%d x %d blocks of a mask of %d x %d",
			blocks.Rows(), blocks.Cols(), rows, cols)
	}
	return Mask{rows: rows, cols: cols, size: size, blocks: blocks.Pattern()}, nil
}

// maskSize returns how many blocks a mask has each way.
func maskSize(where string, rows, cols, size int) (m, n int, err error) {
	if err := sparse.CheckSize(where, rows, cols); err != nil {
		return 0, 0, err
	}
	if size < 1 || size > sparse.MaxDim {
		return 0, 0, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("blocks have from 1 to %d rows", sparse.MaxDim), "blocks of %d", size)
	}
	return (rows + size - 1) / size, (cols + size - 1) / size, nil
}

// maskBy makes a mask by its rows of blocks. row puts those of row i, which ascend, and
// most is how many m rows and n columns have at most.
func maskBy(where string, rows, cols, size int, most func(m, n float64) float64, row func(i, n int, put func(j int))) (Mask, error) {
	m, n, err := maskSize(where, rows, cols, size)
	if err != nil {
		return Mask{}, err
	}
	if k := most(float64(m), float64(n)); k > maxMaskBlocks {
		return Mask{}, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("a mask has at most %d; take larger blocks", maxMaskBlocks), "up to %.0f blocks of %d", k, size)
	}
	pointers, columns := make([]int32, 1, m+1), []int32(nil)
	for i := range m {
		row(i, n, func(j int) { columns = append(columns, int32(j)) })
		pointers = append(pointers, int32(len(columns)))
	}
	blocks, err := sparse.PatternFromCSR(m, n, pointers, columns)
	return Mask{rows: rows, cols: cols, size: size, blocks: blocks}, err
}

// maxMaskBlocks is how many blocks a mask may have that is made of a few numbers. They
// take half a gigabyte, as the row pointers of sparse.MaxDim rows do.
const maxMaskBlocks = 1 << 26

// Full returns the mask of a rows x cols matrix that has all blocks.
func Full(rows, cols, size int) (Mask, error) {
	return maskBy("mask.Full", rows, cols, size, func(m, n float64) float64 { return m * n }, func(_, n int, put func(j int)) {
		for j := range n {
			put(j)
		}
	})
}

// Band returns the mask of an n x n matrix with the blocks that are at most w blocks
// from the diagonal. That is the sliding window of Longformer (Beltagy et al., 2020).
func Band(n, size, w int) (Mask, error) {
	const where = "mask.Band"
	if w < 0 || w > sparse.MaxDim {
		return Mask{}, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("want from 0 to %d", sparse.MaxDim), "a band of %d blocks each way", w)
	}
	return maskBy(where, n, n, size, func(m, n float64) float64 { return m * min(n, 2*float64(w)+1) }, func(i, n int, put func(j int)) {
		for j := max(0, i-w); j <= min(n-1, i+w); j++ {
			put(j)
		}
	})
}

// Strided returns the mask of an n x n matrix with the blocks whose distance from the
// diagonal is a multiple of stride blocks. (Child et al., Generating long sequences with
// sparse transformers, 2019.)
func Strided(n, size, stride int) (Mask, error) {
	const where = "mask.Strided"
	if stride < 1 || stride > sparse.MaxDim {
		return Mask{}, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("want from 1 to %d", sparse.MaxDim), "a stride of %d blocks", stride)
	}
	return maskBy(where, n, n, size, func(m, n float64) float64 { return m * (n/float64(stride) + 1) }, func(i, n int, put func(j int)) {
		for j := i % stride; j < n; j += stride {
			put(j)
		}
	})
}

// Butterfly returns the mask of an n x n matrix with the blocks on the diagonal, and those whose
// column differs from their row in one bit. A fast Fourier transform has the same pattern. The number
// of blocks each way need not be a power of two. (Dao et al., Pixelated Butterfly, 2022.)
func Butterfly(n, size int) (Mask, error) {
	return maskBy("mask.Butterfly", n, n, size, func(m, n float64) float64 { return m * float64(1+bits.Len(uint(n))) }, func(i, n int, put func(j int)) {
		width := bits.Len(uint(n))
		for b := width - 1; b >= 0; b-- { // the highest bit that is set leads farthest back
			if i>>b&1 == 1 {
				put(i ^ 1<<b)
			}
		}
		put(i)
		for b := range width {
			if j := i ^ 1<<b; j > i && j < n {
				put(j)
			}
		}
	})
}

// Global returns the mask of an n x n matrix with the first g rows and the first g columns of blocks.
// Those tokens see all others, and all others see them.
func Global(n, size, g int) (Mask, error) {
	const where = "mask.Global"
	if g < 0 || g > sparse.MaxDim {
		return Mask{}, sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("want from 0 to %d", sparse.MaxDim), "%d global blocks", g)
	}
	most := func(m, n float64) float64 { return min(float64(g), m)*n + m*min(float64(g), n) }
	return maskBy(where, n, n, size, most, func(i, n int, put func(j int)) {
		end := min(g, n)
		if i < g {
			end = n
		}
		for j := range end {
			put(j)
		}
	})
}

// Or returns the mask that has the blocks of both, which have the same shape and size of
// blocks. It is causal if both are; to join one that is with one that is not is an error.
func (m Mask) Or(o Mask) (Mask, error) {
	const where = "mask.Mask.Or"
	if m.rows != o.rows || m.cols != o.cols || m.size != o.size || m.causal != o.causal {
		return Mask{}, sparse.Errorf(sparse.ErrShape, where, "want the same shape, the same blocks, both causal or neither", "%v and %v", m, o)
	}
	blocks, err := m.blocks.Union(o.blocks)
	m.blocks = blocks
	return m, err
}

// Causal returns the mask without later columns: row i keeps columns up to i + cols - rows.
// So the last row sees all columns, also where rows are the last few of a sequence. Blocks
// on the border count in part.
func (m Mask) Causal() Mask {
	m.causal = true
	return m
}

// Rows returns the number of rows, of elements.
func (m Mask) Rows() int { return m.rows }

// Cols returns the number of columns, of elements.
func (m Mask) Cols() int { return m.cols }

// Size returns the number of rows and of columns of a block.
func (m Mask) Size() int { return m.size }

// IsCausal reports whether rows see no later columns.
func (m Mask) IsCausal() bool { return m.causal }

// Blocks returns where the blocks are, also those that [Mask.Causal] leaves nothing of.
func (m Mask) Blocks() sparse.Pattern { return m.blocks }

// Limit returns the first column that row i does not see, whichever blocks there are.
func (m Mask) Limit(i int) int {
	if !m.causal {
		return m.cols
	}
	return max(0, min(m.cols, max(-m.cols, min(i, m.rows))+1+m.cols-m.rows)) // a row far outside must not overflow
}

// Has reports whether element (i, j) counts. It panics if there is none.
func (m Mask) Has(i, j int) bool {
	if i < 0 || j < 0 || i >= m.rows || j >= m.cols {
		panic(sparse.Errorf(sparse.ErrIndex, "mask.Mask.Has", fmt.Sprintf("the mask is %d x %d", m.rows, m.cols), "element (%d, %d)", i, j))
	}
	if j >= m.Limit(i) {
		return false
	}
	return m.blocks.Has(i/m.size, j/m.size)
}

// Density returns the share of elements that count, 0 of a mask without elements.
func (m Mask) Density() float64 {
	n := 0.0
	for i := 0; i < m.rows; i++ {
		if !m.causal && i+m.size <= m.rows && i%m.size == 0 { // all rows of a block have the same
			n += float64(m.size) * m.seen(i)
			i += m.size - 1
			continue
		}
		n += m.seen(i)
	}
	if n == 0 {
		return 0
	}
	return n / (float64(m.rows) * float64(m.cols))
}

// seen returns how many elements of row i count.
func (m Mask) seen(i int) (n float64) {
	limit := m.Limit(i)
	for j := range m.blocks.Row(i / m.size) {
		n += math.Max(0, float64(min(limit, (j+1)*m.size)-j*m.size))
	}
	return n
}

// String is a line.
func (m Mask) String() string {
	causal := ""
	if m.causal {
		causal = " causal"
	}
	return fmt.Sprintf("%d x %d%s mask of %d blocks of %d", m.rows, m.cols, causal, m.blocks.NNZ(), m.size)
}
