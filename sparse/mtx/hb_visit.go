package mtx

import (
	"errors"
	"fmt"
	"math"
)

// Visit reads the values and calls visit for each entry, column after column, as [Read]
// does for Matrix Market: with Options.Expand the mirrored ones, too.
func (h *HB) Visit(visit func(i, j int, v float64) error) error {
	if h.header.Field == Complex {
		return &Error{Name: h.o.Name, Line: 3, Col: 1, Err: ErrComplex, Reason: "the matrix is complex and was to be read as real; want VisitComplex"}
	}
	return h.each(func(i, j int, re, _ float64) error { return visit(i, j, re) })
}

// VisitComplex is Visit for a matrix of any field as a complex one.
func (h *HB) VisitComplex(visit func(i, j int, v complex128) error) error {
	return h.each(func(i, j int, re, im float64) error { return visit(i, j, complex(re, im)) })
}

// VisitWhole reads the entries of an integer matrix or a pattern as Visit does, with values as they
// are, also those that float64 does not hold. visit gets their sizes, and whether they are below 0.
func (h *HB) VisitWhole(visit func(i, j int, negative bool, size uint64) error) error {
	if reason := h.header.Field.noInteger(); reason != "" {
		return &Error{Name: h.o.Name, Line: 3, Col: 1, Reason: reason}
	}
	h.exact = true
	return h.each(func(i, j int, _, _ float64) error {
		v := h.whole
		if h.header.Field == Pattern {
			v = 1
		}
		switch {
		case h.header.Symmetry == Skew && h.mirrored && v < 0:
			return visit(i, j, false, -uint64(v))
		case h.header.Symmetry == Skew && h.mirrored:
			return visit(i, j, v > 0, uint64(v))
		case v < 0:
			return visit(i, j, true, -uint64(v))
		}
		return visit(i, j, false, uint64(v))
	})
}

func (h *HB) each(visit func(i, j int, re, im float64) error) error {
	if h.done {
		return errors.New("mtx: the entries of this HB were visited before; want a new HB")
	}
	h.done = true
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
		if err := visit(i, j, re, im); err != nil || !h.o.Expand || d.Symmetry == General || i == j {
			return err
		}
		re, im = d.mirror(re, im)
		h.mirrored = true
		err := visit(j, i, re, im)
		h.mirrored = false
		return err
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
		if h.whole = int64(v); reason == "" && h.header.Field == Integer && (v != math.Trunc(v) || math.Abs(v) >= 1<<63) {
			reason = quote(b) + " is no integer of 64 bits, as the type of the matrix has it; want the type R"
		}
		return v, reason
	}
	v, reason := intOf(b)
	h.whole = v
	if reason == "" && !h.exact && !h.o.Lenient && (float64(v) >= 1<<63 || int64(float64(v)) != v) {
		reason = quote(b) + " is an integer that float64 cannot hold; VisitWhole reads it, Options.Lenient lets it be rounded"
	}
	return float64(v), reason
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
