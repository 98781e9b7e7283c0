package mtx

import (
	"fmt"
	"math"
	"strings"
)

// A valueRange is what a type of "%%GraphBLAS type" can hold: the integers from lo to
// below end, or any value where end is 0.
type valueRange struct{ lo, end float64 }

// graphBLAS holds the types that SuiteSparse:GraphBLAS and LAGraph write.
var graphBLAS = []struct {
	name    string
	complex bool
	valueRange
}{
	{"bool", false, valueRange{0, 2}},
	{"int8_t", false, valueRange{-1 << 7, 1 << 7}}, {"int16_t", false, valueRange{-1 << 15, 1 << 15}},
	{"int32_t", false, valueRange{-1 << 31, 1 << 31}}, {"int64_t", false, valueRange{-1 << 63, 1 << 63}},
	{"uint8_t", false, valueRange{0, 1 << 8}}, {"uint16_t", false, valueRange{0, 1 << 16}},
	{"uint32_t", false, valueRange{0, 1 << 32}}, {"uint64_t", false, valueRange{0, 1 << 64}},
	{"float", false, valueRange{}}, {"double", false, valueRange{}},
	{"float complex", true, valueRange{}}, {"double complex", true, valueRange{}},
	{"float _Complex", true, valueRange{}}, {"double _Complex", true, valueRange{}},
}

// graphBLASType returns the type that a comment, without its first '%', declares, and
// whether it declares one.
func graphBLASType(comment string) (string, bool) {
	f := strings.Fields(comment)
	if len(f) < 2 || !strings.EqualFold(f[0], "%GraphBLAS") || !strings.EqualFold(f[1], "type") {
		return "", false
	}
	return strings.Join(f[2:], " "), true
}

// rangeOf returns what values h.Type can hold, or why a matrix of h's kind cannot
// have that type.
func (h Header) rangeOf() (r valueRange, reason string) {
	if h.Type == "" {
		return r, ""
	}
	for _, t := range graphBLAS {
		if t.name != h.Type {
			continue
		}
		switch {
		case t.complex != (h.Field == Complex):
			return r, fmt.Sprintf("values of type %s are not those of a %v matrix", t.name, h.Field)
		case h.Symmetry == Skew && t.end > 0 && t.lo == 0:
			return r, fmt.Sprintf("a skew-symmetric matrix has values of both signs, which %s cannot hold; want a signed type", t.name)
		}
		return t.valueRange, ""
	}
	return r, quote([]byte(h.Type)) + " is no type of GraphBLAS; want bool, int8_t to int64_t, uint8_t to uint64_t, float, " +
		"double, float complex or double complex"
}

// holds reports whether v is a value of the type.
func (r valueRange) holds(v float64) bool {
	return r.end == 0 || v >= r.lo && v < r.end && v == math.Trunc(v)
}
