// Power finds the largest eigenvalue of the Laplacian of a square grid by power
// iteration. Each rank makes and holds its own rows only, so the grid may be larger than
// the memory of a machine:
//
//	go run ./cpu/comm/mpi/power -ranks 4 -side 300
//	go build ./cpu/comm/mpi/power && mpirun -n 4 ./power -side 300
package main

import (
	"flag"
	"fmt"
	"log"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/mpi"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/layout"
)

var (
	ranks = flag.Int("ranks", 4, "goroutine ranks, where no launcher has started processes")
	side  = flag.Int64("side", 300, "points along a side of the grid")
	steps = flag.Int("steps", 100, "products")
)

func main() {
	flag.Parse()
	if err := mpi.Run(*ranks, iterate); err != nil {
		log.Fatal(err)
	}
}

// iterate is what each rank does.
func iterate(c *comm.Comm) error {
	part, err := laplacian(c.Rank(), c.Size(), *side)
	if err := comm.Agree(c, err, comm.NewFact("side", *side), comm.NewFact("steps", *steps)); err != nil {
		return err
	}
	a, err := spmm.New(c, part, spmm.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	product, err := a.Product(1)
	if err != nil {
		return err
	}
	x, y := product.B(), layout.New[float64](len(a.Rows()), 1)
	for i, v := range a.Cols() {
		x.Data[i] = float64(1 - 2*((v / *side + v%*side)%2)) // a chessboard
	}
	var value float64
	for range *steps {
		if err := product.Multiply(cpu.Options{}, y, x); err != nil {
			return err
		}
		sums := []float64{0, 0} // x.y and y.y
		for i, v := range y.Data {
			sums[0] += x.Data[i] * v
			sums[1] += v * v
		}
		if err := comm.AllReduce(c, sums, comm.Sum[float64]()); err != nil {
			return err
		}
		value = sums[1] / sums[0]
		for i, v := range y.Data {
			x.Data[i] = v / math.Sqrt(sums[1])
		}
	}
	exact := 8 * math.Pow(math.Cos(math.Pi/float64(2**side+2)), 2)
	fmt.Fprintf(mpi.Stdout(c), "%d ranks, %d rows: the largest eigenvalue is at least %.4f; it is %.4f\n", c.Size(), *side**side, value, exact)
	return nil
}

// laplacian returns the rows of a rank: whole lines of the grid, as many for each.
func laplacian(rank, ranks int, side int64) (parts.Part[float64], error) {
	if side < int64(ranks) || side > 1<<30 {
		return parts.Part[float64]{}, fmt.Errorf("a grid of side %d; want %d, the ranks, to %d", side, ranks, 1<<30)
	}
	first := func(rank int) int64 { return side * int64(rank) / int64(ranks) } // line
	owner := func(v int64) int {
		r := int(v / side * int64(ranks) / side)
		for first(r+1) <= v/side {
			r++
		}
		return r
	}
	rows := parts.Rows[float64]{Rank: rank, Ranks: ranks, Rows: side * side, Cols: side * side, Pointers: []int{0}, Owner: owner}
	for v := first(rank) * side; v < first(rank+1)*side; v++ {
		add := func(there bool, u int64, value float64) {
			if there {
				rows.Indices, rows.Values = append(rows.Indices, u), append(rows.Values, value)
			}
		}
		add(v >= side, v-side, -1)
		add(v%side > 0, v-1, -1)
		add(true, v, 4)
		add(v%side < side-1, v+1, -1)
		add(v < side*(side-1), v+side, -1)
		rows.OwnRows, rows.Pointers = append(rows.OwnRows, v), append(rows.Pointers, len(rows.Indices))
	}
	return rows.Part()
}
