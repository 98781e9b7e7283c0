package comm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAgree(t *testing.T) {
	odd := errors.New("a row pointer falls")
	long := strings.Repeat("x", 3000)
	for _, c := range []struct {
		what string
		p    int
		f    func(r int) (error, []Fact)
		want string // "" for agreement
	}{
		{"one rank", 1, func(r int) (error, []Fact) { return nil, []Fact{{"rows", "5"}} }, ""},
		{"one rank with an error", 1, func(r int) (error, []Fact) { return odd, nil }, "rank 0: a row pointer falls"},
		{"nothing", 3, func(r int) (error, []Fact) { return nil, nil }, ""},
		{"all alike", 9, func(r int) (error, []Fact) { return nil, []Fact{{"rows", "5"}, NewFact("columns", 7)} }, ""},
		{"an error", 4, func(r int) (error, []Fact) {
			if r == 2 {
				return odd, nil
			}
			return nil, nil
		}, "rank 2: a row pointer falls"},
		{"the same error, and another", 7, func(r int) (error, []Fact) {
			switch r {
			case 0, 1, 2, 5:
				return odd, nil
			case 4:
				return errors.New(""), nil
			}
			return nil, nil
		}, "ranks 0-2, 5: a row pointer falls; rank 4: an error without words"},
		{"a fact", 5, func(r int) (error, []Fact) {
			return nil, []Fact{{"rows", "5"}, NewFact("columns", []int{7, r / 3 * r})}
		}, "the ranks disagree about columns: ranks 0-2 [7 0], but rank 3 [7 3], but rank 4 [7 4]"},
		{"a fact that one does not have, beside an error", 2, func(r int) (error, []Fact) {
			if r == 0 {
				return odd, []Fact{{"rows", "5"}}
			}
			return nil, []Fact{{"rows", "5"}, {"ISA", "avx2"}}
		}, "rank 0: a row pointer falls"},
		{"a fact that one does not have", 3, func(r int) (error, []Fact) {
			if r == 0 {
				return nil, []Fact{{"rows", "5"}}
			}
			return nil, []Fact{{"rows", "5"}, {"ISA", "avx2"}}
		}, "the ranks disagree about ISA: ranks 1-2 avx2, but rank 0 nothing"},
		{"long ones", 2, func(r int) (error, []Fact) {
			return nil, []Fact{{"text", long + fmt.Sprint(r)}}
		}, "the ranks disagree about text: rank 0 " + long[:512] + "... (3001 bytes, "},
		{"too many", 2, func(r int) (error, []Fact) {
			var all []Fact
			for i := range 100 {
				all = append(all, Fact{fmt.Sprint(i), long[:900]})
			}
			return nil, append(all, NewFact("last", r))
		}, "texts are too long"},
	} {
		err := Run(c.p, func(x *Comm) error {
			mine, facts := c.f(x.Rank())
			err := Agree(x, mine, facts...)
			var e *DisagreeError
			switch {
			case c.want == "" && err == nil:
			case !errors.As(err, &e) || c.want == "" || !strings.Contains(err.Error(), c.want) || c.what[0] != 'l' && c.what[0] != 't' && err.Error() != c.want:
				return fmt.Errorf("%v, want %q", err, c.want)
			case mine != nil && !errors.Is(err, mine):
				return fmt.Errorf("%v is not the error given", err)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
