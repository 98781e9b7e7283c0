package neon

import (
	"fmt"
	"math"
	"strings"
)

// A field is where one number of the operands goes, and which numbers are legal.
type field struct {
	what      string // in errors: register, lane, shift, immediate, offset
	kind      kind
	at        []int // the places of its bits in the word, from the lowest
	copyAt    int   // another place of the whole, if not 0
	low, high int64
	scale     int64  // the number is a multiple of it
	base      int64  // the number of which the bits are 0
	down      bool   // bits count down from base, as for shifts to the right
	exact     string // of the kind literal
}

type kind uint8

const (
	plain   kind = iota // low to high
	general             // x0 to x30 and xzr, or w0 to w30 and wzr
	base                // x0 to x30 and sp
	next                // the register that is high after the first of a list
	other               // not the first register: LDP of one register twice is unpredictable
	literal             // one number only: low, which errors show as exact
	float               // imm8 of FMOV
	mask                // 64 bits, of which each byte is 0 or 255
)

// encode returns the bits of a value, given those before it.
func (f *field) encode(v value, before []value) (uint32, error) {
	n, err := f.number(v, before)
	if err != nil {
		return 0, err
	}
	var bits uint32
	for i, at := range f.at {
		bits |= uint32(n>>i&1) << at
	}
	if f.copyAt != 0 {
		bits |= uint32(n) << f.copyAt
	}
	return bits, nil
}

// number returns what the bits of the field hold.
func (f *field) number(v value, before []value) (int64, error) {
	switch f.kind {
	case next:
		if first := before[len(before)-int(f.high)].n; v.n != (first+f.high)%32 {
			return 0, fmt.Errorf("register %.20s does not follow the one before it in the list", v.text)
		}
		return 0, nil
	case other:
		if v.n == before[0].n {
			return 0, fmt.Errorf("register %.20s is loaded twice", v.text)
		}
	case literal:
		if v.n != f.low || v.float != 0 || math.Signbit(v.float) { // the one float is 0
			return 0, fmt.Errorf("%.40s has to be %s here", v.text, f.exact)
		}
		return 0, nil
	case general, base:
		named := strings.HasSuffix(v.text, "zr") && f.kind == general || v.text == "sp" && f.kind == base
		if other := v.text == "sp" || strings.HasSuffix(v.text, "zr"); named || !other && v.n < 31 {
			return v.n, nil
		}
		if f.kind == base {
			return 0, fmt.Errorf("register %.20s is not in x0 to x30 and sp", v.text)
		}
		return 0, fmt.Errorf("register %.20s is not in 0 to 30 and zr", v.text)
	case float:
		if n, ok := imm8(v.float); ok {
			return n, nil
		}
		return 0, fmt.Errorf("immediate %.40s is not n/16*2^r with n in 16 to 31 and r in -3 to 4", v.text)
	case mask:
		n := int64(0)
		for i := range 8 {
			b := v.mask >> (8 * i) & 0xff
			if b != 0 && b != 0xff {
				return 0, fmt.Errorf("immediate %.40s has a byte other than 0 and 0xff", v.text)
			}
			n |= int64(b&1) << i
		}
		return n, nil
	}
	switch {
	case v.n < f.low || v.n > f.high:
		return 0, fmt.Errorf("%s %.40s is not in %d to %d", f.what, v.text, f.low, f.high)
	case v.n%f.scale != 0:
		return 0, fmt.Errorf("%s %.40s is no multiple of %d", f.what, v.text, f.scale)
	case f.down:
		return f.base - v.n, nil
	}
	return (v.n - f.base) / f.scale, nil
}

// imm8 returns the 8 bits of a float that FMOV holds: a sign, 3 bits of exponent, of which
// the first is inverted, and 4 of fraction. DDI 0487, VFPExpandImm.
func imm8(x float64) (n int64, ok bool) {
	fraction, exponent := math.Frexp(math.Abs(x))
	sixteenths, e := fraction*32, int64(exponent)+2
	if sixteenths != math.Trunc(sixteenths) || sixteenths < 16 || e < 0 || e > 7 {
		return 0, false
	}
	n = (e^4)<<4 | (int64(sixteenths) - 16)
	if math.Signbit(x) {
		n |= 1 << 7
	}
	return n, true
}
