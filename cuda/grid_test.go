package cuda

import (
	"errors"
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	info := Info{Name: "a GPU", SharedPerBlock: 100 << 10}
	one := [3]int{1, 1, 1}
	tooMany := maxBlocksX
	tooMany++ // not a constant: where int has 32 bits, this has to compile
	for _, c := range []struct {
		g    Grid
		want string
	}{
		{Grid{one, one, 0}, ""},
		{Grid{[3]int{1<<31 - 1, 65535, 65535}, [3]int{1024, 1, 1}, 100 << 10}, ""},
		{Grid{one, [3]int{4, 4, 64}, 0}, ""},
		{Grid{one, [3]int{1, 1024, 1}, 0}, ""},
		{Grid{}, "0 blocks in x, want 1 to 2147483647"},
		{Grid{[3]int{tooMany, 1, 1}, one, 0}, "2147483648 blocks in x"},
		{Grid{[3]int{1, 65536, 1}, one, 0}, "65536 blocks in y, want 1 to 65535"},
		{Grid{[3]int{1, 1, -1}, one, 0}, "-1 blocks in z"},
		{Grid{one, [3]int{1025, 1, 1}, 0}, "1025 threads in x"},
		{Grid{one, [3]int{1, 0, 1}, 0}, "0 threads in y"},
		{Grid{one, [3]int{1, 1, 65}, 0}, "65 threads in z, want 1 to 64"},
		{Grid{one, [3]int{32, 32, 2}, 0}, "2048 threads a block, want at most 1024"},
		{Grid{one, [3]int{33, 32, 1}, 0}, "1056 threads a block"},
		{Grid{one, one, -1}, "-1 bytes of dynamic shared memory"},
		{Grid{one, one, 100<<10 + 1}, "102401 bytes of dynamic shared memory, want 0 to 102400 on a GPU"},
	} {
		err := c.g.Check(info)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.g, err, c.want)
		}
	}
}
