package part

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
)

// fail makes an error of package sparse, whose kinds say all that can be wrong here.
func fail(kind error, where, right, what string, args ...any) error {
	return &sparse.Error{Kind: kind, Where: "part." + where, What: fmt.Sprintf(what, args...), Right: right}
}

// checkParts checks a number of parts. It is bounded because whoever has a partition has a
// slice of its parts.
func checkParts(where string, k int) error {
	if k < 1 || k > MaxParts {
		return fail(sparse.ErrSize, where, fmt.Sprintf("parts are from 1 to %d", MaxParts), "%d parts", k)
	}
	return nil
}

// checkDivisible is checkParts for whoever divides n things so that no part has to be empty.
func checkDivisible(where string, k, n int) error {
	if err := checkParts(where, k); err != nil {
		return err
	}
	if k > n {
		return fail(sparse.ErrSize, where, "no more parts than vertices", "%d parts of %d vertices", k, n)
	}
	return nil
}
