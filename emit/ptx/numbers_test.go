package ptx_test

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// sameNumbers reports whether two values of type el are the same, or both NaN.
func sameNumbers(el emit.Elem, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !el.Float() {
		return false
	}
	wide := func(x []byte) float64 {
		var u [8]byte
		copy(u[:], x)
		return el.Decode(binary.LittleEndian.Uint64(u[:]))
	}
	return math.IsNaN(wide(a)) && math.IsNaN(wide(b))
}
