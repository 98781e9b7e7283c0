package emit

import (
	"math"
	"slices"
)

// The rows of the op table that change the type of lanes, and the integer and
// rounding operations that elementwise functions are made of.

func init() {
	def(Def{Name: "bitcast", Doc: "the same bits as another type of the same width", Type: typeBitcast,
		Lane: func(_ Elem, _ *Attr, x []uint64) uint64 { return x[0] }})
	def(Def{Name: "recast", Doc: "the same bits as more or fewer lanes of another width, the lowest bits first", Type: typeRecast})
	def(Def{Name: "cvt", Type: typeCvt, Convert: convert,
		Doc: "the number in another type, rounded as name says: rne, or trunc from float to int; " +
			"a NaN stays one, quiet; what an int cannot hold becomes its least number"})
	def(Def{Name: "round", Doc: "the integer that name says: floor, ceil, trunc, or rne, ties to even; it keeps the sign of zero", Type: typeRound,
		Lane: func(e Elem, a *Attr, x []uint64) uint64 {
			return floatOp(e, x, func(v []float64) float64 { return roundings[a.Name](v[0]) })
		}})

	def(Def{Name: "sext", Doc: "an integer widened with its sign", Type: typeResize,
		Lane: func(e Elem, _ *Attr, x []uint64) uint64 { return uint64(signed(e, x[0])) }})
	def(Def{Name: "sat", Type: typeSat, Convert: saturate,
		Doc: "a signed integer narrowed to the nearest number of the result: signed if name is s, without sign if it is u"})

	ints := func(name, doc string, f func(e Elem, x, y uint64) uint64) {
		def(Def{Name: name, Doc: doc, Type: lanewiseNumber, Lane: func(e Elem, _ *Attr, x []uint64) uint64 {
			return truncate(e, f(e, x[0], x[1]))
		}})
	}
	ints("sar", "x >> y, copies of the sign come in; y below the width", func(e Elem, x, y uint64) uint64 {
		return uint64(signed(e, x) >> y)
	})
	ints("imin", "the lesser of two signed integers", func(e Elem, x, y uint64) uint64 {
		return uint64(min(signed(e, x), signed(e, y)))
	})
	ints("imax", "the greater of two signed integers", func(e Elem, x, y uint64) uint64 {
		return uint64(max(signed(e, x), signed(e, y)))
	})
}

// lanewiseNumber is the rule of an operation on two integers that are not truth values.
func lanewiseNumber(op *Op) error {
	if err := sameTypes(op, 2); err != nil {
		return err
	}
	return want(op.Results[0].Type.Elem.Int(), "is not defined on %v", op.Results[0].Type)
}

// changes returns the types of a lanewise operation's one operand and its result,
// which has as many lanes.
func changes(op *Op) (from, to Type, err error) {
	if len(op.Args) != 1 || len(op.Results) != 1 {
		return from, to, want(false, "takes one operand and gives one result")
	}
	from, to = op.Args[0].Type, op.Results[0].Type
	plain := func(t Type) bool { return !t.Ptr && !t.Async && t.Regs == 0 && t.Elem != I1 }
	return from, to, want(plain(from) && plain(to) && from.Lanes == to.Lanes, "cannot make %v of %v", to, from)
}

func typeBitcast(op *Op) error {
	from, to, err := changes(op)
	if err != nil {
		return err
	}
	return want(from.Elem.Bits() == to.Elem.Bits(), "cannot make %v of the bits of %v", to, from)
}

func typeRecast(op *Op) error {
	if len(op.Args) != 1 || len(op.Results) != 1 {
		return want(false, "takes one operand and gives one result")
	}
	from, to := op.Args[0].Type, op.Results[0].Type
	plain := func(t Type) bool { return !t.Ptr && !t.Async && t.Regs == 0 && t.Elem != I1 && t.Lanes > 1 }
	return want(plain(from) && plain(to) && from.Bits() == to.Bits(), "cannot make %v of the bits of %v", to, from)
}

func typeCvt(op *Op) error {
	from, to, err := changes(op)
	if err != nil {
		return err
	}
	full := func(e Elem) bool { return e == F32 || e == F64 }
	f, t, modes := from.Elem, to.Elem, []string{"rne"}
	switch {
	case f.Float() && t.Float() && f != t:
	case f.Int() && full(t):
	case full(f) && (t == I32 || t == I64):
		modes = []string{"rne", "trunc"}
	default:
		return want(false, "cannot convert %v to %v", from, to)
	}
	return want(slices.Contains(modes, op.Attr.Name), "rounding %q is not one of %v for %v to %v", op.Attr.Name, modes, from, to)
}

// convert is the meaning of cvt.
func convert(from, to Elem, a *Attr, x uint64) uint64 {
	switch {
	case to.Float() && from.Float():
		return to.Encode(from.Decode(x))
	case to == F32: // from an integer of up to 64 bits: rounded once
		return uint64(math.Float32bits(float32(signed(from, x))))
	case to == F64:
		return math.Float64bits(float64(signed(from, x)))
	}
	v := roundings[a.Name](from.Decode(x))
	if limit := math.Ldexp(1, to.Bits()-1); !(v >= -limit && v < limit) {
		return 1 << (to.Bits() - 1) // the "integer indefinite" of x86
	}
	return truncate(to, uint64(int64(v)))
}

var roundings = map[string]func(float64) float64{
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "rne": math.RoundToEven,
}

func typeRound(op *Op) error {
	if err := sameTypes(op, 1); err != nil {
		return err
	}
	t := op.Results[0].Type
	if t.Elem != F32 && t.Elem != F64 {
		return want(false, "is not defined on %v", t)
	}
	return want(roundings[op.Attr.Name] != nil, "rounding %q is not one of [floor ceil trunc rne]", op.Attr.Name)
}

func typeSat(op *Op) error {
	if err := typeResize(op); err != nil {
		return err
	}
	return want(op.Attr.Name == "s" || op.Attr.Name == "u", "saturation %q is not one of [s u]", op.Attr.Name)
}

// saturate is the meaning of sat.
func saturate(from, to Elem, a *Attr, x uint64) uint64 {
	lo, hi := int64(0), int64(1)<<to.Bits()-1
	if a.Name == "s" {
		lo, hi = -1<<(to.Bits()-1), 1<<(to.Bits()-1)-1
	}
	return truncate(to, uint64(min(max(signed(from, x), lo), hi)))
}

// meaning returns what op does to its operands' lanes, or nil if it is not
// lanewise.
func (op *Op) meaning() func(x []uint64) uint64 {
	switch d := op.Def; {
	case d.Lane != nil && len(op.Args) > 0:
		e := op.Args[0].Type.Elem
		return func(x []uint64) uint64 { return d.Lane(e, &op.Attr, x) }
	case d.Convert != nil:
		from, to := op.Args[0].Type.Elem, op.Results[0].Type.Elem
		return func(x []uint64) uint64 { return d.Convert(from, to, &op.Attr, x[0]) }
	}
	return nil
}
