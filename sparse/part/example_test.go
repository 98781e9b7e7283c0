package part_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/part/metis"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// heat is the matrix of a five-point stencil on 32 x 32 points, but for the edges, where rows of points are
// joined.
func heat() sparse.Matrix[float64] {
	a, err := sample.Diagonals[float64](1024, 1024, -32, -1, 0, 1, 32)
	if err != nil {
		panic(err)
	}
	return a
}

func ExampleMake() {
	a := heat()
	h, err := part.ColumnNet(a, part.Model{})
	if err != nil {
		panic(err)
	}
	p, err := part.Make(h, 4, part.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	rows, err := part.Random(h, 4, 1)
	if err != nil {
		panic(err)
	}
	is, was := part.Measure(h, p), part.Measure(h, rows)
	fmt.Println("rows of B sent:", is.KM1 < 170, "at random:", was.KM1 > 2000)
	fmt.Println("within 3 %:", is.Imbalance <= .03)
	// Output:
	// rows of B sent: true at random: true
	// within 3 %: true
}

func ExampleMeasure() {
	h, err := part.ColumnNet(heat(), part.Model{Weighing: part.Rows})
	if err != nil {
		panic(err)
	}
	p, err := part.Contiguous(h, 4)
	if err != nil {
		panic(err)
	}
	fmt.Print(part.Measure(h, p))
	// Output:
	// parts      4
	// sent       192 in 6 messages, 6.2 % of an all-gather
	// cut        192
	// one part   sends 64 at most, receives 64
	// imbalance  0.00 %
	// part       weight        sends     receives
	//    0          256           32           32
	//    1          256           64           64
	//    2          256           64           64
	//    3          256           32           32
}

// A full row and a full column: 7 rows of B are sent for the row, or one row of C.
func ExampleCover() {
	var i, j []int
	for v := range 8 {
		i, j = append(i, v, 0, v), append(j, v, v, 0)
	}
	a, err := sparse.FromCOO(8, 8, i, j, make([]float64, len(i)))
	if err != nil {
		panic(err)
	}
	p, err := part.New(2, []int32{0, 0, 0, 0, 1, 1, 1, 1})
	if err != nil {
		panic(err)
	}
	halo, err := part.Halo(a, p, p)
	if err != nil {
		panic(err)
	}
	cover, err := part.Cover(a, p, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(part.Volume(halo), "rows, or", part.Volume(cover))
	for _, b := range cover {
		fmt.Println("part", b.From, "sends part", b.To, "rows", b.Cols, "of B and", b.Rows, "of C")
	}
	// Output:
	// 5 rows, or 2
	// part 1 sends part 0 rows [] of B and [0] of C
	// part 0 sends part 1 rows [0] of B and [] of C
}

// Row 1 of A needs no row of B but its own, which can lie anywhere: with free ownership nothing is sent for it.
func ExampleOwners() {
	a, err := sparse.FromCOO(2, 3, []int{0, 1, 1}, []int{2, 0, 1}, []float64{1, 1, 1})
	if err != nil {
		panic(err)
	}
	h, err := part.ColumnNet(a, part.Model{Ownership: part.Free})
	if err != nil {
		panic(err)
	}
	rows, err := part.New(2, []int32{0, 1})
	if err != nil {
		panic(err)
	}
	cols, err := part.Owners(h, rows)
	if err != nil {
		panic(err)
	}
	fmt.Println(cols.Parts())
	// Output: [1 1 0]
}

func ExampleSampled() {
	a := heat()
	batches := part.Sampling{Batches: 500, Size: 128, Seed: 1}
	h, err := part.Sampled(a, part.Model{Weighing: part.Rows}, batches)
	if err != nil {
		panic(err)
	}
	p, err := part.Make(h, 4, part.Options{})
	if err != nil {
		panic(err)
	}
	perBatch := float64(part.Measure(h, p).KM1) / float64(batches.Batches)
	fmt.Println("less than 3 rows a batch:", perBatch < 3)
	// Output: less than 3 rows a batch: true
}

func ExampleReadHGR() {
	h, err := part.ReadHGR(strings.NewReader("4 7 1\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n"), part.FileOptions{Name: "a.hgr"})
	if err != nil {
		panic(err)
	}
	p, err := part.Make(h, 2, part.Options{Eps: .2})
	if err != nil {
		panic(err)
	}
	fmt.Println(h, "cut", part.Measure(h, p).Cut)
	_, err = part.ReadHGR(strings.NewReader("1 3\n1 4\n"), part.FileOptions{Name: "b.hgr"})
	fmt.Println(err)
	// Output:
	// 7 vertices, 4 nets, 12 pins cut 10
	// part: b.hgr:2: pin 4; vertices are from 1 to 3
}

func ExampleWriteParts() {
	p, err := part.New(3, []int32{2, 0, 1, 0})
	if err != nil {
		panic(err)
	}
	if err := part.WriteParts(os.Stdout, p); err != nil {
		panic(err)
	}
	// Output:
	// 2
	// 0
	// 1
	// 0
}

func ExampleWriteSVG() {
	a := heat()
	h, err := part.ColumnNet(a, part.Model{})
	if err != nil {
		panic(err)
	}
	p, err := part.Make(h, 4, part.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	var picture bytes.Buffer
	if err := part.WriteSVG(&picture, a, p, p); err != nil {
		panic(err)
	}
	fmt.Println(strings.HasPrefix(picture.String(), "<svg "))
	// Output: true
}

// METIS, where it is, is another start; where it is not, the error says how to get it.
func Example_metis() {
	a := heat()
	g, err := part.GraphOf(a, part.Model{})
	if err != nil {
		panic(err)
	}
	starts, err := metis.Starts(g, 4, metis.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	h, err := part.ColumnNet(a, part.Model{})
	if err != nil {
		panic(err)
	}
	p, err := part.Make(h, 4, part.Options{Starts: starts})
	if err != nil {
		panic(err)
	}
	fmt.Println(p)
	// Output: 1024 vertices in 4 parts
}
