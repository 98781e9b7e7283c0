package layer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// lookups are n numbers of rows below rows, of which the part duplicates is there before.
func lookups(rng *rand.Rand, n int, rows int64, duplicates float64) []int64 {
	ids := make([]int64, n)
	fresh := rng.Perm(int(rows))
	for k := range ids {
		if k > 0 && rng.Float64() < duplicates {
			ids[k] = ids[rng.IntN(k)]
		} else {
			ids[k], fresh = int64(fresh[0]), fresh[1:]
		}
	}
	return ids
}

// TestLookup: what is fetched is what the table has, bit for bit; each row of another rank
// comes once, in at most one message from each rank; and what is added is added in the
// order that Add says.
func TestLookup(t *testing.T) {
	const n, rows, f = 1000, 5000, 7
	for name, at := range map[string]func(p int) Placement{
		"blocks": func(p int) Placement { return BlockPlacement(rows, p) },
		"cyclic": CyclicPlacement,
	} {
		for _, p := range []int{1, 2, 4, 9} {
			place := at(p)
			ids := make([][]int64, p)
			for q := range ids {
				ids[q] = lookups(rand.New(level.PCG(uint64(q), 1)), n, rows, .3)
			}
			if p == 9 {
				ids[3] = nil
			}
			value := func(id int64, j int) float32 { return float32(math.Sin(float64(id*f) + float64(j))) }
			gradient := func(q, k, j int) float32 { return float32(math.Cos(float64(q*n*f+k*f+j))) * 1e-3 }
			tables, counts := make([]layout.Matrix[float32], p), make([]comm.Count, p)
			err := comm.Run(p, func(c *comm.Comm) error {
				rank := c.Rank()
				table := layout.New[float32](place.Owned(rows, rank), f)
				tables[rank] = table
				for id := range int64(rows) {
					if q, row := place(id); q == rank {
						for j := range f {
							table.Set(row, j, value(id, j))
						}
					}
				}
				l, err := NewLookup[float32](c, rows, table.Rows, f, place)
				if err != nil {
					return err
				}
				b, err := l.Batch(ids[rank])
				if err != nil {
					return err
				}
				distinct := map[int64]bool{}
				for _, id := range ids[rank] {
					if q, _ := place(id); q != rank {
						distinct[id] = true
					}
				}
				for round := range 2 {
					c.Phase(fmt.Sprint("rows", round))
					out := layout.New[float32](len(ids[rank]), f)
					if err := b.Gather(out, table); err != nil {
						return err
					}
					n := c.Total(fmt.Sprint("rows", round))
					counts[rank] = n
					if n.BytesReceived != int64(4*f*len(distinct)) || b.Received() != len(distinct) {
						return fmt.Errorf("%d bytes and %d rows were received, want %d rows", n.BytesReceived, b.Received(), len(distinct))
					}
					for k, id := range ids[rank] {
						for j := range f {
							if out.At(k, j) != value(id, j) {
								return fmt.Errorf("number %d, row %d: %v at %d, want %v", k, id, out.At(k, j), j, value(id, j))
							}
						}
					}
				}
				grad := layout.New[float32](len(ids[rank]), f)
				for k := range ids[rank] {
					for j := range f {
						grad.Set(k, j, gradient(rank, k, j))
					}
				}
				return b.Add(table, grad)
			})
			if err != nil {
				t.Errorf("%s, %d ranks: %v", name, p, err)
				continue
			}
			messages := int64(0)
			for _, x := range counts {
				messages += x.Sent
			}
			if messages > int64(p*(p-1)) {
				t.Errorf("%s, %d ranks: %d messages, want at most %d", name, p, messages, p*(p-1))
			}
			for id := range int64(rows) {
				var want [f]float32
				for j := range f {
					want[j] = value(id, j)
				}
				for q := range p {
					var sum [f]float32
					found := false
					for k, x := range ids[q] {
						if x == id {
							found = true
							for j := range f {
								sum[j] += gradient(q, k, j)
							}
						}
					}
					if found {
						for j := range f {
							want[j] += sum[j]
						}
					}
				}
				q, row := place(id)
				if got := tables[q].Data[row*f : row*f+f]; !slices.Equal(got, want[:]) {
					t.Errorf("%s, %d ranks, row %d:\n%s", name, p, id, cmp.Diff(want[:], got))
					break
				}
			}
		}
	}
}

// TestLookupNothing looks up rows without elements.
func TestLookupNothing(t *testing.T) {
	err := comm.Run(2, func(c *comm.Comm) error {
		l, err := NewLookup[float64](c, 6, 3, 0, BlockPlacement(6, 2))
		if err != nil {
			return err
		}
		b, err := l.Batch([]int64{0, 2, 5, 5})
		if err != nil {
			return err
		}
		table, rows := layout.New[float64](3, 0), layout.New[float64](4, 0)
		rows.RowStride = 1 // as of a slice of a wider matrix
		return errors.Join(b.Gather(rows, table), b.Add(table, rows), l.Close())
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLookupRefuses: what is wrong on one rank is an error on all.
func TestLookupRefuses(t *testing.T) {
	for _, x := range []struct {
		what, want string
		call       func(c *comm.Comm) error
	}{
		{"tables of other sizes", "rows of the table: ranks 0-1 10, but rank 2 11", func(c *comm.Comm) error {
			_, err := NewLookup[float64](c, int64(10+c.Rank()/2), 3, 2, CyclicPlacement(3))
			return err
		}},
		{"a row that nobody has", "ranks have 9 rows of a table of 10", func(c *comm.Comm) error {
			_, err := NewLookup[float64](c, 10, 3, 2, CyclicPlacement(3))
			return err
		}},
		{"a number that is none", "number 1 is row 10 of a table that has 10", func(c *comm.Comm) error {
			l, err := NewLookup[float64](c, 10, CyclicPlacement(3).Owned(10, c.Rank()), 2, CyclicPlacement(3))
			if err != nil {
				return err
			}
			_, err = l.Batch([]int64{3, int64(8 + c.Rank())})
			return err
		}},
		{"a table of another shape", "", func(c *comm.Comm) error {
			l, err := NewLookup[float64](c, 9, 3, 2, BlockPlacement(9, 3))
			if err != nil {
				return err
			}
			b, err := l.Batch([]int64{0, 4, 8})
			if err != nil {
				return err
			}
			err = b.Gather(layout.New[float64](3, 2), layout.New[float64](3+c.Rank()/2, 2))
			want := []string{"rank 2 sent 0 bytes", "rank 2 sent 0 bytes", "the table is 4 x 2"}[c.Rank()]
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: %v, want an error with %q", c.Rank(), err, want)
			}
			return err
		}},
	} {
		errs := make([]error, 3)
		_ = comm.Run(3, func(c *comm.Comm) error {
			errs[c.Rank()] = x.call(c)
			return nil
		})
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: rank %d: %v; want an error with %q", x.what, r, err, x.want)
			}
		}
	}
}

func TestBlockPlacement(t *testing.T) {
	for _, n := range []int64{0, 1, 2, 7, 8, 9, 63, 1 << 60} {
		for _, p := range []int64{1, 2, 3, 8, 10} {
			if n/p >= math.MaxInt {
				continue // no rank could have so many rows here
			}
			for r := range p {
				share, more := n/p, n%p
				first, end := r*share+r*more/p, (r+1)*share+(r+1)*more/p
				for _, id := range []int64{first, (first + end) / 2, end - 1} {
					if id < first {
						continue
					}
					if id >= end {
						continue
					}
					if q, row := BlockPlacement(n, int(p))(id); int64(q) != r || int64(row) != id-first {
						t.Errorf("row %d of %d on %d ranks is row %d of rank %d; want row %d of rank %d", id, n, p, row, q, id-first, r)
					}
				}
			}
		}
	}
}
