package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// Convert returns m with values of another type. Floats round, as a conversion does, and
// become infinite if they are too large. It is an error, [ErrValue], if the other type cannot
// hold a value: fractions and large numbers in integers, imaginary parts in real numbers.
func Convert[To, From dtype.Value](m Matrix[From]) (Matrix[To], error) {
	from, to := value.Of[From](), value.Of[To]()
	c := Matrix[To]{shape{m.s}, make([]To, m.NNZ())}
	if same, ok := any(m.values).([]To); ok {
		c.values = same
		return c, nil
	}
	for e, v := range m.All() {
		w, ok := To(0), false
		if negative, size, whole := from.Whole(v); whole && (from.Integer || to.Integer) {
			w, ok = to.OfWhole(negative, size)
		} else {
			w, ok = to.OfNumber(from.Number(v))
		}
		if !ok {
			return Matrix[To]{}, refuseValue[To]("sparse.Convert", e.I, e.J, fmt.Sprint(v))
		}
		c.values[e.K] = w
	}
	return c, nil
}
