package part

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

func TestWriteSVG(t *testing.T) {
	big := must[sparse.Matrix[float64]](t)(sample.RMAT[float64](20000, level.Of(20_000, 200_000, 200_000), .57, .19, .19, 1))
	for _, a := range []sparse.Matrix[float64]{
		grid(t, 4), big, pattern(t, 3, 7, []int32{0, 2}, []int32{6, 0}), pattern(t, 1, 1, nil, nil),
	} {
		for _, k := range []int{1, 3, 256} {
			if level.Of(k < 256 && a.Rows() > 1000, false, false) {
				continue
			}
			rows := must[Partition](t)(New(k, make([]int32, a.Rows())))
			cols := must[Partition](t)(New(k, make([]int32, a.Cols())))
			for i := range rows.part {
				rows.part[i] = int32(i % k)
			}
			for j := range cols.part {
				cols.part[j] = int32(j % k)
			}
			var out bytes.Buffer
			if err := WriteSVG(&out, a, rows, cols); err != nil {
				t.Fatal(err)
			}
			if out.Len() > 8<<20 {
				t.Errorf("%v in %d: %d bytes", a, k, out.Len())
			}
			d := xml.NewDecoder(&out)
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v in %d: %v", a, k, err)
				}
			}
		}
	}
}

// A 2 x 2 matrix of two parts, all four entries: two grey cells, one of each colour.
func TestWriteSVGColours(t *testing.T) {
	a := pattern(t, 2, 2, []int32{0, 0, 1, 1}, []int32{0, 1, 0, 1})
	p := must[Partition](t)(New(2, []int32{1, 0})) // row 1 comes first
	var out bytes.Buffer
	if err := WriteSVG(&out, a, p, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<path fill="#777" fill-opacity="1.00" d="M0.00 0.00h320.00v320.00h-320.00zM320.00 320.00h320.00v320.00h-320.00z"/>`,
		`<path fill="hsl(0 75% 45%)" fill-opacity="1.00" d="M0.00 320.00h320.00v320.00h-320.00z"/>`,
		`<path fill="hsl(137 75% 45%)" fill-opacity="1.00" d="M320.00 0.00h320.00v320.00h-320.00z"/>`,
		"2 x 2, 4 entries, 2 parts: 2 rows in 2 messages",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	if err := WriteSVG(&out, a, p, must[Partition](t)(New(3, []int32{0, 0}))); !errors.Is(err, sparse.ErrLength) {
		t.Errorf("partitions into 2 and 3: %v", err)
	}
	many := must[Partition](t)(New(257, []int32{0, 0}))
	if err := WriteSVG(&out, a, many, many); !errors.Is(err, sparse.ErrSize) {
		t.Errorf("257 parts: %v", err)
	}
}
