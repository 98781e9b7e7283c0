package mtx

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// What follows reads and writes zip archives as far as NumPy's go. Package archive/zip is not used:
// it registers its compressor when a program starts, so every program that imports package sparse,
// by package cpu those that only multiply dense matrices too, would link flate and package time.

// The signatures and fixed sizes of APPNOTE.TXT, sections 4.3.7 to 4.3.16.
const (
	zipLocal, zipLocalSize       = 0x04034b50, 30
	zipCentral, zipCentralSize   = 0x02014b50, 46
	zipEnd, zipEndSize           = 0x06054b50, 22
	zip64End, zip64EndSize       = 0x06064b50, 56
	zip64Where, zip64WhereSize   = 0x07064b50, 20
	zipDescriptor                = 0x08074b50
	zip64Extra                   = 1 // the field of 64-bit sizes
	zipStored, zipDeflated       = 0, 8
	zipEncrypted, zipDescription = 1, 8 // flags: the second says that sizes follow the bytes
	zipMost16, zipMost32         = 1<<16 - 1, 1<<32 - 1
)

var errZip = errors.New("not a valid archive")

// A zipEntry is one file of an archive.
type zipEntry struct {
	name          string
	flags, method uint16
	crc           uint32
	packed, size  uint64
	at            uint64 // where its local header begins
}

// A zipReader reads the files of an archive.
type zipReader struct {
	r       io.ReaderAt
	size    int64
	entries []zipEntry
}

// newZip reads the directory of an archive of so many bytes.
func newZip(r io.ReaderAt, size int64) (*zipReader, error) {
	end, at, err := zipEndOf(r, size)
	if err != nil {
		return nil, err
	}
	count, bytes, from := uint64(u16(end[10:])), uint64(u32(end[12:])), uint64(u32(end[16:]))
	if count == zipMost16 || bytes == zipMost32 || from == zipMost32 {
		if e, where, ok := zip64EndOf(r, at); ok {
			at, count, bytes, from = where, u64(e[32:]), u64(e[40:]), u64(e[48:])
		}
	}
	if bytes > uint64(at) || from > uint64(at)-bytes || count > bytes/zipCentralSize {
		return nil, errZip
	}
	before := uint64(at) - bytes - from // what stands before the archive, such as a program that unpacks it
	directory := make([]byte, bytes)
	if err := readZip(r, directory, at-int64(bytes)); err != nil {
		return nil, err
	}
	z := &zipReader{r: r, size: size}
	for range count {
		e, n, err := zipEntryOf(directory)
		if err != nil {
			return nil, err
		}
		if e.at > uint64(size)-before {
			return nil, errZip
		}
		e.at += before
		z.entries, directory = append(z.entries, e), directory[n:]
	}
	return z, nil
}

// zipEndOf finds the record at the end, which a comment may follow.
func zipEndOf(r io.ReaderAt, size int64) (end []byte, at int64, err error) {
	tail := make([]byte, min(size, zipEndSize+zipMost16))
	if err := readZip(r, tail, size-int64(len(tail))); err != nil {
		return nil, 0, err
	}
	for i := len(tail) - zipEndSize; i >= 0; i-- {
		if u32(tail[i:]) == zipEnd && int(u16(tail[i+20:])) <= len(tail)-i-zipEndSize {
			return tail[i:], size - int64(len(tail)-i), nil
		}
	}
	return nil, 0, errZip
}

// zip64EndOf returns the record of 64-bit sizes, if the one at the end, at at, has one before it.
func zip64EndOf(r io.ReaderAt, at int64) (end []byte, where int64, ok bool) {
	var to [zip64WhereSize]byte
	if at < zip64WhereSize || readZip(r, to[:], at-zip64WhereSize) != nil || u32(to[:]) != zip64Where {
		return nil, 0, false
	}
	end = make([]byte, zip64EndSize)
	from := u64(to[8:])
	if from > uint64(at) || readZip(r, end, int64(from)) != nil || u32(end) != zip64End {
		return nil, 0, false
	}
	return end, int64(from), true
}

// zipEntryOf returns the first entry of a directory, and how many bytes it takes.
func zipEntryOf(d []byte) (e zipEntry, n int, err error) {
	if len(d) < zipCentralSize || u32(d) != zipCentral {
		return e, 0, errZip
	}
	e = zipEntry{flags: u16(d[8:]), method: u16(d[10:]), crc: u32(d[16:]), packed: uint64(u32(d[20:])), size: uint64(u32(d[24:])), at: uint64(u32(d[42:]))}
	name, extra := int(u16(d[28:])), int(u16(d[30:]))
	if n = zipCentralSize + name + extra + int(u16(d[32:])); n > len(d) {
		return e, 0, errZip
	}
	e.name = string(d[zipCentralSize:][:name])
	for x := d[zipCentralSize+name:][:extra]; len(x) >= 4; {
		id, size := u16(x), int(u16(x[2:]))
		if x = x[4:]; size > len(x) {
			return e, 0, errZip
		}
		if id == zip64Extra && !e.widen(x[:size]) {
			return e, 0, errZip
		}
		x = x[size:]
	}
	return e, n, nil
}

// widen takes from an extra field the sizes that 32 bits do not hold.
func (e *zipEntry) widen(x []byte) bool {
	for _, v := range []*uint64{&e.size, &e.packed, &e.at} {
		if *v != zipMost32 {
			continue
		}
		if len(x) < 8 {
			return false
		}
		*v, x = u64(x), x[8:]
	}
	return true
}

// open returns the bytes of a file. Their end is an error if there are not as many as the directory
// says, or others.
func (z *zipReader) open(e *zipEntry) (io.Reader, error) {
	var local [zipLocalSize]byte
	if err := readZip(z.r, local[:], int64(e.at)); err != nil {
		return nil, err
	}
	if u32(local[:]) != zipLocal {
		return nil, errZip
	}
	from := int64(e.at) + zipLocalSize + int64(u16(local[26:])) + int64(u16(local[28:]))
	if from > z.size || e.packed > uint64(z.size-from) {
		return nil, errZip
	}
	var in io.Reader = io.NewSectionReader(z.r, from, int64(e.packed))
	switch {
	case e.flags&zipEncrypted != 0:
		return nil, errors.New("it is encrypted")
	case e.method == zipDeflated:
		in = flate.NewReader(in)
	case e.method != zipStored:
		return nil, fmt.Errorf("it is packed by method %d; want 0, stored, or 8, deflated", e.method)
	}
	return &zipBytes{r: in, left: e.size, crc: e.crc, sum: crc32.NewIEEE()}, nil
}

// zipBytes checks what it reads.
type zipBytes struct {
	r    io.Reader
	left uint64 // by the directory
	crc  uint32
	sum  hash.Hash32
}

func (b *zipBytes) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.sum.Write(p[:n])
	if uint64(n) > b.left {
		return 0, errZip
	}
	b.left -= uint64(n)
	if err == io.EOF {
		switch {
		case b.left > 0:
			err = io.ErrUnexpectedEOF
		case b.crc != 0 && b.sum.Sum32() != b.crc: // 0 is what writers put that compute none
			err = errors.New("the checksum does not agree")
		}
	}
	return n, err
}

// readZip fills p with the bytes from at on.
func readZip(r io.ReaderAt, p []byte, at int64) error {
	if at < 0 {
		return errZip
	}
	n, err := r.ReadAt(p, at)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
