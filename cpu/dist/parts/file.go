package parts

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A part file is a [Part], for matrices that no rank can hold whole. All numbers are
// little-endian.
//
//	offset 0   8 bytes  "\x89TSPART\n"
//	       8   uint32   version, 1
//	      12   uint32   bytes of a value, 4 or 8 (float32, float64)
//	      16   int64    rank
//	      24   int64    ranks
//	      32   int64    rows of the whole matrix
//	      40   int64    columns of the whole
//	      48   uint64   ID of the whole, see Part
//	      56   int64    own rows
//	      64   int64    own columns; -1: they are the own rows, and not there
//	      72   int64    columns of the halo
//	      80   int64    entries
//	      88   uint32   CRC-32C of bytes 0 to 87
//	      92   sections:
//	                    own rows, own columns, halo: int64 numbers of the whole
//	                    for each rank, how many columns of the halo it owns: int64
//	                    for each own row, how many entries it has: int64
//	                    column of each entry: int32, own columns first, then the halo
//	                    value of each entry
//
// A section is cut into blocks of 64 KiB, the last of which may be shorter. Each is
// followed by the CRC-32C of its bytes. Nothing follows the last.
const (
	magic   = "\x89TSPART\n"
	version = 1
	header  = 88
	block   = 64 << 10
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// Name returns how the file of a rank's part is called: prefix.3-of-8.part.
func Name(prefix string, rank, ranks int) string {
	return fmt.Sprintf("%s.%d-of-%d.part", prefix, rank, ranks)
}

// Write writes a part, after Check.
func Write[T dtype.Float](w io.Writer, p Part[T]) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("parts.Write: rank %d: %w", p.Rank, err)
	}
	own := int64(len(p.OwnCols))
	if p.Conformal() && p.Rows == p.Cols {
		own = -1
	}
	h := append([]byte(magic), make([]byte, header-len(magic))...)
	binary.LittleEndian.PutUint32(h[8:], version)
	binary.LittleEndian.PutUint32(h[12:], uint32(dtype.Of[T]().Size()))
	for i, x := range []int64{int64(p.Rank), int64(p.Ranks), p.Rows, p.Cols, int64(p.ID), int64(len(p.OwnRows)), own, int64(len(p.Halo)), int64(p.A.NNZ())} {
		binary.LittleEndian.PutUint64(h[16+8*i:], uint64(x))
	}
	s := &writer{w: w}
	s.write(binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, crcTable)))
	section(s, p.OwnRows)
	if own >= 0 {
		section(s, p.OwnCols)
	}
	section(s, p.Halo)
	section(s, lengths(p.From))
	pointers, indices, values := p.A.CSR()
	section(s, lengths(pointers))
	section(s, indices)
	section(s, values)
	if s.err != nil {
		return fmt.Errorf("parts.Write: rank %d: %w", p.Rank, s.err)
	}
	return nil
}

// lengths returns how far each place is from the one before.
func lengths[E int | int32](at []E) (list []int64) {
	for k := range len(at) - 1 {
		list = append(list, int64(at[k+1]-at[k]))
	}
	return list
}

// writer keeps the first error.
type writer struct {
	w     io.Writer
	block []byte
	err   error
}

func (s *writer) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// section writes numbers in blocks, each with its sum.
func section[E any](s *writer, list []E) {
	var zero E
	for some := range slices.Chunk(list, block/binary.Size(zero)) {
		if s.err == nil {
			s.block, s.err = binary.Append(s.block[:0], binary.LittleEndian, some)
		}
		s.write(binary.LittleEndian.AppendUint32(s.block, crc32.Checksum(s.block, crcTable)))
	}
}

// WriteAll cuts a matrix into the parts of all ranks, see [Divide], and writes each to
// the file that [Name] says. A file is there whole or not at all;
// a symbolic link stays and leads to it.
func WriteAll[T dtype.Float](prefix string, a sparse.Matrix[T], ranks int, rows, cols []int32) error {
	d, err := newDivision(a, ranks, rows, cols)
	if err != nil {
		return fmt.Errorf("parts.WriteAll: %w", err)
	}
	for rank := range ranks {
		p, err := d.part(rank)
		if err == nil {
			err = writeFile(Name(prefix, rank, ranks), p)
		}
		if err != nil {
			return fmt.Errorf("parts.WriteAll: %w", err)
		}
	}
	return nil
}

func writeFile[T dtype.Float](name string, p Part[T]) error {
	return outfile.Write(name, func(w io.Writer) error { return Write(w, p) })
}
