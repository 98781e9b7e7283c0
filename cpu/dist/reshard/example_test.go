package reshard_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/reshard"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// Every rank has some rows of a matrix, and needs all rows of some columns.
func ExampleMatrix() {
	err := comm.Run(4, func(c *comm.Comm) error {
		m, err := mesh.New(mesh.Axis{Name: "ranks", Size: c.Size()})
		if err != nil {
			return err
		}
		rows, cols := mesh.Must(m.Parse("7{ranks} x 5")), mesh.Must(m.Parse("7 x 5{ranks}"))
		plan, err := mesh.Reshard(rows, cols, mesh.Options{})
		if err != nil {
			return err
		}
		n, first := rows.Local(c.Rank()), rows.Offset(c.Rank())[0]
		mine := layout.New[float64](n[0], n[1])
		for i := range mine.Rows {
			for j := range mine.Cols {
				mine.Set(i, j, float64(10*(first+i)+j))
			}
		}
		n = cols.Local(c.Rank())
		out := layout.New[float64](n[0], n[1])
		if err := reshard.Matrix(c, plan, out, mine); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Printf("rank 0 has columns 0 and 1:\n%v\n", out)
			fmt.Println("it sent", c.Total("").BytesSent, "bytes; no rank sends more than", 8*plan.Sent.MaxElements)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 0 has columns 0 and 1:
	// [ 0   1]
	// [10  11]
	// [20  21]
	// [30  31]
	// [40  41]
	// [50  51]
	// [60  61]
	// it sent 48 bytes; no rank sends more than 64
}
