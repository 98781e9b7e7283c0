package mtx

import (
	"fmt"
	"math"
)

// columns reads the values and gives the entries, column after column.
func (h *HB) columns() error {
	d := &h.header
	col := 0
	one := func(k int, re, im float64) error {
		for h.colPtr[col+1] <= k+1 {
			col++
		}
		i, j := h.rowIdx[k]-1, col
		if i == j && !h.o.Lenient {
			if reason := d.checkEntry(i, j, re, im); reason != "" {
				return h.fail(0, reason)
			}
		}
		return h.give(i, j, re, im)
	}
	if d.Field == Pattern {
		for k := range d.Entries {
			if err := one(k, 1, 0); err != nil {
				return err
			}
		}
		return nil
	}
	n := d.Entries
	if d.Field == Complex {
		n *= 2
	}
	if n == 0 {
		return nil
	}
	if want := h.val.lines(n); h.valLine != want {
		return h.fail(0, fmt.Sprintf("%d values of %s take %d lines, the header says %d", n, h.val.text, want, h.valLine))
	}
	var stop error
	re := 0.0
	err := h.fields(n, &h.val, "value", func(k int, b []byte, f field) string {
		v, reason := h.value(b, f)
		switch {
		case reason != "":
			return reason
		case d.Field == Complex && k%2 == 0:
			re = v
			return ""
		case d.Field == Complex:
			stop = one(k/2, re, v)
		default:
			stop = one(k, v, 0)
		}
		if stop != nil {
			return "an entry is refused"
		}
		return ""
	})
	if stop != nil {
		return stop
	}
	return err
}

// value returns the number of a field of values.
func (h *HB) value(b []byte, f field) (float64, string) {
	if !f.integer {
		v, reason := f.floatOf(b)
		h.setWhole(int64(v))
		if reason == "" && h.header.Field == Integer && (v != math.Trunc(v) || math.Abs(v) >= 1<<63) {
			reason = quote(b) + " is no integer of 64 bits, as the type of the matrix has it; want the type R"
		}
		return v, reason
	}
	v, reason := intOf(b)
	h.setWhole(v)
	if reason == "" && !h.exact && !h.o.Lenient && (float64(v) >= 1<<63 || int64(float64(v)) != v) {
		reason = quote(b) + " is an integer that float64 cannot hold; VisitWhole reads it, Options.Lenient lets it be rounded"
	}
	return float64(v), reason
}

// setWhole notes a value for VisitWhole.
func (h *HB) setWhole(v int64) {
	if h.negative, h.size = v < 0, uint64(v); v < 0 {
		h.size = -h.size
	}
}

// mirror returns what a value of a matrix that is not general is at the mirrored
// coordinates.
func (h *Header) mirror(re, im float64) (float64, float64) {
	switch h.Symmetry {
	case Skew:
		return -re, -im
	case Hermitian:
		return re, -im
	}
	return re, im
}
