package cudatest

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout"
)

// matrices moves blocks of all strides to the device and back.
func matrices(t *T) {
	s := t.stream()
	const rows, cols = 7, 5
	host := func(rs, cs int) layout.Matrix[float32] {
		m := layout.Matrix[float32]{Data: make([]float32, (rows-1)*rs+(cols-1)*cs+1), Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
		for i := range rows {
			for j := range cols {
				m.Set(i, j, float32(10*i+j))
			}
		}
		return m
	}
	strides := [][2]int{{cols, 1}, {1, rows}, {8, 1}, {1, 9}, {2 * cols, 2}, {3, 3 * rows}}
	for _, d := range strides {
		for _, h := range strides {
			what := fmt.Sprintf("strides %v on the device, %v on the host", d, h)
			src := host(h[0], h[1])
			data, err := cuda.Make[float32](t.dev, (rows-1)*d[0]+(cols-1)*d[1]+3)
			t.must("Make", err)
			t.must("Zero", data.Zero(s))
			m := cuda.Matrix[float32]{Data: data.Slice(1, data.Len()-1), Rows: rows, Cols: cols, RowStride: d[0], ColStride: d[1]}
			t.must(what, m.Write(s, src))

			all, err := data.Download(s)
			t.must("Download", err)
			want := make([]float32, len(all))
			for i := range rows {
				for j := range cols {
					want[1+i*d[0]+j*d[1]] = src.At(i, j)
				}
			}
			if !slices.Equal(all, want) {
				t.Errorf("%s: the device has %v, want %v", what, all, want)
			}

			dst := host(h[0], h[1])
			clear(dst.Data)
			t.must(what, m.Read(s, dst))
			if !slices.Equal(dst.Data, src.Data) {
				t.Errorf("%s: back came %v, want %v", what, dst.Data, src.Data)
			}
			part, err := m.Slice(2, 5, 1, 3).T().To(s)
			t.must(what, err)
			if got := part.At(1, 2); part.Rows != 2 || part.Cols != 3 || got != src.At(4, 2) {
				t.Errorf("%s: a transposed part has %d x %d with %v, want 2 x 3 with %v", what, part.Rows, part.Cols, got, src.At(4, 2))
			}
			t.must("Free", m.Free())
		}
	}
}
