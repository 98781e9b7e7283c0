package mtx

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// An npzArchive reads the arrays of a file.
type npzArchive struct {
	zip *zip.Reader
	o   Options
	src source // of all arrays in turn: their sizes in the directory may lie, and their bytes be the same
}

func (a *npzArchive) fail(name, reason string) *Error {
	return &Error{Name: a.o.Name, Part: name + ".npy", Reason: reason}
}

func (a *npzArchive) limit(name, reason string) *Error {
	e := a.fail(name, reason)
	e.Err = ErrLimit
	return e
}

// npzValues are the elements of an array as they stand in the file.
type npzValues struct {
	npyHeader
	raw []byte
}

// array reads one.
func (a *npzArchive) array(name string, wants npyWants) (v npzValues, err error) {
	var f *zip.File
	for _, e := range a.zip.File {
		if e.Name == name+".npy" && f != nil {
			return v, a.fail(name, "it is there twice; want it once")
		} else if e.Name == name+".npy" {
			f = e
		}
	}
	if f == nil {
		return v, a.fail(name, "it is missing; want what scipy.sparse.save_npz writes")
	}
	in, err := f.Open()
	if err != nil {
		return v, a.fail(name, err.Error())
	}
	defer in.Close()
	src := &a.src
	src.r = in
	h, at, reason, err := readNPYHeader(src, a.o, wants)
	v.npyHeader = h
	if reason == "" && err == nil {
		if h.fortran && len(h.shape) > 1 && min(h.shape[0], h.shape[1]) > 1 {
			reason = "it is in Fortran's order; want C's"
		} else {
			reason, err = v.fill(src)
		}
	}
	if reason == "" && err == nil {
		return v, nil
	}
	if reason == "" {
		reason = readError(err)
	}
	e := a.fail(name, reason)
	e.Offset, e.Err = at, err
	return v, e
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

// text reads an array of one text.
func (a *npzArchive) text(name string) (string, error) {
	v, err := a.array(name, npyWants{[]string{"S3", "U3"}, 0, 0})
	if err != nil {
		return "", err
	}
	s := make([]byte, 3)
	for k := range s {
		width := v.size() / len(s)
		c := v.part(k*width, width)
		if c < ' ' || c > '~' {
			return "", a.fail(name, "it is no text")
		}
		s[k] = byte(c)
	}
	return string(s), nil
}

// ints reads an array of integers from lo to hi.
func (a *npzArchive) ints(name string, lo, hi int) ([]int, error) {
	v, err := a.array(name, npyWants{npzInts, 1, 1})
	if err != nil {
		return nil, err
	}
	list := make([]int, v.n)
	for k := range list {
		x := v.integer(k)
		if x < int64(lo) || x > int64(hi) {
			return nil, a.fail(name, fmt.Sprintf("number %d is %d; want %d to %d", k, x, lo, hi))
		}
		list[k] = int(x)
	}
	return list, nil
}

// values reads an array of numbers.
func (a *npzArchive) values(name string, least, most int) (npzValues, error) {
	return a.array(name, npyWants{npzNumbers, least, most})
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

// integer returns element k of signed integers.
func (v *npzValues) integer(k int) int64 {
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
