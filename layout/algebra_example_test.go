package layout_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/layout"
)

// A matrix of 4 x 6 stored by rows. An integer coordinate goes down first.
func ExampleLayout() {
	l := layout.MustParse("(4,6):(6,1)")
	fmt.Println(l.At(1, 2), l.At(9), l.Coordinate(9), l.Size(), l.Cosize())
	// Output:
	// 8 8 (1,2) 24 24
}

// Two rows of columns 0 and 4 of a matrix: element 16 is the top of column 4.
func ExampleCompose() {
	a := layout.MustParse("(4,8):(8,1)") // stored by rows
	b := layout.MustParse("(2,2):(1,16)")
	r, err := layout.Compose(a, b)
	fmt.Println(r, err)

	// What is no layout is refused: five elements do not fill columns of four.
	_, err = layout.Compose(a, layout.MustParse("5:2"))
	fmt.Println(err)
	// Output:
	// (2,2):(8,4) <nil>
	// layout.Compose: mode 5:2 of 5:2: 5 elements are not a multiple of the 2 that mode 0 of (4,8):(8,1) holds at stride 2
}

// Where a thread stores its accumulators: the tile of C, with rows of 100, after
// the fragment. Mode 0 is the thread's own offset, mode 1 the same for all.
func ExampleCompose_fragment() {
	tile := layout.MustParse("(16,8):(100,1)")
	fragment := layout.MustParse("((4,8),(2,2)):((32,1),(16,8))") // of mma.m16n8k16
	r, err := layout.Compose(tile, fragment)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r)
	fmt.Println("thread 5 begins at", r.Mode(0).At(5), "and goes on by", r.Mode(1))
	// Output:
	// ((4,8),(2,2)):((2,100),(1,800))
	// thread 5 begins at 102 and goes on by (2,2):(1,800)
}

// A matrix of 4 x 6, stored by rows, in tiles of 2 x 3: mode 0 is a tile, mode 1
// says which. Drawn, a column is a tile.
func ExampleZippedDivide() {
	a := layout.MustParse("(4,6):(6,1)")
	tiles, err := layout.ZippedDivide(a, layout.Tile(2, 3)...)
	if err != nil {
		log.Fatal(err)
	}
	g, err := layout.Draw(tiles)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(g)
	fmt.Println("tile 2 is", tiles.Mode(0), "from", tiles.At(0, 2), "on")
	// Output:
	// ((2,3),(2,2)):((6,1),(12,3))
	//      0  1  2  3
	//   +------------
	// 0 |  0 12  3 15
	// 1 |  6 18  9 21
	// 2 |  1 13  4 16
	// 3 |  7 19 10 22
	// 4 |  2 14  5 17
	// 5 |  8 20 11 23
	// tile 2 is (2,3):(6,1) from 3 on
}

// The complement is what is missing: with it, 4:2 reaches all of 0 to 23.
func ExampleComplement() {
	l := layout.MustParse("4:2")
	c, err := layout.Complement(l, 24)
	fmt.Println(c, err)
	// Output:
	// (2,3):(1,8) <nil>
}

// Four tiles of 2 x 2, each stored in one piece, make a matrix of 4 x 4.
func ExampleBlockedProduct() {
	m, err := layout.BlockedProduct(layout.MustParse("(2,2):(1,2)"), layout.MustParse("(2,2):(1,2)"))
	if err != nil {
		log.Fatal(err)
	}
	g, err := layout.Draw(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(g)
	// Output:
	// ((2,2),(2,2)):((1,4),(2,8))
	//      0  1  2  3
	//   +------------
	// 0 |  0  2  8 10
	// 1 |  1  3  9 11
	// 2 |  4  6 12 14
	// 3 |  5  7 13 15
}

// Where offset 5 of a row-major matrix is found.
func ExampleRightInverse() {
	l := layout.MustParse("(4,8):(8,1)")
	r := layout.RightInverse(l)
	fmt.Println(r, r.At(5), l.Coordinate(r.At(5)))
	// Output:
	// (8,4):(4,1) 20 (0,5)
}

// The 128-byte swizzle on 8 rows of 8 units of 16 bytes. A column of units, which
// was all in the same banks, is spread over all of them: offsets modulo 8 differ.
func ExampleSwizzle() {
	s, err := layout.ParseSwizzled("Sw<3,0,3> o (8,8):(8,1)")
	if err != nil {
		log.Fatal(err)
	}
	g, err := layout.Draw(s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(g)
	// Output:
	// Sw<3,0,3> o (8,8):(8,1)
	//      0  1  2  3  4  5  6  7
	//   +------------------------
	// 0 |  0  1  2  3  4  5  6  7
	// 1 |  9  8 11 10 13 12 15 14
	// 2 | 18 19 16 17 22 23 20 21
	// 3 | 27 26 25 24 31 30 29 28
	// 4 | 36 37 38 39 32 33 34 35
	// 5 | 45 44 47 46 41 40 43 42
	// 6 | 54 55 52 53 50 51 48 49
	// 7 | 63 62 61 60 59 58 57 56
}

// The rows that eight lanes of ldmatrix point at, 16 bytes each, in a tile of bf16
// with rows of 64 elements: all in the same banks without a swizzle.
func ExampleWavefronts() {
	swizzled, err := layout.ParseSwizzled("Sw<3,3,3> o (128,64):(64,1)")
	if err != nil {
		log.Fatal(err)
	}
	for _, tile := range []layout.Map{swizzled.Layout(), swizzled} {
		var address []int
		for lane := range 8 {
			address = append(address, 2*tile.At(lane, 0))
		}
		b, err := layout.Wavefronts(address, 16)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(b.Wavefronts, "for", b.Ideal)
	}
	// Output:
	// 8 for 1
	// 1 for 1
}

// The accumulator of mma.m16n8k16: four lanes side by side, two columns each.
func ExampleFragment() {
	c := layout.Fragment{Rows: 16, Cols: 8, TV: layout.MustParse("((4,8),(2,2)):((32,1),(16,8))")}
	fmt.Println(c.Check())
	g, err := c.Draw()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(g)
	// Output:
	// <nil>
	// ((4,8),(2,2)):((32,1),(16,8)) on 16 x 8
	//           0      1      2      3      4      5      6      7
	//    +--------------------------------------------------------
	//  0 |  T0 V0  T0 V1  T1 V0  T1 V1  T2 V0  T2 V1  T3 V0  T3 V1
	//  1 |  T4 V0  T4 V1  T5 V0  T5 V1  T6 V0  T6 V1  T7 V0  T7 V1
	//  2 |  T8 V0  T8 V1  T9 V0  T9 V1 T10 V0 T10 V1 T11 V0 T11 V1
	//  3 | T12 V0 T12 V1 T13 V0 T13 V1 T14 V0 T14 V1 T15 V0 T15 V1
	//  4 | T16 V0 T16 V1 T17 V0 T17 V1 T18 V0 T18 V1 T19 V0 T19 V1
	//  5 | T20 V0 T20 V1 T21 V0 T21 V1 T22 V0 T22 V1 T23 V0 T23 V1
	//  6 | T24 V0 T24 V1 T25 V0 T25 V1 T26 V0 T26 V1 T27 V0 T27 V1
	//  7 | T28 V0 T28 V1 T29 V0 T29 V1 T30 V0 T30 V1 T31 V0 T31 V1
	//  8 |  T0 V2  T0 V3  T1 V2  T1 V3  T2 V2  T2 V3  T3 V2  T3 V3
	//  9 |  T4 V2  T4 V3  T5 V2  T5 V3  T6 V2  T6 V3  T7 V2  T7 V3
	// 10 |  T8 V2  T8 V3  T9 V2  T9 V3 T10 V2 T10 V3 T11 V2 T11 V3
	// 11 | T12 V2 T12 V3 T13 V2 T13 V3 T14 V2 T14 V3 T15 V2 T15 V3
	// 12 | T16 V2 T16 V3 T17 V2 T17 V3 T18 V2 T18 V3 T19 V2 T19 V3
	// 13 | T20 V2 T20 V3 T21 V2 T21 V3 T22 V2 T22 V3 T23 V2 T23 V3
	// 14 | T24 V2 T24 V3 T25 V2 T25 V3 T26 V2 T26 V3 T27 V2 T27 V3
	// 15 | T28 V2 T28 V3 T29 V2 T29 V3 T30 V2 T30 V3 T31 V2 T31 V3
}
