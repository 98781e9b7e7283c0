package sample_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

func ExampleRMAT() {
	m, err := sample.RMAT[float32](1000, 8000, .57, .19, .19, 1)
	fmt.Println(sample.FingerprintOf(m), err)
	// Output: 1000 x 1000, 8000 entries, rows of 2 (median), 115 (one in a hundred), 274 (longest), 263 empty <nil>
}

// A likeness of a graph of a paper, with the buckets that the paper uses for it.
func ExampleMake() {
	r, err := sample.Find("cora")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := sample.Make[float32](r, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := rule.Decompose(m, rule.Hyb(r.Slabs, r.Buckets))
	fmt.Printf("%d entries, %.0f %% padding, %v\n", m.NNZ(), 100*s.Padding(), err)
	// Output: 10556 entries, 16 % padding, <nil>
}
