package guard

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The canaries are signalling NaNs. A value computed from one is a quiet NaN, so the
// check also finds a kernel that writes back what it made of a canary. Types without a
// NaN have bits that a sum seldom has.
const (
	canary8    = 0xa5
	canary16   = 0xa55a
	canaryBF16 = 0x7fa5
	canaryF16  = 0x7d5a
	canary32   = 0x7fa5_5a5a
	canary64   = 0x7ff5_5aa5_5a5a_a5a5
)

// Canary is one canary of T as memory has it.
func Canary[T dtype.Elem]() []byte {
	e := binary.NativeEndian
	switch t := dtype.Of[T](); {
	case t == dtype.TypeBF16:
		return e.AppendUint16(nil, canaryBF16)
	case t == dtype.TypeF16:
		return e.AppendUint16(nil, canaryF16)
	case t == dtype.C64:
		return e.AppendUint32(e.AppendUint32(nil, canary32), canary32)
	case t == dtype.C128:
		return e.AppendUint64(e.AppendUint64(nil, canary64), canary64)
	case t.Size() == 8:
		return e.AppendUint64(nil, canary64)
	case t.Size() == 4:
		return e.AppendUint32(nil, canary32)
	case t.Size() == 2:
		return e.AppendUint16(nil, canary16)
	}
	return []byte{canary8}
}

// Paint fills s with canaries, as bytes: a conversion would quieten the NaN.
func Paint[T dtype.Elem](s []T) {
	b := Bytes(s)
	for n := copy(b, Canary[T]()); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// Unpainted returns the index of the first element of s that is not a canary, or
// -1.
func Unpainted[T dtype.Elem](s []T) int {
	b, canary := Bytes(s), Canary[T]()
	n := len(canary)
	if len(b) == 0 || bytes.Equal(b[:n], canary) && bytes.Equal(b[n:], b[:len(b)-n]) {
		return -1
	}
	for i := range s {
		if !bytes.Equal(b[i*n:][:n], canary) {
			return i
		}
	}
	return -1
}

// Bytes returns the memory of a slice.
func Bytes[T dtype.Elem](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
