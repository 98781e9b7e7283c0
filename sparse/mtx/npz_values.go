package mtx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// npzValues are the elements of an array as they stand in the file.
type npzValues struct {
	npyHeader
	raw []byte
}

// fill reads the elements, as many as the header says.
func (v *npzValues) fill(src io.Reader) (string, error) {
	size := v.size()
	if v.n > math.MaxInt/size {
		return fmt.Sprintf("a shape of %v is more than an int counts", v.shape), nil
	}
	all := v.n * size
	for len(v.raw) < all {
		more := min(all-len(v.raw), 1<<16)
		v.raw = grow(v.raw, more, all)
		k, err := io.ReadFull(src, v.raw[len(v.raw):len(v.raw)+more])
		v.raw = v.raw[:len(v.raw)+k]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Sprintf("the array ends after %d of %d values", len(v.raw)/size, v.n), err
		} else if err != nil {
			return "", err
		}
	}
	var one [1]byte
	if k, err := io.ReadFull(src, one[:]); k > 0 {
		return fmt.Sprintf("the array goes on after its %d values", v.n), nil
	} else if !errors.Is(err, io.EOF) {
		return "", err // a checksum, say
	}
	return "", nil
}

// inOrder brings the elements of an array in Fortran's order, whose first index runs fastest, to C's.
func (v *npzValues) inOrder() {
	if !v.fortran || longDims(v.shape) < 2 || v.n == 0 {
		return
	}
	size, index := v.size(), make([]int, len(v.shape))
	raw := make([]byte, 0, len(v.raw))
	for range v.n {
		at, step := 0, size
		for d, i := range index {
			at += i * step
			step *= v.shape[d]
		}
		raw = append(raw, v.raw[at:at+size]...)
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.shape[d] {
				break
			}
			index[d] = 0
		}
	}
	v.raw, v.fortran = raw, false
}

// longDims counts dimensions of more than one element: with one of them both orders are
// the same.
func longDims(shape []int) (n int) {
	for _, d := range shape {
		if d > 1 {
			n++
		}
	}
	return n
}

// bits returns the bits of element k, of one that has at most 8 bytes.
func (v *npzValues) bits(k int) uint64 { return v.part(k*v.size(), min(v.size(), 8)) }

// part returns n bytes from at on as a number, n a power of two.
func (v *npzValues) part(at, n int) uint64 {
	var order binary.ByteOrder = binary.LittleEndian
	if v.bigEndian {
		order = binary.BigEndian
	}
	b := v.raw[at:]
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// integer returns element k of integers, less 2^64 of those that are 2^63 or more.
func (v *npzValues) integer(k int) int64 {
	if v.kind[0] != 'i' {
		return int64(v.bits(k))
	}
	unused := 64 - 8*v.size()
	return int64(v.bits(k)<<unused) >> unused
}

// at returns element k.
func (v *npzValues) at(k int) complex128 {
	switch v.kind {
	case "f4":
		return complex(float64(math.Float32frombits(uint32(v.bits(k)))), 0)
	case "f8":
		return complex(math.Float64frombits(v.bits(k)), 0)
	case "c8":
		f := func(at int) float64 { return float64(math.Float32frombits(uint32(v.part(at, 4)))) }
		return complex(f(8*k), f(8*k+4))
	case "c16":
		f := func(at int) float64 { return math.Float64frombits(v.part(at, 8)) }
		return complex(f(16*k), f(16*k+8))
	}
	if v.kind[0] == 'i' {
		return complex(float64(v.integer(k)), 0)
	}
	return complex(float64(v.bits(k)), 0)
}

// whole returns element k of integers or booleans.
func (v *npzValues) whole(k int) (negative bool, size uint64) {
	if v.kind[0] == 'i' && v.integer(k) < 0 {
		return true, -uint64(v.integer(k))
	}
	return false, v.bits(k)
}

// field returns what the values are.
func (v *npzValues) field() Field {
	switch v.kind[0] {
	case 'f':
		return Real
	case 'c':
		return Complex
	case 'u':
		return Unsigned
	}
	return Integer
}

// inexact returns the first value that float64 does not hold, -1 if it holds all.
func (v *npzValues) inexact() int {
	if v.kind != "i8" && v.kind != "u8" {
		return -1
	}
	for k := range v.n {
		x := v.bits(k)
		f := real(v.at(k))
		if v.kind == "u8" && (f >= 1<<64 || uint64(f) != x) || v.kind == "i8" && (f >= 1<<63 || int64(f) != int64(x)) {
			return k
		}
	}
	return -1
}
