package gencmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
)

// shapeFlag is what --shape says: the dimensions that every product will have.
type shapeFlag struct{ gemm.Shape }

func (s *shapeFlag) String() string { return fmt.Sprintf("%d,%d,%d", s.M, s.N, s.K) }

// Type is how the help calls the value.
func (s *shapeFlag) Type() string { return "M,N,K" }

// Set reads "M,N,K"; 0 leaves a dimension to the run time.
func (s *shapeFlag) Set(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return fmt.Errorf("want three numbers M,N,K, with 0 for what the run time decides, as in 8,8,8 or 0,128,64")
	}
	for i, dim := range []*int{&s.M, &s.N, &s.K} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a dimension; want a number of at least 0", parts[i])
		}
		*dim = n
	}
	return nil
}

// given reports whether anything is fixed.
func (s *shapeFlag) given() bool { return s.Shape != gemm.Shape{} }

// text is the field of a spec.
func (s *shapeFlag) text() string {
	return fmt.Sprintf("Shape: gemm.Shape{M: %d, N: %d, K: %d},\n", s.M, s.N, s.K)
}
