package layout_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

func ExampleVNNI() {
	b := layout.New[int8](8, 3)
	for i := range b.Data {
		b.Data[i] = int8(i/3*10 + i%3) // row, column
	}
	l, _ := layout.VNNI(4, 8, 3) // ((4,2),3):((1,12),4)
	packed, _ := layout.Arrange(l, b)
	fmt.Println(l)
	fmt.Println(packed[:12])
	fmt.Println(packed[12:])
	// Output:
	// ((4,2),3):((1,12),4)
	// [0 10 20 30 1 11 21 31 2 12 22 32]
	// [40 50 60 70 41 51 61 71 42 52 62 72]
}
