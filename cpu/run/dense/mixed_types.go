package dense

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// types is a set of element types.
type types uint32

func (s types) has(t dtype.Type) bool { return s>>t&1 != 0 }

// String lists them as Go spells them.
func (s types) String() string {
	var names []string
	for t := dtype.F32; t <= dtype.C128; t++ {
		if s.has(t) {
			names = append(names, t.Go())
		}
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// mixedTypes returns the types that operands and results may have, by the type of the
// sums. That type has every number of an operand, so converting one is exact. Results
// are what Go's functions round to. A result that is an integer of fewer bits takes a
// scale, and so an epilogue.
func mixedTypes(acc dtype.Type) (operands, results types) {
	const (
		ints   types = 1<<dtype.I8 | 1<<dtype.U8 | 1<<dtype.I16
		halves types = 1<<dtype.TypeBF16 | 1<<dtype.TypeF16
	)
	switch acc {
	case dtype.F32:
		return 1<<dtype.F32 | halves | ints, 1<<dtype.F32 | halves
	case dtype.F64:
		return 1<<dtype.F64 | 1<<dtype.F32 | halves | ints, 1<<dtype.F64 | 1<<dtype.F32 | halves
	case dtype.I32:
		return ints, 1 << dtype.I32
	case dtype.C64, dtype.C128:
		return 1 << acc, 1 << acc
	}
	return 0, 0
}

// CheckTypes panics with a [run.TypeError] if there is no product a*b of elements of these
// types, summed in acc and stored as out.
func CheckTypes(name string, a, b, acc, out dtype.Type) {
	operands, results := mixedTypes(acc)
	if operands.has(a) && operands.has(b) && results.has(out) {
		return
	}
	panic(run.TypeError{What: name, Why: fmt.Sprintf("no product of %s and %s has sums of %s and a result of %s; sums of %[3]s have operands of %[5]v, and results of %[6]v",
		a.Go(), b.Go(), acc.Go(), out.Go(), operands, results)})
}

// checkTypes is CheckTypes for a call of s.
func (s *Set[T]) checkTypes(name string, a, b, out dtype.Type) {
	acc := dtype.Of[T]()
	CheckTypes(name, a, b, acc, out)
	if x, y := s.types(); a != x || b != y {
		panic(run.TypeError{What: name, Why: fmt.Sprintf("%s is of %s and %s with sums of %s, the call of %s and %s with sums of %[4]s",
			s.Name, x.Go(), y.Go(), acc.Go(), a.Go(), b.Go())})
	}
}

// integers is the least and the largest number of a type.
func integers(t dtype.Type) (least, most int64, ok bool) {
	switch t {
	case dtype.I8:
		return math.MinInt8, math.MaxInt8, true
	case dtype.U8:
		return 0, math.MaxUint8, true
	case dtype.I16:
		return math.MinInt16, math.MaxInt16, true
	}
	return 0, 0, false
}

// SafeDepth returns the largest k for which no sum of k products of an a and a b can leave
// int32, whatever they are. It is 131071 for two of int8, 65793 for uint8 and int8, 33025
// for two of uint8, and 1 for two of int16. It is 0 for types that are not summed in
// int32.
func SafeDepth(a, b dtype.Type) int {
	most, _ := safeDepth(a, b, 0, 0, nil)
	return most
}

// safeDepth is SafeDepth for elements less zero points and for sums to any of which any of
// bias is added. It returns which bias limits it, 0 if none does.
func safeDepth(a, b dtype.Type, za, zb int32, bias []int32) (most int, limit int32) {
	a0, a1, okA := integers(a)
	b0, b1, okB := integers(b)
	if !okA || !okB {
		return 0, 0
	}
	a0, a1, b0, b1 = a0-int64(za), a1-int64(za), b0-int64(zb), b1-int64(zb)
	down := min(a0*b0, a0*b1, a1*b0, a1*b1)
	up := max(a0*b0, a0*b1, a1*b0, a1*b1)
	var low, high int32
	for _, x := range bias {
		low, high = min(low, x), max(high, x)
	}
	k := int64(math.MaxInt32)
	if up > 0 {
		k, limit = (math.MaxInt32-int64(high))/up, high
	}
	if down < 0 {
		if other := (math.MinInt32 - int64(low)) / down; other < k {
			k, limit = other, low
		}
	}
	if limit != 0 {
		if none, _ := safeDepth(a, b, za, zb, nil); none == int(k) {
			limit = 0
		}
	}
	return int(k), limit
}

// CheckWrap panics with a [run.WrapError] in the name of the function that was called if sums
// may wrap. They are of k products of elements of a and b, less their zero points. It also
// panics if they may wrap when a bias is added.
func CheckWrap(name string, a, b dtype.Type, k int, za, zb int32, bias []int32) {
	if most, limit := safeDepth(a, b, za, zb, bias); k > most {
		panic(run.WrapError{What: name, A: a, B: b, ZeroA: za, ZeroB: zb, Bias: limit, K: k, Most: most})
	}
}

// checkWrap refuses a product whose sums might wrap, if opt says so.
func checkWrap(name string, opt *run.Options, a, b, acc dtype.Type, k int, za, zb int32) {
	if !opt.NoWrap || acc != dtype.I32 {
		return
	}
	CheckWrap(name, a, b, k, za, zb, nil)
	run.CheckReal(name, &opt.Scaling)
	if _, beta := opt.Scaling.Factors(); beta != 0 {
		panic(run.OptionError{What: name, Why: "Options.NoWrap cannot say of sums that are added to out whether they wrap; leave Options.Scaling unset"})
	}
}
