package emit

import (
	"fmt"
	"math"
	"slices"
)

// Def is one row of the op table: what an operation is called, which types it
// takes and gives, and what it means.
type Def struct {
	Name string
	Doc  string
	Mem  Effect
	// Type returns why the operands do not fit, or nil. Results are already set.
	Type func(op *Op) error
	// Lane is the meaning of a lanewise operation on the lanes' bit patterns. e is the
	// element type of the first operand, x the operands' lanes. Operations with a meaning
	// of another form are executed by name in exec.go.
	Lane func(e Elem, a *Attr, x []uint64) uint64
	// Convert is the meaning of a lanewise operation on one operand that depends on
	// both element types, the operand's and the result's.
	Convert func(from, to Elem, a *Attr, x uint64) uint64
	// Sync and the rest of the properties of an instruction come from Op.Inst.
}

// Lookup returns the row called name, or nil.
func Lookup(name string) *Def { return ops[name] }

// OpNames returns the names of all rows in order.
func OpNames() []string {
	var names []string
	for n := range ops {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

var ops = map[string]*Def{}

func def(d Def) { ops[d.Name] = &d }

func init() {
	// Constants and arguments.
	def(Def{Name: "const", Doc: "imm or f as a scalar, or in every lane", Type: typeConst})
	def(Def{Name: "param", Doc: "field name of the argument block; a vector result repeats a scalar field", Type: nil})
	def(Def{Name: "sreg", Doc: "special register name, the same over level threads", Type: typeSreg})

	// Arithmetic: lanewise, on scalars and vectors alike.
	arith := func(name, doc string, n int, float bool, f func(a *Attr, e Elem, x []uint64) uint64) {
		def(Def{Name: name, Doc: doc, Type: lanewise(n, float), Lane: func(e Elem, a *Attr, x []uint64) uint64 { return f(a, e, x) }})
	}
	both := func(name, doc string, fi func(x, y uint64) uint64, ff func(x, y float64) float64) {
		def(Def{Name: name, Doc: doc, Type: lanewiseAny(2), Lane: func(e Elem, _ *Attr, x []uint64) uint64 {
			if e.Float() {
				return floatOp(e, x, func(v []float64) float64 { return ff(v[0], v[1]) })
			}
			return truncate(e, fi(x[0], x[1]))
		}})
	}
	both("add", "x + y", func(x, y uint64) uint64 { return x + y }, func(x, y float64) float64 { return x + y })
	both("sub", "x - y", func(x, y uint64) uint64 { return x - y }, func(x, y float64) float64 { return x - y })
	both("mul", "x * y", func(x, y uint64) uint64 { return x * y }, func(x, y float64) float64 { return x * y })
	arith("fma", "x + y*z, rounded once: the accumulator comes first", 3, true, func(_ *Attr, e Elem, x []uint64) uint64 {
		return e.MulAdd(x[1], x[2], x[0])
	})
	arith("div", "x / y", 2, true, func(_ *Attr, e Elem, x []uint64) uint64 {
		return floatOp(e, x, func(v []float64) float64 { return v[0] / v[1] })
	})
	arith("sqrt", "the square root", 1, true, func(_ *Attr, e Elem, x []uint64) uint64 {
		return floatOp(e, x, func(v []float64) float64 { return math.Sqrt(v[0]) })
	})
	// As VMAXPS and VMINPS: one operand as it is, never a new NaN.
	arith("max", "x if x > y, else y: so y if one is NaN, and if both are zeros", 2, true, func(_ *Attr, e Elem, x []uint64) uint64 {
		if compare(e, "gt", x[0], x[1]) == 1 {
			return x[0]
		}
		return x[1]
	})
	arith("min", "x if x < y, else y: so y if one is NaN, and if both are zeros", 2, true, func(_ *Attr, e Elem, x []uint64) uint64 {
		if compare(e, "lt", x[0], x[1]) == 1 {
			return x[0]
		}
		return x[1]
	})
	bit := func(name, doc string, f func(e Elem, x, y uint64) uint64) {
		def(Def{Name: name, Doc: doc, Type: lanewiseInt(2), Lane: func(e Elem, _ *Attr, x []uint64) uint64 {
			return truncate(e, f(e, x[0], x[1]))
		}})
	}
	bit("and", "bitwise and", func(_ Elem, x, y uint64) uint64 { return x & y })
	bit("or", "bitwise or", func(_ Elem, x, y uint64) uint64 { return x | y })
	bit("xor", "bitwise exclusive or", func(_ Elem, x, y uint64) uint64 { return x ^ y })
	bit("shl", "x << y; y below the width", func(_ Elem, x, y uint64) uint64 { return x << y })
	bit("shr", "x >> y, zeros come in; y below the width", func(_ Elem, x, y uint64) uint64 { return x >> y })
	bit("udiv", "x / y without sign; y is not 0", func(_ Elem, x, y uint64) uint64 { return x / max(y, 1) })
	bit("urem", "x mod y without sign; y is not 0", func(_ Elem, x, y uint64) uint64 { return x % max(y, 1) })
	def(Def{Name: "cmp", Doc: "name of (x, y): eq ne lt le gt ge, signed for integers", Type: typeCmp,
		Lane: func(e Elem, a *Attr, x []uint64) uint64 { return compare(e, a.Name, x[0], x[1]) }})
	def(Def{Name: "select", Doc: "x where the mask is set, else y", Type: typeSelect,
		Lane: func(_ Elem, _ *Attr, x []uint64) uint64 {
			if x[0] != 0 {
				return x[1]
			}
			return x[2]
		}})
	def(Def{Name: "trunc", Doc: "the low bits of an integer", Type: typeResize,
		Lane: func(_ Elem, _ *Attr, x []uint64) uint64 { return x[0] }})
	def(Def{Name: "zext", Doc: "an integer widened with zeros", Type: typeResize,
		Lane: func(_ Elem, _ *Attr, x []uint64) uint64 { return x[0] }})

	// Vectors and masks.
	def(Def{Name: "splat", Doc: "a scalar in every lane", Type: typeSplat})
	def(Def{Name: "shuffle", Doc: "lane i is lane perm[i] of x, or of y counted on from x's end", Type: typeShuffle})
	def(Def{Name: "pack", Doc: "a fragment of the operands, one register each", Type: typePack})
	def(Def{Name: "unpack", Doc: "the registers of a fragment, one result each", Type: typeUnpack})
	def(Def{Name: "maskn", Doc: "a mask with the first n lanes set; 0 <= n <= lanes", Type: typeMaskN})

	// Memory: address is pointer [+ index*scale] + off bytes.
	def(Def{Name: "addp", Doc: "pointer + integer bytes", Type: typeAddp})
	def(Def{Name: "load", Doc: "load a scalar or vector (hint imm 1: the cvt or zext that follows widens it, and nothing else reads it)", Mem: Reads, Type: typeAccess(0)})
	def(Def{Name: "loadm", Doc: "load the lanes of a mask, zero elsewhere; other lanes are not touched", Mem: Reads, Type: typeAccess(1)})
	def(Def{Name: "loadb", Doc: "load one element into every lane (hint imm 1: it is a factor of the fma that follows, and nothing else)", Mem: Reads, Type: typeAccess(0)})
	def(Def{Name: "store", Doc: "store a scalar or vector", Mem: Writes, Type: typeAccess(1)})
	def(Def{Name: "storem", Doc: "store the lanes of a mask; other lanes are not touched", Mem: Writes, Type: typeAccess(2)})
	def(Def{Name: "prefetch", Doc: "hint: the line will be read (imm 0 L1, 1 L2); never faults", Mem: Writes, Type: typeAccess(0)})

	// Control.
	def(Def{Name: "for", Doc: "(lo, hi, step, inits...): block(i, carried...) while i < hi, signed; results are the carried values", Mem: Writes, Type: typeFor})
	def(Def{Name: "while", Doc: "(inits...): block 0 yields a condition and values; while it holds block 1 takes them and yields new inits", Mem: Writes, Type: typeWhile})
	def(Def{Name: "if", Doc: "(cond): block 0 or block 1; results are what it yields", Mem: Writes, Type: typeIf})
	def(Def{Name: "yield", Doc: "ends a block", Mem: Writes, Type: nil})
	def(Def{Name: "inst", Doc: "the machine instruction", Type: typeInst})
	def(Def{Name: "apply", Doc: "the Go function name, lane by lane", Type: typeApply})
	def(Def{Name: "copy", Doc: "the operand, in a register of its own", Type: func(op *Op) error {
		return want(len(op.Args) == 1 && len(op.Results) == 1 && op.Args[0].Type == op.Results[0].Type, "takes and gives one value of one type")
	}})
}

// effect returns how op touches memory.
func (op *Op) effect() Effect {
	if op.Inst != nil {
		return op.Inst.Mem
	}
	return op.Def.Mem
}

// Pure reports whether op touches no memory and owns no blocks, so that it may be
// dropped when its results are not used.
func (op *Op) Pure() bool { return op.effect() == Pure && len(op.Blocks) == 0 }

// Address returns the operands that form the address of a memory operation: the
// pointer and the index, which is nil if there is none.
func (op *Op) Address() (ptr, index *Value) {
	n := 0
	switch op.Def.Name {
	case "load", "loadb", "prefetch":
	case "loadm", "store":
		n = 1
	case "storem":
		n = 2
	default:
		return nil, nil
	}
	if len(op.Args) <= n {
		return nil, nil
	}
	if len(op.Args) > n+1 {
		index = op.Args[n+1]
	}
	return op.Args[n], index
}

func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
