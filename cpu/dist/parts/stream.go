package parts

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// Stream is [WriteAll] of a Matrix Market file that is larger than the memory of
// this machine. It reads the file once, from r, and deals it to temporary files next to the
// parts, 24 bytes an entry. In memory there are the owners, 5 bytes for each row and column,
// and one part at a time. It calls owned when it knows the size. rows[i] is the rank that
// owns row i, and cols[j] the one that owns row j of B. If cols is nil, rows stands for it
// and the matrix is square.
//
// It expands symmetric files, and sums entries with the same coordinates in the order of
// the file, as [sparse.ReadMatrixMarket] does. The files are the same as those of
// WriteAll. o bounds what is read.
func Stream[T dtype.Float](prefix string, r io.Reader, o mtx.Options, ranks int, owned func(rows, cols int) (r, c []int32, err error)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("parts.Stream: %w", err)
		}
	}()
	if r == nil || owned == nil {
		return errors.New("want a reader, and a function that says who owns what")
	}
	o.Expand = true
	in, err := mtx.NewReader(r, o)
	if err != nil {
		return err
	}
	h := in.Header()
	rows, cols, err := owned(h.Rows, h.Cols)
	if err != nil {
		return err
	}
	s := &stream[T]{}
	if s.owners, err = newOwners(h.Rows, h.Cols, ranks, rows, cols); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp(filepath.Dir(prefix), ".parts-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	s.spools = make([][]byte, ranks)
	if err = in.Visit(s.add); err != nil {
		return err
	}
	return s.finish(prefix)
}

// stream deals entries to ranks.
type stream[T dtype.Float] struct {
	owners
	dir    string
	spools [][]byte // what is not in the files yet
}

const (
	spoolEntry = 24
	spoolBytes = 1024 * spoolEntry
)

func (s *stream[T]) add(i, j int, v float64) error {
	owner := s.rows[i]
	s.read(i, j)
	b := s.spools[owner]
	b = binary.LittleEndian.AppendUint64(b, uint64(i))
	b = binary.LittleEndian.AppendUint64(b, uint64(j))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	if s.spools[owner] = b; len(b) >= spoolBytes {
		return s.flush(int(owner))
	}
	return nil
}

func (s *stream[T]) spool(rank int) string { return filepath.Join(s.dir, fmt.Sprint(rank)) }

// flush opens the file each time: there may be more ranks than a program may open files.
func (s *stream[T]) flush(rank int) error {
	f, err := os.OpenFile(s.spool(rank), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(s.spools[rank])
	s.spools[rank] = s.spools[rank][:0]
	return errors.Join(err, f.Close())
}

// finish makes the parts. Their ID is known when the last one is made, and then put
// into all of them.
func (s *stream[T]) finish(prefix string) error {
	var sum uint64
	for rank := range s.ranks {
		list, err := s.entries(rank)
		if err != nil {
			return err
		}
		r := rowsOf[T](&s.owners, rank, 1)
		for _, i := range r.OwnRows {
			for len(list) > 0 && list[0].i == i {
				n := len(r.Indices)
				if n > r.Pointers[len(r.Pointers)-1] && r.Indices[n-1] == list[0].j {
					r.Values[n-1] += list[0].v
				} else {
					r.Indices, r.Values = append(r.Indices, list[0].j), append(r.Values, list[0].v)
				}
				list = list[1:]
			}
			r.Pointers = append(r.Pointers, len(r.Indices))
		}
		p, err := r.part(s.isSent)
		if err != nil {
			return err
		}
		sum += p.fingerprint()
		if err := writeFile(filepath.Join(s.dir, fmt.Sprint(rank, ".part")), p); err != nil {
			return err
		}
	}
	id := wholeID(sum, s.ranks, int64(len(s.rows)), int64(len(s.cols)))
	for rank := range s.ranks {
		name := filepath.Join(s.dir, fmt.Sprint(rank, ".part"))
		if err := setID(name, id); err != nil {
			return err
		}
		if err := outfile.Move(name, Name(prefix, rank, s.ranks)); err != nil {
			return err
		}
	}
	return nil
}

// streamed is an entry with the numbers of the whole.
type streamed[T dtype.Float] struct {
	i, j int64
	v    T
}

// entries returns what a rank has, by row and column, and in the order of the file.
func (s *stream[T]) entries(rank int) ([]streamed[T], error) {
	if err := s.flush(rank); err != nil {
		return nil, err
	}
	f, err := os.Open(s.spool(rank))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []streamed[T]
	in := bufio.NewReaderSize(f, spoolBytes)
	for b := make([]byte, spoolEntry); ; {
		if _, err := io.ReadFull(in, b); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		word := func(k int) uint64 { return binary.LittleEndian.Uint64(b[8*k:]) }
		list = append(list, streamed[T]{int64(word(0)), int64(word(1)), T(math.Float64frombits(word(2)))})
	}
	slices.SortStableFunc(list, func(x, y streamed[T]) int { return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j)) })
	return list, nil
}

// setID puts the ID of the whole into the header of a file.
func setID(name string, id uint64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	h := make([]byte, header, header+4)
	if _, err = f.ReadAt(h, 0); err == nil {
		binary.LittleEndian.PutUint64(h[48:], id)
		_, err = f.WriteAt(binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, crcTable)), 0)
	}
	return errors.Join(err, f.Close())
}
