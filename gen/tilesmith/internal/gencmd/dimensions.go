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
	return fmt.Sprintf("Shape: gemm.Shape{M: %d, N: %d, K: %d}", s.M, s.N, s.K)
}

// reduceFlag is what --reduce says: how many pairs of blocks are summed, and how far rows of them are apart.
type reduceFlag struct{ gemm.BatchReduce }

func (r *reduceFlag) String() string {
	count := "any"
	if r.Count != gemm.AnyCount {
		count = strconv.Itoa(r.Count)
	}
	if r.LdA|r.LdB|r.LdC == 0 {
		return count
	}
	return fmt.Sprintf("%s,%d,%d,%d", count, r.LdA, r.LdB, r.LdC)
}

// Type is how the help calls the value.
func (r *reduceFlag) Type() string { return "COUNT[,LDA,LDB,LDC]" }

// Set reads "any" or a number, and perhaps three numbers, of which 0 leaves one as it is.
func (r *reduceFlag) Set(text string) error {
	r.BatchReduce = gemm.BatchReduce{}
	parts := strings.Split(text, ",")
	if len(parts) != 1 && len(parts) != 4 {
		return fmt.Errorf("want how many pairs of blocks there are or any, and perhaps how far rows of a, b and out are apart, as in any, 9 or any,64,0,0")
	}
	for i, x := range []*int{&r.Count, &r.LdA, &r.LdB, &r.LdC}[:len(parts)] {
		n, err := strconv.Atoi(parts[i])
		switch {
		case i == 0 && parts[i] == "any":
			n = gemm.AnyCount
		case err != nil || n < 0 || i == 0 && n == 0:
			return fmt.Errorf("%q is neither a count of 1 or more, or any, nor a distance of 0 or more", parts[i])
		}
		*x = n
	}
	return nil
}

// text is the field of a spec.
func (r *reduceFlag) text() string {
	count := "gemm.AnyCount"
	if r.Count != gemm.AnyCount {
		count = strconv.Itoa(r.Count)
	}
	return fmt.Sprintf("Reduce: gemm.BatchReduce{Count: %s, LdA: %d, LdB: %d, LdC: %d}", count, r.LdA, r.LdB, r.LdC)
}
