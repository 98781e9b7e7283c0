package rule

import (
	"errors"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// FuzzDecompose takes matrices of bytes apart by rules of bytes. Parameters are
// refused with an *Error, or the parts sum to the whole.
func FuzzDecompose(f *testing.F) {
	f.Add(uint8(9), uint8(9), []byte{0, 0, 3, 4, 3, 5, 3, 8, 8, 8}, []byte{0, 2, 1})
	f.Add(uint8(40), uint8(7), []byte{39, 6, 39, 5, 0, 0}, []byte{3, 3, 50, 4, 90, 0, 2, 1, 1})
	f.Add(uint8(16), uint8(16), []byte{1, 1, 2, 2, 3, 3, 3, 2, 2, 3}, []byte{133, 2, 1, 1, 3, 3})
	f.Fuzz(func(t *testing.T, rows, cols uint8, at, program []byte) {
		if len(at) > 1<<11 || len(program) > 30 || rows == 0 || cols == 0 {
			return
		}
		b := sparse.NewBuilder[float64](int(rows), int(cols))
		seen := map[[2]int]bool{}
		for ; len(at) > 1; at = at[2:] {
			i, j := int(at[0])%int(rows), int(at[1])%int(cols)
			if !seen[[2]int{i, j}] {
				seen[[2]int{i, j}] = true
				b.Add(i, j, 1)
			}
		}
		m := sparsetest.Must(b.Matrix())
		count := make([]float64, m.NNZ()) // checkSum wants values that count
		for k := range count {
			count[k] = float64(k + 1)
		}
		m = sparsetest.Must(m.WithValues(count))
		var rules []Rule
		for ; len(program) > 2; program = program[3:] {
			x, y := int(program[1])-1, int(program[2])-1
			all := []Rule{Hyb(x, y), Columns(x), Buckets(y), LongRows(x), Blocks(x, float64(y)/100), Diagonals(float64(y) / 100), checkered}
			r := all[int(program[0]&127)%len(all)]
			if last := len(rules) - 1; program[0] > 127 && last >= 0 {
				rules[last] = Each(rules[last], r)
				continue
			}
			rules = append(rules, r)
		}
		s, err := Decompose(m, rules...)
		if err != nil {
			if e := (*sparse.Error)(nil); !errors.As(err, &e) || e.Kind == nil || e.Where == "" || e.What == "" || e.Right == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		checkSum(t, names(rules), m, s)
	})
}
