package parts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Rows is what a rank knows of a matrix that nobody has whole: its rows, in compressed
// form, with the numbers of the whole.
type Rows[T dtype.Float] struct {
	Rank, Ranks int
	Rows, Cols  int64  // of the whole matrix
	ID          uint64 // see Part; 0 is not known

	OwnRows  []int64 // the numbers of the rank's rows
	OwnCols  []int64 // the rows of B that it owns; nil: OwnRows, of a square matrix
	Pointers []int   // the entries of OwnRows[k] are Pointers[k] to Pointers[k+1]-1 of
	Indices  []int64 // their columns and
	Values   []T

	// Owner says which rank owns a row of B. It is asked for columns that are not this
	// rank's own.
	Owner func(col int64) int
}

// Part returns the rows as a Part, in another order. Rows that need no row of B from another
// rank come first. The others are sorted by the last rank that they need, counted from this
// one upwards, then by number. If OwnCols is nil, the rank's rows of B have the same order;
// otherwise they ascend.
func (r Rows[T]) Part() (Part[T], error) { return r.part(nil) }

// part is Part. sent says which of the rank's own columns other ranks read, if that is
// known. Rows of B that are sent then lie together, and so do rows of the transposed
// matrix that wait for others.
func (r Rows[T]) part(sent func(col int64) bool) (Part[T], error) {
	p := Part[T]{Rank: r.Rank, Ranks: r.Ranks, Rows: r.Rows, Cols: r.Cols, ID: r.ID}
	fail := func(format string, args ...any) (Part[T], error) {
		return Part[T]{}, fmt.Errorf("rank %d: %s", r.Rank, fmt.Sprintf(format, args...))
	}
	conformal := r.OwnCols == nil
	own := r.OwnCols
	if conformal {
		own = r.OwnRows
	}
	m := len(r.OwnRows)
	switch {
	case conformal && r.Rows != r.Cols:
		return fail("a matrix of %d x %d whose columns are owned as its rows are; it has to be square, or OwnCols set", r.Rows, r.Cols)
	case len(r.Pointers) != m+1 || r.Pointers[0] != 0 || !slices.IsSorted(r.Pointers):
		return fail("%d pointers for %d rows; want one more than rows, from 0, ascending", len(r.Pointers), m)
	case len(r.Indices) != r.Pointers[m] || len(r.Values) != r.Pointers[m]:
		return fail("%d columns and %d values for %d entries", len(r.Indices), len(r.Values), r.Pointers[m])
	case m > sparse.MaxDim || len(own) > sparse.MaxDim || len(r.Indices) > sparse.MaxSlots:
		return fail("%d rows, %d columns and %d entries are more than one rank can hold; use more ranks", m, len(own), len(r.Indices))
	case r.Ranks < 1 || r.Rank < 0 || r.Rank >= r.Ranks:
		return fail("there are %d ranks", r.Ranks)
	}

	// Which columns are whose.
	place := make(map[int64]int32, len(own)) // of own columns, and later of the halo
	for _, id := range own {
		place[id] = 0
	}
	late := make([]int32, m) // 0: interior
	type column struct {
		owner int
		id    int64
	}
	var halo []column
	for k := range m {
		for _, id := range r.Indices[r.Pointers[k]:r.Pointers[k+1]] {
			q, seen := place[id]
			switch {
			case !seen:
				if id < 0 || id >= r.Cols {
					return fail("row %d has an entry in column %d of %d", r.OwnRows[k], id, r.Cols)
				}
				if r.Owner == nil {
					return fail("row %d reads column %d, which is not its own; want an Owner", r.OwnRows[k], id)
				}
				owner := r.Owner(id)
				if owner < 0 || owner >= r.Ranks || owner == r.Rank {
					return fail("column %d is said to be owned by rank %d; want one of %d that is not this one, which does not list it", id, owner, r.Ranks)
				}
				halo = append(halo, column{owner, id})
				q = int32((owner - r.Rank + r.Ranks) % r.Ranks)
				place[id] = q
				late[k] = max(late[k], q)
			case q > 0:
				late[k] = max(late[k], q)
			}
		}
	}
	slices.SortFunc(halo, func(x, y column) int { return cmp.Or(x.owner-y.owner, cmp.Compare(x.id, y.id)) })
	p.Halo, p.From = make([]int64, len(halo)), make([]int, r.Ranks+1)
	for k, h := range halo {
		p.Halo[k] = h.id
		p.From[h.owner+1]++
	}
	for q := range r.Ranks {
		p.From[q+1] += p.From[q]
	}

	// The order of rows, and of rows of B.
	order := make([]int, m)
	class := make([]uint8, m)
	for k := range order {
		order[k] = k
		if late[k] > 0 {
			class[k] = 2
		}
		if conformal && sent != nil && sent(r.OwnRows[k]) {
			class[k]++
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(int(class[x])-int(class[y]), int(late[x]-late[y]), cmp.Compare(r.OwnRows[x], r.OwnRows[y]))
	})
	p.OwnRows = make([]int64, m)
	for at, k := range order {
		p.OwnRows[at] = r.OwnRows[k]
	}
	if p.OwnCols = p.OwnRows; !conformal {
		p.OwnCols = slices.Clone(own)
		slices.SortFunc(p.OwnCols, func(x, y int64) int {
			if sent != nil && sent(x) != sent(y) {
				if sent(y) {
					return -1
				}
				return 1
			}
			return cmp.Compare(x, y)
		})
	}

	for at, id := range p.OwnCols {
		place[id] = int32(at)
	}
	if len(p.OwnCols)+len(p.Halo) > sparse.MaxDim {
		return fail("%d own columns and a halo of %d are more than one rank can hold; use more ranks", len(p.OwnCols), len(p.Halo))
	}
	for at, id := range p.Halo {
		place[id] = int32(len(p.OwnCols) + at)
	}
	pointers, indices, values := make([]int32, m+1), make([]int32, len(r.Indices)), make([]T, len(r.Values))
	n := 0
	var row []int
	for at, k := range order {
		row = row[:0]
		for e := r.Pointers[k]; e < r.Pointers[k+1]; e++ {
			row = append(row, e)
		}
		if !slices.IsSorted(r.Indices[r.Pointers[k]:r.Pointers[k+1]]) {
			slices.SortStableFunc(row, func(x, y int) int { return cmp.Compare(r.Indices[x], r.Indices[y]) })
		}
		for _, e := range row {
			indices[n], values[n] = place[r.Indices[e]], r.Values[e]
			n++
		}
		pointers[at+1] = int32(n)
	}
	a, err := sparse.FromCSR(m, len(p.OwnCols)+len(p.Halo), pointers, indices, values)
	if err != nil {
		return Part[T]{}, fmt.Errorf("rank %d: %w", r.Rank, err)
	}
	p.A = a
	if err := p.Check(); err != nil {
		return fail("%v", err)
	}
	return p, nil
}

// Divide returns what rank has of a matrix that every rank has whole. rows[i] is the
// rank that owns row i, and cols[j] the one that owns row j of B. If cols is nil, rows
// stands for it and the matrix is square. It takes time linear in the whole matrix.
func Divide[T dtype.Float](a sparse.Matrix[T], rank, ranks int, rows, cols []int32) (Part[T], error) {
	d, err := newDivision(a, ranks, rows, cols)
	if err != nil {
		return Part[T]{}, err
	}
	if rank < 0 || rank >= ranks {
		return Part[T]{}, fmt.Errorf("parts.Divide: rank %d of %d", rank, ranks)
	}
	return d.part(rank)
}

// division is a matrix that is whole, ready to be cut.
type division[T dtype.Float] struct {
	owners
	id       uint64
	pointers []int32
	indices  []int32
	values   []T
}

func newDivision[T dtype.Float](a sparse.Matrix[T], ranks int, rows, cols []int32) (*division[T], error) {
	m, n := a.Dims()
	o, err := newOwners(m, n, ranks, rows, cols)
	if err != nil {
		return nil, err
	}
	d := &division[T]{owners: o}
	d.pointers, d.indices, d.values = a.CSR()
	var sum uint64
	for i, owner := range rows {
		sum += mix64(mix64(1, uint64(i)), uint64(owner))
		for k := d.pointers[i]; k < d.pointers[i+1]; k++ {
			j := d.indices[k]
			d.read(i, int(j))
			sum += entryPrint(int64(i), int64(j), float64(d.values[k]))
		}
	}
	for j, owner := range d.cols {
		sum += mix64(mix64(2, uint64(j)), uint64(owner))
	}
	d.id = wholeID(sum, ranks, int64(m), int64(n))
	return d, nil
}

// part cuts out what a rank has.
func (d *division[T]) part(rank int) (Part[T], error) {
	r := rowsOf[T](&d.owners, rank, d.id)
	for _, i := range r.OwnRows {
		for k := d.pointers[i]; k < d.pointers[i+1]; k++ {
			r.Indices, r.Values = append(r.Indices, int64(d.indices[k])), append(r.Values, d.values[k])
		}
		r.Pointers = append(r.Pointers, len(r.Indices))
	}
	return r.part(d.isSent)
}

// owners says who owns which row and column, and which columns others read.
type owners struct {
	ranks      int
	rows, cols []int32
	free       bool // columns are owned otherwise than rows
	sent       []bool

	own, ownCols [][]int64 // of each rank, once one is asked for
}

func newOwners(m, n, ranks int, rows, cols []int32) (owners, error) {
	o := owners{ranks: ranks, rows: rows, cols: cols, free: cols != nil, sent: make([]bool, n)}
	if !o.free {
		o.cols = rows
	}
	return o, CheckOwners(m, n, ranks, rows, cols)
}

// read notes that there is an entry.
func (o *owners) read(i, j int) {
	if o.cols[j] != o.rows[i] {
		o.sent[j] = true
	}
}

func (o *owners) isSent(col int64) bool { return o.sent[col] }

// deal returns what each rank owns, in order.
func (o *owners) deal(list []int32) [][]int64 {
	own := make([][]int64, o.ranks)
	for q := range own {
		own[q] = []int64{} // also of a rank that owns none
	}
	for k, q := range list {
		own[q] = append(own[q], int64(k))
	}
	return own
}

// rowsOf returns what a rank owns, without entries.
func rowsOf[T dtype.Float](o *owners, rank int, id uint64) Rows[T] {
	if o.own == nil {
		o.own = o.deal(o.rows)
		o.ownCols = make([][]int64, o.ranks)
		if o.free {
			o.ownCols = o.deal(o.cols)
		}
	}
	return Rows[T]{Rank: rank, Ranks: o.ranks, Rows: int64(len(o.rows)), Cols: int64(len(o.cols)), ID: id, OwnRows: o.own[rank], OwnCols: o.ownCols[rank],
		Pointers: []int{0}, Owner: func(col int64) int { return int(o.cols[col]) }}
}

// CheckOwners refuses owners that are not one of the ranks for each row and column.
func CheckOwners(m, n, ranks int, rows, cols []int32) error {
	switch {
	case ranks < 1:
		return fmt.Errorf("%d ranks; want at least 1", ranks)
	case len(rows) != m:
		return fmt.Errorf("owners of %d rows for a matrix that has %d", len(rows), m)
	case cols == nil && m != n:
		return fmt.Errorf("a matrix of %d x %d has no owners of columns; make it square, or set cols", m, n)
	case cols != nil && len(cols) != n:
		return fmt.Errorf("owners of %d columns for a matrix that has %d", len(cols), n)
	}
	for i, r := range rows {
		if r < 0 || int(r) >= ranks {
			return fmt.Errorf("row %d is owned by rank %d of %d", i, r, ranks)
		}
	}
	for j, r := range cols {
		if r < 0 || int(r) >= ranks {
			return fmt.Errorf("column %d is owned by rank %d of %d", j, r, ranks)
		}
	}
	return nil
}
