package parts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// An Error says what is wrong in a part file, and where.
type Error struct {
	Name   string // of the file, as the reader was told
	Offset int64  // of the first byte of what is wrong
	Reason string
	Err    error // of the reader or of package sparse; may be nil
}

func (e *Error) Error() string { return fmt.Sprintf("%s: byte %d: %s", e.Name, e.Offset, e.Reason) }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Open reads the part of this rank from its file, see [Name]. All ranks call it,
// and if one cannot read its own, all get an error that says which and why. Whether parts are
// of the same matrix [spmm.New] says.
func Open[T dtype.Float](c *comm.Comm, prefix string) (Part[T], error) {
	name := Name(prefix, c.Rank(), c.Size())
	p, err := open[T](name)
	if err == nil && (p.Rank != c.Rank() || p.Ranks != c.Size()) {
		err = &Error{Name: name, Offset: 16, Reason: fmt.Sprintf("it is the part of rank %d of %d; want that of rank %d of %d", p.Rank, p.Ranks, c.Rank(), c.Size())}
	}
	if err := dist.Agree(c, "parts.Open", err, comm.NewFact("element type", dtype.Of[T]())); err != nil {
		return Part[T]{}, err
	}
	return p, nil
}

func open[T dtype.Float](name string) (Part[T], error) {
	f, err := os.Open(name)
	if err != nil {
		reason := err // without the name of the file, which an Error has
		if e := (*fs.PathError)(nil); errors.As(err, &e) {
			reason = e.Err
		}
		return Part[T]{}, &Error{Name: name, Reason: fmt.Sprintf("it cannot be opened: %v", reason), Err: err}
	}
	defer f.Close()
	return Read[T](f, name)
}

// Read reads a part from r, which it reads to the end; name is what errors call it. A
// file of float32 may be read as float64. Errors are an *Error. Memory grows with
// what is read, not with what the header promises: at most 16 bytes for each byte of the
// file and 1 MiB.
func Read[T dtype.Float](r io.Reader, name string) (p Part[T], err error) {
	s := &reader{r: r}
	defer func() {
		if s.err != nil {
			s.err.Name = name
			p, err = Part[T]{}, s.err
		}
	}()
	h := make([]byte, header+4)
	if !s.fill(h, "the header") {
		return p, err
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(h[16+8*i:])) }
	size := int(binary.LittleEndian.Uint32(h[12:]))
	switch {
	case string(h[:8]) != magic:
		s.fail(0, "it is no part file, which begins with %q", magic)
	case binary.LittleEndian.Uint32(h[8:]) != version:
		s.fail(8, "it has version %d of the format; this program reads %d", binary.LittleEndian.Uint32(h[8:]), version)
	case crc32.Checksum(h[:header], crcTable) != binary.LittleEndian.Uint32(h[header:]):
		s.fail(header, "the checksum of the header is wrong: it was changed or damaged")
	case size != 4 && size != 8:
		s.fail(12, "values of %d bytes; want 4 or 8", size)
	case size > dtype.Of[T]().Size():
		s.fail(12, "values are float64 and cannot be read as %s without loss", dtype.Of[T]())
	}
	if s.err != nil {
		return p, err
	}
	counts := []struct {
		at       int
		what     string
		low, top int64
	}{
		{0, "rank", 0, word(1) - 1}, {1, "number of ranks", 1, math.MaxInt32}, {2, "number of rows", 0, math.MaxInt64}, {3, "number of columns", 0, math.MaxInt64},
		{5, "number of own rows", 0, min(word(2), sparse.MaxDim)}, {6, "number of own columns", -1, min(word(3), sparse.MaxDim)},
		{7, "number of columns of the halo", 0, min(word(3), sparse.MaxDim)}, {8, "number of entries", 0, sparse.MaxSlots},
	}
	for _, c := range counts {
		if x := word(c.at); x < c.low || x > c.top {
			s.fail(int64(16+8*c.at), "the %s is %d; want %d to %d", c.what, x, c.low, c.top)
			return p, err
		}
	}
	p = Part[T]{Rank: int(word(0)), Ranks: int(word(1)), Rows: word(2), Cols: word(3), ID: uint64(word(4))}
	rows, own, halo, nnz := int(word(5)), int(word(6)), int(word(7)), int(word(8))
	begins := s.at
	p.OwnRows = within(s, rows, 0, p.Rows-1, "row")
	if own >= 0 {
		p.OwnCols = within(s, own, 0, p.Cols-1, "column")
	} else {
		p.OwnCols, own = p.OwnRows, rows
	}
	p.Halo = within(s, halo, 0, p.Cols-1, "column of the halo")
	owned := within(s, p.Ranks, 0, int64(halo), "number of columns that a rank owns")
	counted := within(s, rows, 0, int64(nnz), "number of entries of a row")
	indices := within(s, nnz, 0, int32(own+halo-1), "column of an entry")
	values := values[T](s, nnz, size)
	if s.err == nil {
		var one [1]byte
		if n, _ := io.ReadFull(s.r, one[:]); n > 0 {
			s.fail(s.at, "there is more than the header says")
		}
	}
	if s.err != nil {
		return p, err
	}
	p.From = make([]int, 1, len(owned)+1)
	sum := int64(0)
	for _, n := range owned {
		sum = min(sum+n, sparse.MaxDim) // Check refuses a wrong halo
		p.From = append(p.From, int(sum))
	}
	pointers := make([]int32, 1, rows+1)
	sum = 0
	for _, n := range counted {
		if sum += n; sum > int64(nnz) {
			break
		}
		pointers = append(pointers, int32(sum))
	}
	if sum != int64(nnz) {
		s.fail(begins, "rows have %d entries or more, the header says %d", sum, nnz)
		return p, err
	}
	a, wrong := sparse.FromCSR(rows, own+halo, pointers, indices, values)
	if wrong == nil {
		p.A = a
		wrong = p.Check()
	}
	if wrong != nil {
		s.fail(begins, "%v", wrong)
		s.err.Err = wrong
	}
	return p, err
}

// reader keeps the first error.
type reader struct {
	r     io.Reader
	at    int64
	block []byte
	err   *Error
}

func (s *reader) fail(at int64, format string, args ...any) {
	if s.err == nil {
		s.err = &Error{Offset: at, Reason: fmt.Sprintf(format, args...)}
	}
}

// fill reads all of b.
func (s *reader) fill(b []byte, what string) bool {
	if s.err != nil {
		return false
	}
	n, err := io.ReadFull(s.r, b)
	if err != nil {
		s.fail(s.at+int64(n), "it ends inside %s", what)
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			s.err.Reason, s.err.Err = err.Error(), err
		}
		return false
	}
	s.at += int64(n)
	return true
}

// numbers reads n of them, of which some are asked whether they can be.
func numbers[E int32 | int64 | float32 | float64](s *reader, n int, what string, can func(x E) bool) (list []E) {
	size := binary.Size(E(0))
	for n > 0 && s.err == nil {
		some := min(n, block/size)
		s.block = append(s.block[:0], make([]byte, some*size+4)...)
		begins := s.at
		if !s.fill(s.block, what) {
			return nil
		}
		b := s.block[:some*size]
		if crc32.Checksum(b, crcTable) != binary.LittleEndian.Uint32(s.block[some*size:]) {
			s.fail(begins, "the checksum of %d bytes, of %s, is wrong: they were changed or damaged", len(b), what)
			return nil
		}
		list = append(list, make([]E, some)...)
		last := list[len(list)-some:]
		binary.Decode(b, binary.LittleEndian, last)
		if k := slices.IndexFunc(last, func(x E) bool { return can != nil && !can(x) }); k >= 0 {
			s.fail(begins+int64(k*size), "a %s is out of range", what)
			return nil
		}
		n -= some
	}
	return list
}

// within reads integers from low to top.
func within[E int32 | int64](s *reader, n int, low, top E, what string) []E {
	return numbers(s, n, what, func(x E) bool { return x >= low && x <= top })
}

// values reads n floating-point numbers of so many bytes.
func values[T dtype.Float](s *reader, n, size int) []T {
	if size == 4 {
		return floats[T](numbers[float32](s, n, "value", nil))
	}
	return floats[T](numbers[float64](s, n, "value", nil))
}

func floats[T, E dtype.Float](list []E) []T {
	if same, ok := any(list).([]T); ok {
		return same
	}
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = T(x)
	}
	return out
}
