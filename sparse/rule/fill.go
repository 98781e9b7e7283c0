package rule

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// checkFill refuses a least fill that makes no sense.
func checkFill(name string, fill float64) error {
	if !(fill > 0 && fill <= 1) {
		return sparse.Errorf(sparse.ErrFormat, name, "it is more than 0 and at most 1", "the fill is %v", fill)
	}
	return nil
}

// enough reports whether n entries are at least fill of the slots.
func enough(n, slots int, fill float64) bool { return float64(n) >= fill*float64(slots) }

// take returns the groups and the rest of a rule that picks single entries.
func take(s runs.Set, marked []bool, into format.Format) ([]Group, runs.Set, error) {
	in, out := s.Partition(func(_ int, _, k int32) bool { return marked[k] })
	return []Group{{Into: into, Structure: Structure{in}}}, out, nil
}

func ruleName(rule string, args ...any) string {
	s := rule + "("
	for k, a := range args {
		if k > 0 {
			s += ","
		}
		s += fmt.Sprint(a)
	}
	return s + ")"
}
