package mtx

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// WriteNPZ writes a csr matrix as scipy.sparse.save_npz does, for scipy.sparse.load_npz:
// rows+1 pointers from 0 to the number of values, and the columns of these. The same
// matrix gives the same bytes.
func WriteNPZ[T Number](w io.Writer, rows, cols int, rowPtr, colIdx []int32, values []T) error {
	if rows < 0 || cols < 0 || len(rowPtr) != rows+1 || len(colIdx) != len(values) || int(rowPtr[rows]) != len(values) {
		return fmt.Errorf("mtx.WriteNPZ: a matrix of %d x %d with %d pointers, %d columns and %d values; want one pointer more than rows, the last of which counts columns and values",
			rows, cols, len(rowPtr), len(colIdx), len(values))
	}
	if rowPtr[0] != 0 || !slices.IsSorted(rowPtr) {
		return fmt.Errorf("mtx.WriteNPZ: pointers from %d to %d; want them from 0 on, never less than the one before", rowPtr[0], rowPtr[rows])
	}
	for k, j := range colIdx {
		if j < 0 || int(j) >= cols {
			return fmt.Errorf("mtx.WriteNPZ: column %d of value %d; want 0 to %d", j, k, cols-1)
		}
	}
	z := zip.NewWriter(w)
	if err := part(z, "indices", NPY[int32]{Shape: []int{len(colIdx)}, Data: colIdx}); err != nil {
		return err
	}
	if err := part(z, "indptr", NPY[int32]{Shape: []int{len(rowPtr)}, Data: rowPtr}); err != nil {
		return err
	}
	f, err := z.Create("format.npy")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, npyStart("S3", nil, false, NPYLayout{})+"csr"); err != nil {
		return err
	}
	if err := part(z, "shape", NPY[int64]{Shape: []int{2}, Data: []int64{int64(rows), int64(cols)}}); err != nil {
		return err
	}
	if f, err = z.Create("data.npy"); err != nil {
		return err
	}
	if err := writeNumbers(f, values); err != nil {
		return err
	}
	return z.Close()
}

// A Number is a type of values of a sparse matrix.
type Number interface {
	float32 | float64 | complex64 | complex128 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool
}

// kindOf returns what NumPy calls a type: of bool b1.
func kindOf[T Number]() string {
	t := reflect.TypeFor[T]()
	return fmt.Sprintf("%c%d", t.Kind().String()[0], t.Size())
}

// writeNumbers writes an array of one dimension.
func writeNumbers[T Number](w io.Writer, values []T) error {
	b := append(make([]byte, 0, writeAhead), npyStart(kindOf[T](), []int{len(values)}, false, NPYLayout{})...)
	const most = writeAhead / 16 // values at a time
	for {
		n := min(len(values), most)
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, values[:n]); err != nil {
			return err
		}
		if _, err = w.Write(b); err != nil || n == len(values) {
			return err
		}
		b, values = b[:0], values[n:]
	}
}

func part[T Elem](z *zip.Writer, name string, a NPY[T]) error {
	f, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	return WriteNPY(f, a, NPYLayout{})
}
