package check

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
)

// A Shape says which product is meant: out is M x N, a is M x K, b is K x N.
type Shape struct{ M, N, K int }

func (s Shape) String() string { return fmt.Sprintf("m=%d n=%d k=%d", s.M, s.N, s.K) }

// MACs is the number of multiply-adds.
func (s Shape) MACs() int { return s.M * s.N * s.K }

// brief reports whether this is go test -short. A program that is built like a test, but is
// none, has not parsed the flags of one.
func brief() bool { return testing.Testing() && flag.Parsed() && testing.Short() }

// some are all cases, or with go test -short every third, the first among them.
func some[T any](all []T) []T {
	if !brief() {
		return all
	}
	var few []T
	for i := 0; i < len(all); i += 3 {
		few = append(few, all[i])
	}
	return few
}

// Shapes returns what a kernel with mr x nr register tiles and k-blocks of at
// most kc elements must get right. Every dimension is 0, 1, prime, and around one and
// two tiles. There is every number of rows up to mr+1, since each remainder may be a
// kernel of its own. Columns are around the quarters of nr, where vectors end. k is
// small around every likely unrolling, and around one and two blocks. Skinny shapes
// come last. With long set it adds all of 1..3*mr x 1..2*nr+1 x 1..9.
func Shapes(mr, nr, kc int, long bool) []Shape {
	ms := tidy(append(upTo(mr+1), 2*mr-1, 2*mr+1, 17))
	ns := tidy([]int{1, 2, 3, 31, nr/4 - 1, nr/4 + 1, nr / 2, nr/2 + 1, 3*nr/4 + 1, nr - 1, nr, nr + 1, 2*nr + 1})
	ks := []int{1, 2, 3, 4, 5, 7, 8, 9, 17}
	shapes := []Shape{{0, 0, 0}, {0, 0, 3}, {0, nr, 5}, {mr, 0, 5}, {1, 1, 0}, {mr, nr, 0}, {mr + 1, nr + 1, 0}}
	shapes = cross(shapes, ms, ns, ks)
	shapes = cross(shapes, tidy([]int{1, mr, mr + 1}), tidy([]int{1, nr, nr + 1}),
		tidy([]int{16, 31, kc - 1, kc, kc + 1, 2*kc - 1, 2*kc + 3}))
	shapes = append(shapes, Shape{1, 509, 251}, Shape{509, 1, 251}, Shape{251, 509, 1},
		Shape{3, 5, 4099}, Shape{4*mr + 3, 3*nr + 5, 61})
	if long {
		shapes = cross(shapes, upTo(3*mr), upTo(2*nr+1), upTo(9))
	}
	return shapes
}

// bigShapes go beyond the cache blocks of any dimension; they are checked by
// Freivalds' method, whose cost is that of reading the operands.
func bigShapes(mr, nr, kc int, long bool) []Shape {
	shapes := []Shape{{509, 521, min(kc, 1024) + 1}, {2*mr + 1, 4099, 67}, {4099, nr + 1, 67}}
	if long {
		shapes = append(shapes, Shape{1031, 2053, 2*kc + 3}, Shape{2053, 1031, 257}, Shape{7, 9, 100003})
	}
	return shapes
}

func cross(to []Shape, ms, ns, ks []int) []Shape {
	for _, m := range ms {
		for _, n := range ns {
			for _, k := range ks {
				to = append(to, Shape{m, n, k})
			}
		}
	}
	return to
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}

// tidy sorts, and drops duplicates and what is less than 1.
func tidy(s []int) []int {
	s = slices.DeleteFunc(s, func(v int) bool { return v < 1 })
	slices.Sort(s)
	return slices.Compact(s)
}

// A arrangement is a way to lay a matrix out in memory.
type arrangement struct {
	Name    string
	Strides func(rows, cols int) (row, col int)
}

// farStride stands where a stride is never used because its dimension has at
// most one index. Any value is valid there.
const farStride = math.MaxInt / 2

// arrangements are the layouts that every operand is tried in.
var arrangements = []arrangement{
	{"row", func(_, cols int) (int, int) { return max(cols, 1), 1 }},
	{"col", func(rows, _ int) (int, int) { return 1, max(rows, 1) }},
	{"rowPad", func(_, cols int) (int, int) { return cols + 5, 1 }},
	{"colPad", func(rows, _ int) (int, int) { return 1, rows + 3 }},
	{"rowStep", func(_, cols int) (int, int) { return 2*cols + 3, 2 }}, // both strides above 1
	{"colStep", func(rows, _ int) (int, int) { return 3, 3*rows + 1 }},
	{"block", func(_, cols int) (int, int) { return 2*cols + 64, 1 }}, // sub-matrix of a wide one
	{"blockT", func(rows, _ int) (int, int) { return 1, 2*rows + 64 }},
	{"far", func(rows, cols int) (int, int) {
		row, col := max(cols, 1), 1
		if rows <= 1 {
			row = farStride
		}
		if cols <= 1 {
			row, col = min(row, farStride), farStride
			if rows > 1 {
				row = 1
			}
		}
		return row, col
	}},
}

// extent is the number of elements from the first to the last of a matrix.
func extent(rows, cols, rowStride, colStride int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*rowStride + (cols-1)*colStride + 1
}
