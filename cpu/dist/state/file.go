package state

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/tilesmith/tilesmith/cpu/dist"
)

// The file of a rank is a head of 24 bytes and its blocks, in the order of arrays. A block
// is its elements row by row, little-endian, in pieces of 64 KiB, the last one shorter. Each
// piece is followed by a checksum of 4 bytes. It covers the save's number, the rank, the
// array and the piece's number, as 8 bytes each, and the piece. The save's number is random,
// so that files of two runs are not taken for those of one.
const (
	magic = "tsstate1"
	piece = 64 << 10
	head  = 24
)

// sumOf is the sum of a piece, which differs in another place and in another save.
func sumOf(save uint64, rank, array int, piece int64, b []byte) uint32 {
	var head [32]byte
	for i, x := range [4]uint64{save, uint64(rank), uint64(array), uint64(piece)} {
		binary.LittleEndian.PutUint64(head[8*i:], x)
	}
	return crc32.Update(crc32.Checksum(head[:], crcTable), crcTable, b)
}

// stored is how many bytes so many take with their sums.
func stored(bytes int64) int64 { return bytes + 4*((bytes+piece-1)/piece) }

func header(save uint64, rank int) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(magic), save)
	return binary.LittleEndian.AppendUint64(b, uint64(rank))
}

// A writer writes the file of a rank. Its first error is that of close.
type writer struct {
	w     *bufio.Writer
	save  uint64
	rank  int
	piece []byte
	err   error
}

func newWriter(w io.Writer, save uint64, rank int) *writer {
	s := &writer{w: bufio.NewWriterSize(w, 1<<20), save: save, rank: rank}
	_, s.err = s.w.Write(header(save, rank))
	return s
}

// block writes a part of the array of this number.
func (s *writer) block(array int, p *Part) {
	each, elems := piece/p.size, int(p.at.Elems())
	for i := 0; i*each < elems && s.err == nil; i++ {
		n := min(each, elems-i*each)
		if s.piece, s.err = p.encode(s.piece[:0], i*each, n); s.err != nil {
			return
		}
		sum := sumOf(s.save, s.rank, array, int64(i), s.piece)
		_, s.err = s.w.Write(binary.LittleEndian.AppendUint32(s.piece, sum))
	}
}

func (s *writer) close() error {
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

// A reader reads pieces of the file of a rank.
type reader struct {
	f        *os.File
	name     string
	contents *contents
	rank     int
	read     int64

	array  int   // whose block it reads
	begin  int64 // of that
	number int64 // of the piece that it holds, or -1
	piece  []byte
}

// openReader opens the file of a rank, which must be as long as the contents say.
func openReader(dir string, m *contents, rank int) (*reader, error) {
	r := &reader{name: fileOf(dir, m.Generation, rank), contents: m, rank: rank, array: -1}
	f, err := os.Open(r.name)
	if err != nil {
		return nil, err
	}
	r.f = f
	info, err := f.Stat()
	if want := r.start(len(m.Arrays)); err == nil && info.Size() != want {
		err = fmt.Errorf("%s has %d bytes; want %d", r.name, info.Size(), want)
	}
	head := make([]byte, head)
	if err == nil {
		err = r.at(head, 0)
	}
	if err == nil && string(head) != string(header(m.Save, rank)) {
		err = fmt.Errorf("%s begins with %q; want %q: it is not of this save", r.name, head, header(m.Save, rank))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (r *reader) close() { r.f.Close() }

// start returns where the rank's block of an array begins.
func (r *reader) start(array int) int64 {
	at := int64(head)
	for i := range r.contents.Arrays[:array] {
		a := &r.contents.Arrays[i]
		for _, b := range a.Blocks {
			if b.Rank == r.rank {
				at += stored(b.Elems() * int64(a.size()))
			}
		}
	}
	return at
}

func (r *reader) at(b []byte, at int64) error {
	n, err := r.f.ReadAt(b, at)
	r.read += int64(n)
	if n < len(b) {
		return fmt.Errorf("%s ends at byte %d of %d: %w", r.name, at+int64(n), at+int64(len(b)), err)
	}
	return nil
}

// block reads what p wants, which is both, of block k of an array.
func (r *reader) block(array, k int, both dist.Rect, p *Part) error {
	b := r.contents.Arrays[array].Blocks[k].Rect
	if r.array != array {
		r.array, r.begin, r.number = array, r.start(array), -1
	}
	row := func(of dist.Rect, i, j int) int64 {
		return int64(i-of.Rows.Lo)*int64(of.Cols.Len()) + int64(j-of.Cols.Lo)
	}
	rows, run := both.Rows.Len(), both.Cols.Len()
	if b.Cols == p.at.Cols { // rows without gaps on both sides
		rows, run = 1, rows*run
	}
	for i := range rows {
		from, to := row(b, both.Rows.Lo+i, both.Cols.Lo), row(p.at, both.Rows.Lo+i, both.Cols.Lo)
		if err := r.run(b.Elems(), from, int(to), run, p); err != nil {
			return err
		}
	}
	return nil
}

// run reads n elements from element from of the block on into p from element to on.
func (r *reader) run(elems, from int64, to, n int, p *Part) error {
	each := int64(piece / p.size)
	for n > 0 {
		number, skip := from/each, from%each
		if err := r.load(number, elems*int64(p.size)); err != nil {
			return err
		}
		b := r.piece[skip*int64(p.size):]
		k := min(n, len(b)/p.size)
		if err := p.decode(b[:k*p.size], to, k); err != nil {
			return err
		}
		from, to, n = from+int64(k), to+k, n-k
	}
	return nil
}

// load reads a piece of the block, which has so many bytes, unless it was read last.
func (r *reader) load(number, bytes int64) error {
	if r.number == number {
		return nil
	}
	r.number = -1
	n := min(piece, bytes-number*piece)
	if cap(r.piece) < piece+4 {
		r.piece = make([]byte, piece+4)
	}
	b := r.piece[:n+4]
	at := r.begin + number*(piece+4)
	if err := r.at(b, at); err != nil {
		return err
	}
	want := binary.LittleEndian.Uint32(b[n:])
	if have := sumOf(r.contents.Save, r.rank, r.array, number, b[:n]); have != want {
		return fmt.Errorf("%s is damaged: bytes %d to %d have the sum %08x; want %08x", r.name, at, at+n, have, want)
	}
	r.number, r.piece = number, b[:n]
	return nil
}
