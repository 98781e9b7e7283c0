package sparse

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/internal/radix"
)

// Relations are sparse matrices of one shape, each of which is multiplied by its own dense
// matrix. They are the kinds of edges of a graph (an RGCN), or the offsets of a
// convolution over points. It is immutable. Start with [NewRelations], [RelationsOf] or
// [Convolution].
//
// It is stored as kernels go through it: by tiles of rows, then by relation, then by row.
// A row of a relation with entries is a pair; what a row of the result adds up are its pairs.
type Relations[T dtype.Float] struct {
	rows, cols, count int
	pointers          []int32 // of each pair, where its entries begin; one more
	pairRows          []int32 // of each pair, its row
	indices           []int32 // of each entry, its column
	values            []T
	starts            []int32 // of each tile and relation, where its pairs begin; one more
	rowPointers       []int32 // of each tile TileRows+1: where in order the pairs of a row begin, counted from the tile's first
	order             []int32 // the pairs of each row, counted from the tile's first
}

// relationTile is how many rows of a result are computed at once. With 16 relations and 64
// columns all that is added up for them stays in L2. No bit depends on it.
const relationTile = 128

// maxRelationParts bounds tiles times relations, which have a number each, and rows that are asked for: two billion.
const maxRelationParts = 1 << 24

// NewRelations returns relations whose r-th is the r-th of these matrices.
func NewRelations[T dtype.Float](relations ...Matrix[T]) (Relations[T], error) {
	const where = "sparse.NewRelations"
	if len(relations) == 0 {
		return Relations[T]{}, Errorf(ErrNil, where, "want at least one", "no matrix")
	}
	rows, cols := relations[0].Dims()
	entries := 0
	for r, m := range relations {
		if m.Rows() != rows || m.Cols() != cols {
			return Relations[T]{}, Errorf(ErrShape, where, "want one shape", "relation %d is %d x %d, relation 0 is %d x %d", r, m.Rows(), m.Cols(), rows, cols)
		}
		if entries += m.NNZ(); entries > MaxSlots || entries < 0 {
			return Relations[T]{}, Errorf(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries by relation %d", entries, r)
		}
	}
	return newRelations(where, rows, cols, len(relations), entries, func(i, r int, put func(j int32, v T)) {
		m := relations[r]
		for k := m.s.pointers[i]; k < m.s.pointers[i+1]; k++ {
			put(m.s.indices[k], m.values[k])
		}
	})
}

// newRelations makes relations of their rows.
func newRelations[T dtype.Float](where string, rows, cols, count, entries int, row func(i, r int, put func(j int32, v T))) (Relations[T], error) {
	m := Relations[T]{rows: rows, cols: cols, count: count}
	tiles := m.Tiles()
	if count > maxRelationParts/max(tiles, 1) {
		return m, Errorf(ErrSize, where, fmt.Sprintf("at most %d", maxRelationParts), "%d relations in each of %d tiles of %d rows", count, tiles, relationTile)
	}
	m.indices, m.values = make([]int32, 0, entries), make([]T, 0, entries)
	m.starts = make([]int32, 1, tiles*count+1)
	m.rowPointers = make([]int32, tiles*(relationTile+1))
	put := func(j int32, v T) { m.indices, m.values = append(m.indices, j), append(m.values, v) }
	for t := range tiles {
		first, from, to := len(m.pairRows), t*relationTile, min((t+1)*relationTile, rows)
		of := m.rowPointers[t*(relationTile+1):][:relationTile+1]
		for r := range count {
			for i := from; i < to; i++ {
				before := len(m.values)
				if row(i, r, put); len(m.values) > before {
					m.pointers, m.pairRows = append(m.pointers, int32(before)), append(m.pairRows, int32(i))
					of[i-from+1]++
				}
				if len(m.values) > MaxSlots {
					return m, Errorf(ErrSize, where, fmt.Sprintf("at most %d fit", MaxSlots), "%d entries up to row %d of relation %d", len(m.values), i, r)
				}
			}
			m.starts = append(m.starts, int32(len(m.pairRows)))
		}
		addUp(of)
		pairs := m.pairRows[first:]
		m.order = append(m.order, make([]int32, len(pairs))...)
		var next [relationTile]int32
		for p, i := range pairs { // of a row they come by relation
			at := int(i) - from
			m.order[first+int(of[at]+next[at])] = int32(p)
			next[at]++
		}
	}
	m.pointers = append(m.pointers, int32(len(m.values)))
	return m, nil
}

// RelationsOf returns relations by their edges: edge e adds values[e], or 1 if values is nil, to
// element (rowOf[e], colOf[e]) of relation kind[e]. Edges that are there twice are two entries.
func RelationsOf[T dtype.Float](rows, cols, count int, rowOf, colOf, kind []int32, values []T) (Relations[T], error) {
	const where = "sparse.RelationsOf"
	if err := CheckSize(where, rows, cols); err != nil {
		return Relations[T]{}, err
	}
	n := len(rowOf)
	if count < 1 || count > math.MaxInt32 || n > MaxSlots {
		return Relations[T]{}, Errorf(ErrSize, where, fmt.Sprintf("want at least one relation, and at most %d edges", MaxSlots), "%d relations of %d edges", count, n)
	}
	if len(colOf) != n || len(kind) != n || values != nil && len(values) != n {
		return Relations[T]{}, Errorf(ErrLength, where, "want one of each for an edge", "%d rows, %d columns, %d kinds and %d values", n, len(colOf), len(kind), len(values))
	}
	for e := range n {
		switch {
		case rowOf[e] < 0 || int(rowOf[e]) >= rows:
			return Relations[T]{}, Errorf(ErrIndex, where, fmt.Sprintf("rows are from 0 to %d", rows-1), "row %d of edge %d", rowOf[e], e)
		case colOf[e] < 0 || int(colOf[e]) >= cols:
			return Relations[T]{}, Errorf(ErrIndex, where, fmt.Sprintf("columns are from 0 to %d", cols-1), "column %d of edge %d", colOf[e], e)
		case kind[e] < 0 || int(kind[e]) >= count:
			return Relations[T]{}, Errorf(ErrIndex, where, fmt.Sprintf("relations are from 0 to %d", count-1), "relation %d of edge %d", kind[e], e)
		}
	}
	edges := radix.Sort(radix.Sequence(n), cols, func(k int32) int { return int(colOf[k]) })
	edges = radix.Sort(edges, count, func(k int32) int { return int(kind[k]) })
	edges = radix.Sort(edges, rows, func(k int32) int { return int(rowOf[k]) })
	at := make([]int32, rows+1) // of the rows
	for _, i := range rowOf {
		at[i+1]++
	}
	addUp(at)
	next := append([]int32(nil), at[:rows]...) // relations of a row are asked for in order
	return newRelations(where, rows, cols, count, n, func(i, r int, put func(j int32, v T)) {
		for ; next[i] < at[i+1] && int(kind[edges[next[i]]]) == r; next[i]++ {
			e, v := edges[next[i]], T(1)
			if values != nil {
				v = values[e]
			}
			put(colOf[e], v)
		}
	})
}

// Convolution returns the relations of a convolution over points. Relation r has a 1 wherever the
// point of its row, moved by offsets[r], is the point of its column. Points are distinct. With
// the 27 offsets of -1, 0 and 1 this is a submanifold convolution (Graham et al., 2018).
func Convolution[T dtype.Float](points, offsets [][3]int32) (Relations[T], error) {
	const where = "sparse.Convolution"
	if len(points) > MaxDim {
		return Relations[T]{}, Errorf(ErrSize, where, fmt.Sprintf("at most %d", MaxDim), "%d points", len(points))
	}
	if len(offsets) == 0 {
		return Relations[T]{}, Errorf(ErrNil, where, "want at least one", "no offset")
	}
	number := make(map[[3]int32]int32, len(points))
	for i, p := range points {
		if first, ok := number[p]; ok {
			return Relations[T]{}, Errorf(ErrIndex, where, "want each once", "point %d is point %d, %v", i, first, p)
		}
		number[p] = int32(i)
	}
	return newRelations(where, len(points), len(points), len(offsets), 0, func(i, r int, put func(j int32, v T)) {
		var p [3]int32
		for d := range p {
			x := int64(points[i][d]) + int64(offsets[r][d])
			if x != int64(int32(x)) {
				return // no point is there
			}
			p[d] = int32(x)
		}
		if j, ok := number[p]; ok {
			put(j, 1)
		}
	})
}

// Rows returns the number of rows of each relation.
func (m Relations[T]) Rows() int { return m.rows }

// Cols returns the number of columns of each relation.
func (m Relations[T]) Cols() int { return m.cols }

// Count returns the number of relations.
func (m Relations[T]) Count() int { return m.count }

// NNZ returns the number of entries of all relations.
func (m Relations[T]) NNZ() int { return len(m.values) }

// Tiles returns how many tiles of rows there are.
func (m Relations[T]) Tiles() int { return (m.rows + relationTile - 1) / relationTile }

// Matrix returns relation r.
func (m Relations[T]) Matrix(r int) Matrix[T] {
	if r < 0 || r >= m.count {
		panic(Errorf(ErrIndex, "sparse.Relations.Matrix", fmt.Sprintf("relations are from 0 to %d", m.count-1), "relation %d", r))
	}
	pointers, indices, values := make([]int32, m.rows+1), []int32(nil), []T(nil)
	for t := range m.Tiles() {
		for p := m.starts[t*m.count+r]; p < m.starts[t*m.count+r+1]; p++ {
			from, to := m.pointers[p], m.pointers[p+1]
			indices, values = append(indices, m.indices[from:to]...), append(values, m.values[from:to]...)
			pointers[m.pairRows[p]+1] = to - from
		}
	}
	addUp(pointers)
	return Matrix[T]{shape{seal(m.rows, m.cols, pointers, indices)}, values}
}

// Transpose returns the transposed relations.
func (m Relations[T]) Transpose() Relations[T] {
	turned := make([]Matrix[T], m.count)
	for r := range turned {
		turned[r] = m.Matrix(r).Transpose()
	}
	if m.count == 0 {
		return m
	}
	t, err := NewRelations(turned...)
	if err != nil { // more columns than rows, and very many relations
		panic(err)
	}
	return t
}

// RawRelations is where the arrays of relations lie, for kernels. You must not write to what is behind
// the pointers; see [Raw].
type RawRelations struct {
	Rows, Cols, Count, NNZ, Pairs, Tiles, TileRows int

	Pointers, PairRows, Indices, Values, Starts, RowPointers, Order unsafe.Pointer
}

// Raw returns where the arrays lie.
func (m Relations[T]) Raw() RawRelations {
	return RawRelations{
		Rows: m.rows, Cols: m.cols, Count: m.count, NNZ: len(m.values), Pairs: len(m.pairRows), Tiles: m.Tiles(), TileRows: relationTile,
		Pointers: unsafe.Pointer(unsafe.SliceData(m.pointers)), PairRows: unsafe.Pointer(unsafe.SliceData(m.pairRows)),
		Indices: unsafe.Pointer(unsafe.SliceData(m.indices)), Values: unsafe.Pointer(unsafe.SliceData(m.values)),
		Starts: unsafe.Pointer(unsafe.SliceData(m.starts)), RowPointers: unsafe.Pointer(unsafe.SliceData(m.rowPointers)),
		Order: unsafe.Pointer(unsafe.SliceData(m.order)),
	}
}
