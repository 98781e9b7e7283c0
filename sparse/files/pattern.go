package files

import (
	"io"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadPattern reads which elements a file stores. The file is of the kind pattern, or of any other that
// [Read] takes. ReadPattern keeps no value of the file, so they may be 0, complex or too large. Options, bounds and
// errors are those of [ReadMatrixMarket].
func ReadPattern(r io.Reader, o mtx.Options) (sparse.Pattern, error) {
	if r == nil {
		return sparse.Pattern{}, sparse.Errorf(sparse.ErrNil, "files.ReadPattern", "want an io.Reader", "the reader is nil")
	}
	o.Expand, o.Lenient = true, true // values are not kept
	in, err := mtx.Open(r, o)
	if err != nil {
		return sparse.Pattern{}, err
	}
	h := in.Header()
	b, most := sparse.NewBuilder[uint8](h.Rows, h.Cols), mostOf(h)
	if err := in.VisitComplex(func(i, j int, _ complex128) error {
		b.Grow(most)
		b.Add(i, j, 1)
		return b.Err()
	}); err != nil {
		return sparse.Pattern{}, err
	}
	return b.Pattern()
}

// WritePattern writes p as a general Matrix Market pattern in coordinates, row by row. It is an error,
// [sparse.ErrNil], if there is no writer.
func WritePattern(w io.Writer, p sparse.Pattern) error {
	if w == nil {
		return sparse.Errorf(sparse.ErrNil, "files.WritePattern", "want an io.Writer", "the writer is nil")
	}
	out, err := mtx.NewWriter(w, mtx.Header{Rows: p.Rows(), Cols: p.Cols(), Entries: p.NNZ(), Field: mtx.Pattern})
	if err != nil {
		return err
	}
	for e := range p.All() {
		if err := out.Entry(e.I, e.J, 1); err != nil {
			return err
		}
	}
	return out.Close()
}
