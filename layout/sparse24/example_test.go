package sparse24_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/sparse24"
)

func Example() {
	weights := layout.RowMajor([]int8{
		9, 1, -7, 2, 0, 0, 3, 0,
		1, 2, 3, 4, 5, 6, 7, 8,
	}, 2, 8)
	_, err := sparse24.Pack(weights)
	fmt.Println(err)
	m, err := sparse24.Pack(sparse24.Prune(weights))
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Unpack())
	// Output:
	// sparse24: row 0, columns from 0: 4 of 4 elements are not zero, 2 may be; Prune keeps the greatest
	// [9  0  -7  0  0  0  3  0]
	// [0  0   3  4  0  0  7  8]
}
