package llctest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Kinds are the kinds of numbers to compare on.
var Kinds = []Kind{
	{"normal", (*rand.Rand).NormFloat64},
	{"denormal", func(r *rand.Rand) float64 { // the products of f32, or of f64, are
		return r.NormFloat64() * [2]float64{0x1p-70, 0x1p-530}[r.IntN(2)]
	}},
	{"special", func(r *rand.Rand) float64 {
		if r.IntN(40) > 0 {
			return r.NormFloat64()
		}
		return specials[r.IntN(len(specials))]
	}},
}

// Kind is a kind of numbers, one at a time.
type Kind struct {
	Name string
	Some func(r *rand.Rand) float64
}

var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-149, -0x1p-127, 0x1p-1074, math.MaxFloat32, -math.MaxFloat64, 1 + 0x1p-23}

// Fill returns n numbers of a kind, rounded to T, and any bits if T is an integer type.
func Fill[T dtype.Elem](r *rand.Rand, some func(*rand.Rand) float64, n int) []T {
	out := make([]T, n)
	e, err := emit.ElemOf(reflect.TypeFor[T]())
	if err != nil {
		panic(err)
	}
	for i := range out {
		bits := r.Uint64()
		if e.Float() {
			bits = e.Encode(some(r))
		}
		b := unsafe.Slice((*byte)(unsafe.Pointer(&out[i])), unsafe.Sizeof(out[i]))
		var all [8]byte
		binary.LittleEndian.PutUint64(all[:], bits)
		copy(b, all[:])
	}
	return out
}

// Differs returns the first index at which two results differ, or -1: bit for bit, but
// which NaN it is does not count.
func Differs[T dtype.Float](have, want []T) int {
	for i, w := range want {
		h := have[i]
		same := h != h && w != w || h == w && math.Signbit(float64(h)) == math.Signbit(float64(w))
		if !same {
			return i
		}
	}
	return -1
}
