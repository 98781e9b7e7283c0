package mtx

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// An NPYLayout says how WriteNPY writes; the zero value is what numpy.save does on
// most machines.
type NPYLayout struct {
	BigEndian bool
	Version2  bool // with four bytes for the length of the header
}

// WriteNPY writes a, after Check, in its order.
func WriteNPY[T Elem](w io.Writer, a NPY[T], l NPYLayout) error {
	if err := a.Check(); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, writeAhead)
	b.WriteString(npyStart(npyReads[T]()[0], a.Shape, a.Fortran, l))
	var order binary.AppendByteOrder = binary.LittleEndian
	if l.BigEndian {
		order = binary.BigEndian
	}
	var bytes [8]byte
	for _, v := range a.Data {
		b.Write(appendValue(bytes[:0], v, order))
	}
	return b.Flush() // which returns the first error of all
}

// appendValue appends the bytes of v.
func appendValue[T Elem](b []byte, v T, order binary.AppendByteOrder) []byte {
	switch v := any(v).(type) {
	case float32:
		return order.AppendUint32(b, math.Float32bits(v))
	case float64:
		return order.AppendUint64(b, math.Float64bits(v))
	case int32:
		return order.AppendUint32(b, uint32(v))
	case int64:
		return order.AppendUint64(b, uint64(v))
	}
	return b
}

// npyStart returns all that stands before the values: a multiple of 64 bytes.
func npyStart(kind string, shape []int, fortran bool, l NPYLayout) string {
	endian, order := "<", "False"
	if oneByte(kind) {
		endian = "|"
	} else if l.BigEndian {
		endian = ">"
	}
	if fortran {
		order = "True"
	}
	sizes := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		sizes += ","
	}
	sizes = "(" + sizes + ")"
	dict := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }", endian, kind, order, sizes)
	start := 10
	if l.Version2 {
		start = 12
	}
	dict += strings.Repeat(" ", 63-(start+len(dict))%64) + "\n"
	if l.Version2 {
		return npyMagic + "\x02\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(dict)))) + dict
	}
	return npyMagic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}
