package rule_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// staircase is a matrix with rows of 1, 2 ... n entries.
func staircase(n int) sparse.Matrix[float32] {
	b := sparse.NewBuilder[float32](n, n)
	for i := range n {
		for j := range i + 1 {
			b.Add(i, j, 1)
		}
	}
	m, _ := b.Matrix()
	return m
}

// Buckets of rows of about the same length: each is rectangular, and only what is
// between two powers of two is padding.
func ExampleDecompose() {
	m := staircase(12)
	s, err := rule.Decompose(m, rule.Hyb(1, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	fmt.Printf("%.0f %% padding, %v\n", 100*s.Padding(), s.Matrix().Equal(m))
	// Output:
	// 12 x 12 with 78 entries in 107 slots of f32
	// 	hyb(1,3)/all columns/1 wide: dell1, 1 entries in 1 slots
	// 	hyb(1,3)/all columns/2 wide: dell2, 2 entries in 2 slots
	// 	hyb(1,3)/all columns/4 wide: dell4, 7 entries in 8 slots
	// 	hyb(1,3)/all columns/8 wide: dell8, 68 entries in 96 slots
	// 27 % padding, true
}

// Rules follow each other: each works on what the ones before it left. Each applies
// rules to the parts of another.
func ExampleEach() {
	m := staircase(12)
	s, err := rule.Decompose(m,
		rule.Blocks(4, 1),
		rule.Diagonals(.9),
		rule.Each(rule.Columns(2), rule.LongRows(2)))
	fmt.Println(s, err)
	// Output:
	// 12 x 12 with 78 entries in 78 slots of f32
	// 	blocks(4,1): dbsr4, 48 entries in 48 slots
	// 	diagonals(0.9): dia, 12 entries in 12 slots
	// 	columns(2)(longrows(2))/columns 0:6/longrows(2): dcsr, 3 entries in 3 slots
	// 	columns(2)(longrows(2))/columns 0:6: csr, 8 entries in 8 slots
	// 	columns(2)(longrows(2))/columns 6:12/longrows(2): dcsr, 3 entries in 3 slots
	// 	columns(2)(longrows(2))/columns 6:12: dcsr, 4 entries in 4 slots <nil>
}

// A rule of one's own is one literal.
func ExampleRule() {
	lower := rule.Rule{
		Name: "lower",
		Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			below, rest := s.Partition(func(e sparse.Entry) bool { return e.I > e.J })
			return []rule.Group{{Into: format.CSR, Structure: below}}, rest, nil
		},
	}
	m := staircase(5)
	s, err := rule.Decompose(m, lower, rule.Diagonals(1))
	fmt.Println(s, err)
	part, slot, ok := s.Find(3, 3)
	fmt.Println(part, slot, ok)
	fmt.Println(s.Parts()[part].Entry(slot))

	forgets := rule.Rule{
		Name: "forgets",
		Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			below, _ := s.Partition(func(e sparse.Entry) bool { return e.I > e.J })
			return []rule.Group{{Into: format.CSR, Structure: below}}, rule.Structure{}, nil
		},
	}
	_, err = rule.Decompose(m, forgets)
	fmt.Println(err)
	// Output:
	// 5 x 5 with 15 entries in 15 slots of f32
	// 	lower: csr, 10 entries in 10 slots
	// 	diagonals(1): dia, 5 entries in 5 slots <nil>
	// 1 3 true
	// {3 3 3} true
	// rule.Decompose: entry 0 is in no part; a rule returns what it does not take
}

// What a kernel does with a sum: clear, add every part in order, then the epilogue,
// once for every element.
func ExampleSum() {
	m := staircase(4)
	s, _ := rule.Decompose(m, rule.Hyb(2, 0))
	b := layout.New[float32](4, 1)
	for j := range 4 {
		b.Set(j, 0, float32(j+1))
	}

	out := layout.New[float32](4, 1) // 0 is the identity of +
	for _, p := range s.Parts() {
		for e, v := range p.All() {
			out.Set(e.I, 0, out.At(e.I, 0)+v*b.At(e.J, 0))
		}
	}
	for i := range 4 {
		out.Set(i, 0, float32(math.Sqrt(float64(out.At(i, 0))))) // not once a part
	}
	fmt.Println(len(s.Parts()), s.Disjoint(), out.Data)
	// Output: 2 false [1 1.7320508 2.4494898 3.1622777]
}
