package sample

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// Decomposed deals the entries of a matrix to parts in formats, some of each row to each, and to one in compressed rows. A
// format that cannot hold its share gets none.
func Decomposed[T dtype.Float](m sparse.Matrix[T], formats []format.Format) (rule.Sum[T], error) {
	sum, err := rule.Decompose(m)
	if err != nil {
		return sum, err
	}
	var rules []rule.Rule
	for k, f := range formats {
		deal := rule.Rule{Name: f.Name, Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			mine, rest := s.Partition(func(e sparse.Entry) bool { return (e.I+e.J+k)%3 == 0 })
			return []rule.Group{{Into: f, Structure: mine}}, rest, nil
		}}
		if more, err := rule.Decompose(m, append(slices.Clone(rules), deal)...); err == nil {
			sum, rules = more, append(rules, deal)
		}
	}
	return sum, nil
}
