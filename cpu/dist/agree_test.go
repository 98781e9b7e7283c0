package dist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/reshard"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/mesh"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestAgree: what all ranks must give alike, and rank 2 of 4 does not, is an error on all,
// with both values.
func TestAgree(t *testing.T) {
	square := func(c *comm.Comm) (*spmm.Matrix[float64], error) {
		a, err := sparse.FromCSR(8, 8, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, []int32{1, 2, 3, 4, 5, 6, 7, 0}, make([]float64, 8))
		if err != nil {
			return nil, err
		}
		p, err := parts.Divide(a, c.Rank(), 4, []int32{0, 0, 1, 1, 2, 2, 3, 3}, nil)
		if err != nil {
			return nil, err
		}
		return spmm.New(c, p, spmm.Options{})
	}
	column := func(c *comm.Comm, tape *layer.Tape[float64], odd bool) error {
		act := layer.Activation[float64]{F: func(z float64) float64 { return z + 1 }, Grad: func(float64) float64 { return 1 }}
		l, err := layer.NewColumn(c, 4, 8, layer.Options[float64]{Act: act, Sequence: true})
		if err != nil {
			return err
		}
		x, y := layout.New[float64](2, 4), layout.New[float64](8, 2)
		if err := l.Forward(tape, y, x); err != nil {
			return err
		}
		if odd {
			return l.Forward(tape, y, x)
		}
		return l.Backward(tape, layout.New[float64](2, 4), y)
	}
	for _, x := range []struct {
		what string
		call func(c *comm.Comm, odd bool) error
		want []string
	}{
		{"the placement of a table", func(c *comm.Comm, odd bool) error {
			at := layer.CyclicPlacement(4)
			if odd {
				at = layer.BlockPlacement(9, 4)
			}
			_, err := layer.NewLookup[float64](c, 9, layer.CyclicPlacement(4).Owned(9, c.Rank()), 1, at)
			return err
		}, []string{"the placement: ranks 0-1, 3 row 0 is row 0 of rank 0, row 1 is row 0 of rank 1, ", "but rank 2 row 0 is row 0 of rank 0, row 1 is row 1 of rank 0, "}},
		{"the call", func(c *comm.Comm, odd bool) error {
			if odd {
				_, err := layer.NewColumn(c, 8, 8, layer.Options[float64]{})
				return err
			}
			_, err := layer.NewRow(c, 8, 8, layer.Options[float64]{})
			return err
		}, []string{"the call: ranks 0-1, 3 layer.NewRow, but rank 2 layer.NewColumn"}},
		{"the method of a layer", func(c *comm.Comm, odd bool) error {
			return column(c, new(layer.Tape[float64]), odd)
		}, []string{"the call: ranks 0-1, 3 layer.Column.Backward, but rank 2 layer.Column.Forward"}},
		{"the type of a layer", func(c *comm.Comm, odd bool) error {
			if odd {
				_, err := layer.NewMLP(c, 8, 8, 8, layer.Options[float32]{})
				return err
			}
			_, err := layer.NewMLP(c, 8, 8, 8, layer.Options[float64]{})
			return err
		}, []string{"Type: ranks 0-1, 3 f64, but rank 2 f32"}},
		{"whether a row layer has a tape", func(c *comm.Comm, odd bool) error {
			act := layer.Activation[float64]{F: func(z float64) float64 { return z + 1 }}
			l, err := layer.NewRow(c, 8, 8, layer.Options[float64]{Act: act})
			if err != nil {
				return err
			}
			var tape *layer.Tape[float64]
			if odd {
				tape = new(layer.Tape[float64])
			}
			return l.Forward(tape, layout.New[float64](3, 8), layout.New[float64](3, 2))
		}, []string{"whether there is a Tape: ranks 0-1, 3 false, but rank 2 true"}},
		{"the shardings of a product", func(c *comm.Comm, odd bool) error {
			m := mesh.Must(mesh.ParseMesh("x=2,y=2"))
			rows, cols := "{x}", "{y}"
			if odd {
				rows, cols = cols, rows
			}
			a, b, out := mesh.Must(m.Parse("8"+rows+" x 8"+cols)), mesh.Must(m.Parse("8"+rows+" x 8"+cols)), mesh.Must(m.Parse("8"+rows+" x 8"+cols))
			_, err := summa.NewOn[float64](c, a, b, out, 0)
			return err
		}, []string{"a: ranks 0-1, 3 ", "but rank 2 "}},
		{"the plan of a reshard", func(c *comm.Comm, odd bool) error {
			m := mesh.Must(mesh.ParseMesh("x=2,y=2"))
			from := mesh.Must(m.Parse("8{x,y}"))
			var list []*reshard.Executor[float64]
			for _, to := range []string{"8{x}", "8{y}"} {
				p, err := mesh.Reshard(from, mesh.Must(m.Parse(to)), mesh.Options{})
				if err != nil {
					return err
				}
				r, err := reshard.New[float64](c, p)
				if err != nil {
					return err
				}
				list = append(list, r)
			}
			k := 0
			if odd {
				k = 1
			}
			return list[k].Run(make([]float64, 4), make([]float64, 2))
		}, []string{"the shardings: ranks 0-1, 3 ", "but rank 2 "}},
		{"which of two matrices", func(c *comm.Comm, odd bool) error {
			s, err := square(c)
			if err != nil {
				return err
			}
			u, err := s.T()
			if err != nil {
				return err
			}
			if odd {
				s = u
			}
			_, err = s.Product(4)
			return err
		}, []string{"transposed: ranks 0-1, 3 false, but rank 2 true"}},
		{"owners, of parts without an ID", func(c *comm.Comm, odd bool) error {
			rows := [][]int64{{0, 1}, {2, 3}, {4, 5}, {6, 7}}[c.Rank()]
			if odd {
				rows = []int64{4, 6} // rank 3 has it too, and nobody 5
			}
			r := parts.Rows[float64]{Rank: c.Rank(), Ranks: 4, Rows: 8, Cols: 8, OwnRows: rows, Pointers: []int{0, 1, 2},
				Indices: rows, Values: []float64{1, 1}, Owner: func(int64) int { return c.Rank() }}
			p, err := r.Part()
			if err != nil {
				return err
			}
			_, err = spmm.New(c, p, spmm.Options{})
			return err
		}, []string{"is owned by several ranks, and another by none"}},
	} {
		t.Run(x.what, func(t *testing.T) {
			errs := make([]error, 4)
			err := comm.Run(4, func(c *comm.Comm) error {
				errs[c.Rank()] = x.call(c, c.Rank() == 2)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			for r, err := range errs {
				for _, want := range x.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("rank %d: %v\nand not %q", r, err, want)
					}
				}
			}
		})
	}
}

// TestPlacementOfOneRow: placements that differ in one row of many are found when that is fetched.
func TestPlacementOfOneRow(t *testing.T) {
	const n, odd = 100_000, 40_003
	at := layer.CyclicPlacement(4)
	other := func(id int64) (rank, row int) {
		if rank, row = at(id); id == odd {
			rank = 1
		}
		return rank, row
	}
	errs := make([]error, 4)
	err := comm.Run(4, func(c *comm.Comm) error {
		mine := at
		if c.Rank() == 2 {
			mine = other
		}
		l, err := layer.NewLookup[float32](c, n, at.Owned(n, c.Rank()), 1, mine)
		if err != nil {
			return err
		}
		for _, id := range []int64{17, odd} {
			_, errs[c.Rank()] = l.Batch([]int64{id})
			if id != odd && errs[c.Rank()] != nil {
				return errs[c.Rank()]
			}
		}
		return l.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("rank 1: the ranks' placements differ: by that of rank 2 row %d of the table is on this one, by that of this one on rank 3", odd)
	for r, err := range errs {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v\nand not %q", r, err, want)
		}
	}
}

// TestLookupMixed: ranks that do different things with a batch get nothing of each other's.
func TestLookupMixed(t *testing.T) {
	err := comm.Run(2, func(c *comm.Comm) error {
		l, err := layer.NewLookup[float64](c, 4, 2, 1, layer.CyclicPlacement(2))
		if err != nil {
			return err
		}
		b, err := l.Batch([]int64{0, 1, 2, 3})
		if err != nil {
			return err
		}
		table, rows := layout.New[float64](2, 1), layout.New[float64](4, 1)
		if c.Rank() == 0 {
			return b.Gather(rows, table)
		}
		return b.Add(table, rows)
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("error %v, want a deadlock", err)
	}
}
