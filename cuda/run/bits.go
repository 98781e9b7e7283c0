package run

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// bitsOf returns the bits of x, low bytes first.
func bitsOf[T dtype.Elem](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	case dtype.BF16:
		return uint64(x.Bits())
	case dtype.F16:
		return uint64(x.Bits())
	case dtype.F8E4M3:
		return uint64(x.Bits())
	case dtype.F8E5M2:
		return uint64(x.Bits())
	case int8:
		return uint64(uint8(x))
	case int32:
		return uint64(uint32(x))
	case uint8:
		return uint64(x)
	case int16:
		return uint64(uint16(x))
	}
	return 0
}
