package emit

import (
	"fmt"
	"strconv"
	"strings"
)

// Elem is the type of one lane.
type Elem uint8

// The element types. I1 is a truth value: a condition when scalar, a mask when
// a vector. Integers have no sign; operations do.
const (
	None Elem = iota
	I1
	I8
	I16
	I32
	I64
	F8E4M3
	F8E5M2
	F16
	BF16
	F32
	F64
)

var elems = [...]struct {
	name string
	bits int
}{
	None: {"none", 0}, I1: {"i1", 1}, I8: {"i8", 8}, I16: {"i16", 16}, I32: {"i32", 32}, I64: {"i64", 64},
	F8E4M3: {"e4m3", 8}, F8E5M2: {"e5m2", 8}, F16: {"f16", 16}, BF16: {"bf16", 16}, F32: {"f32", 32}, F64: {"f64", 64},
}

func (e Elem) String() string {
	if int(e) >= len(elems) {
		return fmt.Sprintf("elem(%d)", uint8(e))
	}
	return elems[e].name
}

// Bits returns the width of the element in bits.
func (e Elem) Bits() int { return elems[e].bits }

// Bytes returns the size of the element in memory, in bytes.
func (e Elem) Bytes() int { return (elems[e].bits + 7) / 8 }

// Float reports whether e is a floating-point type.
func (e Elem) Float() bool { return e >= F8E4M3 }

// Int reports whether e is an integer type; I1 is not.
func (e Elem) Int() bool { return I8 <= e && e <= I64 }

// Space is the address space of a pointer.
type Space uint8

// The address spaces. A CPU has only Generic.
const (
	Generic Space = iota
	Global
	Shared
)

var spaces = [...]string{"", "global", "shared"}

func (s Space) String() string {
	if int(s) >= len(spaces) {
		return fmt.Sprintf("space(%d)", uint8(s))
	}
	return spaces[s]
}

// Type is the type of a [Value]: a scalar, a vector, a fragment or a pointer.
// Types are comparable with ==.
type Type struct {
	Elem  Elem
	Lanes int // 1 for a scalar, more for a vector
	Regs  int // 0, or the number of registers (each Elem x Lanes) of a fragment
	// Async marks registers that an instruction still in flight may write: only
	// operations that declare it may take them, until one retires it.
	Async bool

	Ptr   bool // Elem is None and Lanes 1
	Space Space
	Align int // of a pointer: known alignment in bytes, 0 for unknown
}

// Scalar returns the type of one e.
func Scalar(e Elem) Type { return Type{Elem: e, Lanes: 1} }

// Vector returns the type of n lanes of e; n is 1 for a scalar.
func Vector(e Elem, n int) Type { return Type{Elem: e, Lanes: n} }

// Frag returns the type of a fragment: regs registers of t, handled as one value.
func Frag(t Type, regs int) Type { t.Regs = regs; return t }

// Pointer returns the type of an address in space with a known alignment in
// bytes, 0 if none is known.
func Pointer(space Space, align int) Type {
	return Type{Lanes: 1, Ptr: true, Space: space, Align: align}
}

// The types that builders write most.
var (
	Ptr    = Pointer(Generic, 0)
	Bool   = Scalar(I1)
	Int32  = Scalar(I32)
	Int64  = Scalar(I64)
	noType = Type{}
)

// Mask returns the type of a mask for vectors of t's shape.
func (t Type) Mask() Type { return Type{Elem: I1, Lanes: t.Lanes} }

// settled returns the type of t's registers when nothing in flight writes them:
// an instruction may tie a value to its async continuation.
func (t Type) settled() Type { t.Async = false; return t }

// Bits returns the width of one register of the type in bits.
func (t Type) Bits() int {
	if t.Ptr {
		return 64
	}
	return t.Elem.Bits() * t.Lanes
}

// Bytes returns how many bytes of memory one register of the type occupies.
func (t Type) Bytes() int {
	if t.Ptr {
		return 8
	}
	return t.Elem.Bytes() * t.Lanes
}

// maxLanes is the most lanes that a type may have over all its registers.
const maxLanes = 1 << 16

// words is the number of lanes over all registers.
func (t Type) words() int { return t.Lanes * max(t.Regs, 1) }

// String returns the text form, the inverse of parseType: "f32", "f32x16",
// "f32x1*128" for a fragment, "async f32x1*128", "ptr", "ptr.shared.16".
func (t Type) String() string {
	if t == noType {
		return "none"
	}
	if t.Ptr {
		s := "ptr"
		if t.Space != Generic || t.Align != 0 {
			s += "." + t.Space.String()
		}
		if t.Align != 0 {
			s += "." + strconv.Itoa(t.Align)
		}
		return s
	}
	s := t.Elem.String()
	if t.Lanes != 1 || t.Regs > 0 {
		s += "x" + strconv.Itoa(t.Lanes)
	}
	if t.Regs > 0 {
		s += "*" + strconv.Itoa(t.Regs)
	}
	if t.Async {
		s = "async " + s
	}
	return s
}

// parseType reads the text form of a type.
func parseType(s string) (Type, error) {
	bad := fmt.Errorf("emit: %q is not a type; types look like f32, f32x16, i1x16, f32x1*128, ptr.shared.16", s)
	var t Type
	rest, async := strings.CutPrefix(s, "async ")
	t.Async, t.Lanes = async, 1
	if p, ok := strings.CutPrefix(rest, "ptr"); ok {
		t.Ptr = true
		f := strings.Split(p, ".")
		if f[0] != "" || len(f) > 3 || async {
			return noType, bad
		}
		if len(f) > 1 {
			i := indexOf(spaces[:], f[1])
			if i < 0 {
				return noType, bad
			}
			t.Space = Space(i)
		}
		if len(f) > 2 {
			n, err := strconv.Atoi(f[2])
			if err != nil || n < 1 || n&(n-1) != 0 {
				return noType, bad
			}
			t.Align = n
		}
		return t, nil
	}
	rest, regs, hasRegs := strings.Cut(rest, "*")
	name, lanes, hasLanes := strings.Cut(rest, "x")
	for e := I1; e <= F64; e++ {
		if e.String() == name {
			t.Elem = e
		}
	}
	var err error
	if hasLanes {
		t.Lanes, err = strconv.Atoi(lanes)
	}
	if err == nil && hasRegs {
		t.Regs, err = strconv.Atoi(regs)
		if t.Regs < 1 {
			return noType, bad
		}
	}
	if err != nil || t.Elem == None || t.Lanes < 1 || max(t.Lanes, t.Regs) > maxLanes || t.words() > maxLanes {
		return noType, bad
	}
	return t, nil
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}
