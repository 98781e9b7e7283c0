package sparse_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// FuzzFromCSR makes arrays of bytes. FromCSR and FromCSC refuse them with an *Error or
// make a matrix that keeps every promise, also in other formats.
func FuzzFromCSR(f *testing.F) {
	f.Add(int64(2), int64(3), []byte{0, 2, 3}, []byte{0, 2, 1}, uint8(0))
	f.Add(int64(2), int64(3), []byte{0, 3, 3}, []byte{2, 0, 2}, uint8(0))
	f.Add(int64(0), int64(0), []byte{0}, []byte{}, uint8(1))
	f.Add(int64(-1), int64(sparse.MaxDim), []byte{}, []byte{9}, uint8(2))
	f.Add(int64(3), int64(2), []byte{0, 255, 1, 2}, []byte{0, 1}, uint8(0))
	f.Add(int64(1), int64(1), []byte{0, 0, 0, 0, 0, 0, 0, 128, 1, 0, 0, 0, 0, 0, 0, 0}, []byte{0, 0, 0, 0, 1, 0, 0, 0}, uint8(8))
	f.Fuzz(func(t *testing.T, rows, cols int64, p, x []byte, width uint8) {
		if len(p) > 1<<10 || len(x) > 1<<12 || int64(int(rows)) != rows || int64(int(cols)) != cols {
			return
		}
		pointers, indices := integers(p, width), integers(x, width)
		v := make([]float32, len(indices))
		for k := range v {
			v[k] = float32(k - 3)
		}
		for _, from := range []func(int, int, []int64, []int64, []float32) (sparse.Matrix[float32], error){sparse.FromCSR[float32, int64], sparse.FromCSC[float32, int64]} {
			m, err := from(int(rows), int(cols), pointers, indices, v)
			if err != nil {
				if e := (*sparse.Error)(nil); !errors.As(err, &e) || e.Kind == nil || e.Where == "" || e.What == "" {
					t.Fatalf("%#v", err)
				}
				continue
			}
			if err := invariants(m); err != nil {
				t.Fatal(err)
			}
			if m.Cols() > 1<<12 || m.Rows() > 1<<12 {
				continue // transposing it takes memory
			}
			c := m.Canonical()
			if err := invariants(c); err != nil || !c.Equal(m) || !c.Transpose().Transpose().Equal(m) {
				t.Fatalf("%v: %v", m, err)
			}
			for _, f := range []format.Format{format.CSR, format.CSC, format.COO, format.DCSR, format.SELL(4, 8), format.BSR(3), format.DBSR(2), format.SRBCRS(2, 3), format.DIA, format.ELL(2)} {
				packed, err := format.Pack(m, f)
				if err != nil && !errors.Is(err, sparse.ErrFormat) {
					t.Fatal(err)
				}
				if err == nil && !packed.Matrix().Equal(m) {
					t.Fatalf("%v does not come back from %s", m, f.Name)
				}
			}
		}
	})
}

// integers reads bytes as integers of 1 byte, or of 8 if width says so; of 1, 255 is
// -1 and 254 far.
func integers(b []byte, width uint8) []int64 {
	var s []int64
	if width == 8 {
		for ; len(b) >= 8; b = b[8:] {
			s = append(s, int64(binary.LittleEndian.Uint64(b)))
		}
		return s
	}
	for _, v := range b {
		switch v {
		case 255:
			s = append(s, -1)
		case 254:
			s = append(s, math.MaxInt64)
		default:
			s = append(s, int64(v))
		}
	}
	return s
}
