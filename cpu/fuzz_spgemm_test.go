package cpu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// FuzzSpGEMM multiplies sparse matrices of any structure by each other, also by plans,
// with masks, semirings and any number of threads: what does not fit is an error of
// package sparse, the rest is what a loop over the entries gives.
func FuzzSpGEMM(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 1, 0, 5, 7, 9, 3, 1, 4, 2})
	addRandom(f, 300, 60)
	fuzzFloats(f, fuzzSpGEMM[float32], fuzzSpGEMM[float64])
}

func fuzzSpGEMM[T dtype.Float](t *testing.T, in fuzzBytes) {
	form := in.next()
	numbers := fuzzNumbers(in.next())
	a, _ := fuzzSparse[T](t, &in, &numbers)
	b, _ := fuzzSparse[T](t, &in, &numbers)
	opt := Options{Threads: 1 + in.next()%3}
	s := SpGEMMSpec[T]{Unsorted: form&1 > 0}
	if form&2 > 0 {
		s.Semiring = []semiring.Semiring[T]{semiring.MinPlus[T](), semiring.MaxTimes[T](), semiring.PlusMin[T](), semiring.OrAnd[T]()}[in.next()%4]
	}
	if a.Cols() != b.Rows() {
		if _, err := SpGEMMOpt(opt, s, a, b); !errors.Is(err, sparse.ErrShape) {
			t.Fatalf("%v times %v: %v", a, b, err)
		}
		b = a.Transpose()
	}
	if form&4 > 0 {
		mask, _ := fuzzSparse[T](t, &in, &numbers)
		if mask.Rows() < a.Rows() || mask.Cols() < b.Cols() {
			if _, err := SpGEMMOpt(opt, SpGEMMSpec[T]{Mask: &mask}, a, b); !errors.Is(err, sparse.ErrShape) {
				t.Fatalf("mask %v: %v", mask, err)
			}
			mask = sure(SpGEMM(a, b)).Select(func(i, j int, _ T) bool { return (i+j)%3 == 0 })
		} else {
			mask = mask.Slice(0, a.Rows(), 0, b.Cols())
		}
		s.Mask, s.Complement = &mask, form&8 > 0
	}
	what := fmt.Sprintf("%v times %v, form %b", a, b, form&15)
	want := spgemmOracle(s, a, b)
	have := sure(SpGEMMOpt(opt, s, a, b))
	sameProduct(t, what, !s.Unsorted, have, want)
	sameProduct(t, "plan of "+what, !s.Unsorted, sure(sure(PlanSpGEMM(opt, s, a, b)).Multiply(a, b)), want)
	if have.NNZ() > 0 {
		s.MaxBytes = 1 + int64(in.next())%(4*int64(a.Rows()+1))
		if _, err := SpGEMMOpt(opt, s, a, b); !errors.Is(err, sparse.ErrSize) {
			t.Fatalf("%s in %d bytes: %v", what, s.MaxBytes, err)
		}
	}
}
