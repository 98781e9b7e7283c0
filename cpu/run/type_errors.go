package run

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TypeError says that no product has operands, sums and a result of these types. Entry
// points panic with it before anything is read or written.
type TypeError struct {
	What string // the function
	Why  string // the types, and which there are
}

func (e TypeError) Error() string { return e.What + ": " + e.Why }

// WrapError says that Options.NoWrap refused a product, since its sums of int32 might
// wrap. Entry points panic with it before anything is read or written.
type WrapError struct {
	What         string     // the function
	A, B         dtype.Type // of the operands
	ZeroA, ZeroB int32      // their zero points
	Bias         int32      // of those that are added to the sums the one that leaves least room, or 0
	K            int        // of the product
	Most         int        // the largest k for which no sum of these can wrap
}

func (e WrapError) Error() string {
	less := func(t dtype.Type, zero int32) string {
		if zero == 0 {
			return t.Go()
		}
		return fmt.Sprintf("%s less %d", t.Go(), zero)
	}
	bias := ""
	if e.Bias != 0 {
		bias = fmt.Sprintf(", with a bias of %d,", e.Bias)
	}
	return fmt.Sprintf("%s: k is %d, and sums of products of %s and %s%s may leave int32 if it is more than %d; split k, or leave Options.NoWrap unset",
		e.What, e.K, less(e.A, e.ZeroA), less(e.B, e.ZeroB), bias, e.Most)
}
