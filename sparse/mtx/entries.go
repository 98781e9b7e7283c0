package mtx

import (
	"bufio"
	"bytes"
	"io"
	"math"
)

// Entries is a file of a matrix that has been opened: a [Reader], an [HB] or an [NPZ].
type Entries interface {
	Header() Header
	Visit(visit func(i, j int, v float64) error) error
	VisitComplex(visit func(i, j int, v complex128) error) error
	VisitWhole(visit func(i, j int, negative bool, size uint64) error) error
}

// Open opens a file by its first bytes. It recognises an archive of scipy.sparse.save_npz,
// and Matrix Market, which begins with %%MatrixMarket; anything else is Harwell-Boeing. The
// latter two may be plain or gzip. It first reads all bytes of an archive, MaxBytes at
// most, or 1 GiB if that is not set. If you have an io.ReaderAt, NewNPZ does without.
func Open(r io.Reader, o Options) (Entries, error) {
	b := bufio.NewReaderSize(r, 1<<14)
	magic, _ := b.Peek(4)
	if bytes.Equal(magic, []byte("PK\x03\x04")) {
		all, err := readAll(b, o)
		if err != nil {
			return nil, err
		}
		return NewNPZ(bytes.NewReader(all), int64(len(all)), o)
	}
	t := text{tied: o.MaxDim <= 0, o: o.withDefaults()}
	plain, err := open(b, t.o) // once: NewHB and NewReader would unpack gzip within gzip, with a bound of its own
	if err != nil {
		return nil, &Error{Name: o.Name, Line: 1, Col: 1, Reason: err.Error(), Err: err}
	}
	read := bufio.NewReaderSize(plain, 1<<14)
	t.in, t.textKind = linesOf(read, t.o), kindReader
	if start, _ := read.Peek(1 << 10); isHB(start) {
		t.textKind = kindHB
		return newHB(t)
	}
	return newReader(t)
}

// isHB reports whether a text begins as Harwell-Boeing files do: no banner of Matrix
// Market, and a second line of numbers only.
func isHB(start []byte) bool {
	first, rest, ok := bytes.Cut(start, []byte("\n"))
	second, _, all := bytes.Cut(rest, []byte("\n"))
	if !ok || !all || bytes.HasPrefix(bytes.ToLower(bytes.TrimLeft(first, "\xef\xbb\xbf \t")), []byte("%%matrixmarket")) {
		return false
	}
	for _, c := range second {
		if c-'0' > 9 && !blank(c) && c != '\r' {
			return false
		}
	}
	return len(bytes.Fields(second)) >= 3
}

// readAll reads an archive into memory.
func readAll(r io.Reader, o Options) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, &Error{Name: o.Name, Part: "archive", Reason: err.Error(), Err: err}
	}
	most := o.MaxBytes
	if most == 0 {
		most = 1 << 30
	}
	most = min(most, math.MaxInt64-1)
	all, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, &Error{Name: o.Name, Part: "archive", Reason: readError(err), Err: err}
	case int64(len(all)) > most:
		return nil, &Error{Name: o.Name, Part: "archive", Err: ErrLimit, Reason: "it is longer than Options.MaxBytes, or 1 GiB without; open it as a file by NewNPZ"}
	}
	return all, nil
}
