package sparse

import (
	"io"

	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadPattern reads which elements a file stores. The file is of the kind pattern, or of any other that
// [Read] takes. ReadPattern does not keep values, so they may be 0, complex or too large. Options, bounds and
// errors are those of [ReadMatrixMarket].
func ReadPattern(r io.Reader, o mtx.Options) (Pattern, error) {
	const where = "sparse.ReadPattern"
	if r == nil {
		return Pattern{}, fail(ErrNil, where, "want an io.Reader", "the reader is nil")
	}
	o.Expand, o.Lenient = true, true // values are not kept
	in, err := mtx.Open(r, o)
	if err != nil {
		return Pattern{}, err
	}
	h := in.Header()
	b, most := newPairs(where, h.Rows, h.Cols), mostOf(h)
	if err := in.VisitComplex(func(i, j int, _ complex128) error {
		b.room(most)
		b.coordinates(int64(i), int64(j))
		return b.err
	}); err != nil {
		return Pattern{}, err
	}
	return b.pattern()
}

// WritePattern writes p as a general Matrix Market pattern in coordinates, row by row. It is an error,
// [ErrNil], if there is no writer.
func WritePattern(w io.Writer, p Pattern) error {
	if w == nil {
		return fail(ErrNil, "sparse.WritePattern", "want an io.Writer", "the writer is nil")
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
