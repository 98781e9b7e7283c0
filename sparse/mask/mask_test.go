package mask

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
)

// Each mask has the blocks that its definition says, element by element.
func TestBlockMasks(t *testing.T) {
	for n := range 40 {
		for _, size := range []int{1, 3, 7, 50} {
			for name, c := range map[string]struct {
				make func() (Mask, error)
				has  func(i, j int) bool
			}{
				"full":      {func() (Mask, error) { return Full(n, n, size) }, func(int, int) bool { return true }},
				"band":      {func() (Mask, error) { return Band(n, size, 2) }, func(i, j int) bool { return i-j <= 2 && j-i <= 2 }},
				"strided":   {func() (Mask, error) { return Strided(n, size, 3) }, func(i, j int) bool { return (i-j)%3 == 0 }},
				"butterfly": {func() (Mask, error) { return Butterfly(n, size) }, func(i, j int) bool { return bits.OnesCount(uint(i^j)) < 2 }},
				"global":    {func() (Mask, error) { return Global(n, size, 2) }, func(i, j int) bool { return i < 2 || j < 2 }},
				"both": {func() (Mask, error) {
					a, _ := Band(n, size, 1)
					b, _ := Strided(n, size, 5)
					return a.Or(b)
				}, func(i, j int) bool { return i-j <= 1 && j-i <= 1 || (i-j)%5 == 0 }},
			} {
				m, err := c.make()
				if err != nil {
					t.Fatalf("%s of %d by %d: %v", name, n, size, err)
				}
				for _, m := range []Mask{m, m.Causal()} {
					count := 0
					for i := range n {
						for j := range n {
							want := c.has(i/size, j/size) && (!m.IsCausal() || j <= i)
							if m.Has(i, j) != want {
								t.Fatalf("%s, %v: element (%d, %d) is %v", name, m, i, j, !want)
							}
							if want {
								count++
							}
						}
					}
					if have := m.Density() * float64(n*n); have < float64(count)-1e-6 || have > float64(count)+1e-6 {
						t.Fatalf("%s, %v: %v elements, want %d", name, m, have, count)
					}
				}
			}
		}
	}
}

// With fewer rows than columns, the last row sees all.
func TestCausalMask(t *testing.T) {
	m, err := Full(3, 5, 2)
	if err != nil {
		t.Fatal(err)
	}
	if have := fmt.Sprint(m.Causal().Limit(0), m.Causal().Limit(2), m.Limit(0)); have != "3 5 5" {
		t.Errorf("rows end at %s", have)
	}
	for row, want := range map[int]int{math.MaxInt: 5, math.MaxInt - 2: 5, math.MinInt: 0, math.MinInt + 3: 0} {
		if have := m.Causal().Limit(row); have != want {
			t.Errorf("row %d, which there is not, ends at %d, want %d", row, have, want)
		}
	}
	m, err = Full(5, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if have := fmt.Sprint(m.Causal().Limit(0), m.Causal().Limit(3), m.Causal().Limit(4)); have != "0 1 2" {
		t.Errorf("rows end at %s", have)
	}
}

func TestRefusedMasks(t *testing.T) {
	three, err := sparse.Identity[float64](3)
	if err != nil {
		t.Fatal(err)
	}
	full, _ := Full(8, 8, 2)
	other, _ := Full(8, 8, 4)
	for _, c := range []struct {
		make func() (Mask, error)
		kind error
		want string
	}{
		{func() (Mask, error) { return New(8, 6, 2, three) }, sparse.ErrShape, "mask.New: 3 x 3 blocks of a mask of 8 x 6; want 4 x 3, one for each 2 rows and columns"},
		{func() (Mask, error) { return Full(8, -1, 2) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return Full(8, 8, 0) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return Full(sparse.MaxDim, sparse.MaxDim, 1) }, sparse.ErrSize, "mask.Full: up to 18014398509481984 blocks of 1; a mask has at most 67108864; take larger blocks"},
		{func() (Mask, error) { return Band(8, 2, -1) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return Band(sparse.MaxDim, 1, sparse.MaxDim) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return Strided(8, 2, 0) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return Global(8, 2, -1) }, sparse.ErrSize, ""},
		{func() (Mask, error) { return full.Or(other) }, sparse.ErrShape, "mask.Mask.Or: 8 x 8 mask of 16 blocks of 2 and 8 x 8 mask of 4 blocks of 4; want the same shape, the same blocks, both causal or neither"},
		{func() (Mask, error) { return full.Or(full.Causal()) }, sparse.ErrShape, ""},
	} {
		if _, err := c.make(); !errors.Is(err, c.kind) || c.want != "" && err.Error() != c.want {
			t.Errorf("%v, want %v %s", err, c.kind, c.want)
		}
	}
	defer func() {
		if have, want := fmt.Sprint(recover()), "mask.Mask.Has: element (8, 0); the mask is 8 x 8"; have != want {
			t.Errorf("panic %q, want %q", have, want)
		}
	}()
	full.Has(8, 0)
}

func ExampleBand() {
	// The tokens of a sentence of 8 see what is at most one block of 2 away, and the first block
	// is seen by all.
	band, err := Band(8, 2, 1)
	if err != nil {
		panic(err)
	}
	global, err := Global(8, 2, 1)
	if err != nil {
		panic(err)
	}
	mask, err := band.Or(global)
	if err != nil {
		panic(err)
	}
	fmt.Println(mask)
	for _, i := range []int{0, 5, 7} {
		for j := range mask.Cols() {
			fmt.Print(map[bool]string{false: ".", true: "x"}[mask.Has(i, j)])
		}
		fmt.Println()
	}
	// Output:
	// 8 x 8 mask of 14 blocks of 2
	// xxxxxxxx
	// xxxxxxxx
	// xx..xxxx
}
