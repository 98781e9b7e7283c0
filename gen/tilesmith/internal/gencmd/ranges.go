package gencmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/ranges"
)

// rangeOf reads the range of an operand of type t, as in 0.001..1. An end that is left out leaves its side open.
func rangeOf(s string, t dtype.Type) (r ranges.Range, err error) {
	low, high, ok := strings.Cut(s, "..")
	if !ok {
		return r, fmt.Errorf("%q is not a range; write LOW..HIGH, as in 0.001..1, or 0.. for one without an upper end", s)
	}
	if r.Low, err = endOf(low, t, math.Inf(-1)); err != nil {
		return r, err
	}
	if r.High, err = endOf(high, t, math.Inf(1)); err != nil {
		return r, err
	}
	if err := r.Check(); err != nil {
		return r, fmt.Errorf("the range is %s: %w", s, err)
	}
	return r, nil
}

// endOf reads an end and rounds it to the type, as Go rounds a constant.
func endOf(s string, t dtype.Type, open float64) (float64, error) {
	if t.Complex() {
		return 0, fmt.Errorf("numbers of %v have no order, so they have no range; leave it out", t)
	}
	e := gemm.ElemOf(t)
	if s == "" && t.Integer() { // the least or the greatest
		bits := float64(e.Bits())
		switch {
		case t == dtype.U8 && open < 0:
			return 0, nil
		case t == dtype.U8:
			return math.Exp2(bits) - 1, nil
		case open < 0:
			return -math.Exp2(bits - 1), nil
		}
		return math.Exp2(bits-1) - 1, nil
	}
	x := open
	if s != "" {
		var err error
		if x, err = strconv.ParseFloat(s, 64); err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return 0, fmt.Errorf("%q is no number; write an end as in 0.001, or leave it out", s)
		}
	}
	if t.Integer() {
		least, _ := endOf("", t, math.Inf(-1))
		most, _ := endOf("", t, math.Inf(1))
		if x != math.Trunc(x) || x < least || x > most {
			return 0, fmt.Errorf("%s is no number of %v; want an integer from %.0f to %.0f", s, t, least, most)
		}
		return x, nil
	}
	rounded := e.Decode(e.Encode(x))
	if s != "" && rounded-rounded != 0 || s == "" && rounded != open {
		return 0, fmt.Errorf("the end %q is beyond the numbers of %v; write one of them", s, t)
	}
	return rounded, nil
}

// rangeFlag is the range of an operand as a flag has it, "" if it has none.
func rangeFlag(in gemm.Input) string {
	if in.Range == nil {
		return ""
	}
	end := func(x float64) string {
		bits := 32
		if in.Type == dtype.F64 || in.Type.Integer() {
			bits = 64
		}
		if math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, bits)
	}
	return ":" + end(in.Range.Low) + ".." + end(in.Range.High)
}

// rangeText is the range of an operand as a spec has it, "" if it has none.
func rangeText(in gemm.Input) string {
	if in.Range == nil {
		return ""
	}
	end := func(x float64) string {
		switch {
		case math.IsInf(x, 0):
			return unit.Typed(in.Type.Go(), fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, x))))
		case in.Type.Integer():
			return strconv.FormatFloat(x, 'f', 0, 64)
		}
		return unit.Typed(in.Type.Go(), "float64("+strconv.FormatFloat(x, 'g', -1, 64)+")")
	}
	return fmt.Sprintf(".Within(%s, %s)", end(in.Range.Low), end(in.Range.High))
}
