package spmm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestSpMMLate: a row's sums are taken up in order even if what a later step needs, from
// one rank, is there long before what an earlier one does, from another.
func TestSpMMLate(t *testing.T) {
	const each, features = 64, 16 // rows of each of three ranks
	b := sparse.NewBuilder[float64](3*each, 3*each)
	for i := range each {
		for j := range each / 2 {
			first, second := j, each/2+j // in the first and in the second chunk of a rank
			if i < each/2 {
				b.Add(i, 2*each+first, float64(1+i*j%7))
				b.Add(i, each+second, float64(1+(i+j)%5))
			} else {
				b.Add(i, each+first, float64(1+i*j%7))
				b.Add(i, 2*each+second, float64(1+(i+j)%5))
			}
		}
		b.Add(each+i, each+i, 1)
		b.Add(2*each+i, 2*each+i, 1)
	}
	a, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	x := layout.New[float64](3*each, features)
	for i := range x.Data {
		x.Data[i] = float64(i%11 - 5)
	}
	want := layout.New[float64](3*each, features)
	cpu.SpMM(want, a, x)
	for late := range 3 { // who is late; nobody else is
		err := comm.Run(3, func(c *comm.Comm) error {
			p, err := parts.Divide(a, c.Rank(), 3, ranktest.InOrder(3*each, 3), nil)
			if err != nil {
				return err
			}
			s, err := New(c, p, Options{Chunks: 2})
			if err != nil {
				return err
			}
			defer s.Close()
			m, err := s.Product(features)
			if err != nil {
				return err
			}
			y := layout.New[float64](each, features)
			for range 3 {
				own := m.B()
				for i, id := range s.Cols() {
					copy(own.Data[i*features:(i+1)*features], x.Data[int(id)*features:])
				}
				if err := c.Barrier(); err != nil {
					return err
				}
				if c.Rank() == late {
					time.Sleep(5 * time.Millisecond)
				}
				if err := m.Multiply(cpu.Options{Threads: 1}, y, own); err != nil {
					return err
				}
				for i, id := range s.Rows() { // small integers: every sum is exact
					at := int(id) * features
					if have := y.Data[i*features : (i+1)*features]; !slices.Equal(have, want.Data[at:at+features]) {
						return fmt.Errorf("row %d is %v; want %v", id, have, want.Data[at:at+features])
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("rank %d is late: %v", late, err)
		}
	}
}
