package mtx

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// What readers must know to unpack: 2.0, or 4.5 where sizes take 64 bits.
const zipVersion, zip64Version = 20, 45

// A zipWriter writes an archive of deflated files, one after the other.
type zipWriter struct {
	w       io.Writer
	n       uint64 // bytes so far
	entries []zipEntry
}

func (z *zipWriter) Write(p []byte) (int, error) {
	n, err := z.w.Write(p)
	z.n += uint64(n)
	return n, err
}

// file writes a file of what write writes. Sizes and checksum follow the bytes.
func (z *zipWriter) file(name string, write func(io.Writer) error) error {
	e := zipEntry{name: name, flags: zipDescription, method: zipDeflated, at: z.n}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, zipLocal)
	b = le.AppendUint16(b, zipVersion)
	b = le.AppendUint16(b, e.flags)
	b = le.AppendUint16(b, e.method)
	b = append(b, make([]byte, 16)...) // no time, so that a matrix gives the same bytes always; then what follows
	b = le.AppendUint16(b, uint16(len(name)))
	b = le.AppendUint16(b, 0)
	if _, err := z.Write(append(b, name...)); err != nil {
		return err
	}
	from := z.n
	pack, err := flate.NewWriter(z, 5)
	if err != nil {
		return err
	}
	in := &zipSum{w: pack}
	if err := write(in); err != nil {
		return err
	}
	if err := pack.Close(); err != nil {
		return err
	}
	e.crc, e.size, e.packed = in.crc, in.n, z.n-from
	b = le.AppendUint32(b[:0], zipDescriptor)
	b = le.AppendUint32(b, e.crc)
	if e.wide() {
		b = le.AppendUint64(le.AppendUint64(b, e.packed), e.size)
	} else {
		b = le.AppendUint32(le.AppendUint32(b, uint32(e.packed)), uint32(e.size))
	}
	z.entries = append(z.entries, e)
	_, err = z.Write(b)
	return err
}

// wide reports whether a size takes 64 bits.
func (e *zipEntry) wide() bool { return max(e.packed, e.size) >= zipMost32 }

// close writes the directory.
func (z *zipWriter) close() error {
	le := binary.LittleEndian
	from := z.n
	for _, e := range z.entries {
		var extra []byte
		version := uint16(zipVersion)
		if e.wide() || e.at >= zipMost32 {
			version = zip64Version
			extra = le.AppendUint16(extra, zip64Extra)
			extra = le.AppendUint16(extra, 24)
			for _, v := range []*uint64{&e.size, &e.packed, &e.at} {
				extra, *v = le.AppendUint64(extra, *v), zipMost32
			}
		}
		b := le.AppendUint32(nil, zipCentral)
		for _, v := range []uint16{version, version, e.flags, e.method, 0, 0} {
			b = le.AppendUint16(b, v)
		}
		for _, v := range []uint32{e.crc, uint32(e.packed), uint32(e.size)} {
			b = le.AppendUint32(b, v)
		}
		b = le.AppendUint16(b, uint16(len(e.name)))
		b = le.AppendUint16(b, uint16(len(extra)))
		b = append(b, make([]byte, 10)...) // no comment, no attributes
		b = le.AppendUint32(b, uint32(e.at))
		if _, err := z.Write(append(append(b, e.name...), extra...)); err != nil {
			return err
		}
	}
	return z.end(from, z.n-from)
}

// end writes the record at the end, and before it that of 64 bits if 32 do not do.
func (z *zipWriter) end(from, bytes uint64) error {
	le := binary.LittleEndian
	var b []byte
	count, at := uint64(len(z.entries)), z.n
	if from >= zipMost32 || bytes >= zipMost32 {
		b = le.AppendUint32(b, zip64End)
		b = le.AppendUint64(b, zip64EndSize-12)
		b = le.AppendUint16(le.AppendUint16(b, zip64Version), zip64Version)
		b = append(b, make([]byte, 8)...) // the numbers of disks
		for _, v := range []uint64{count, count, bytes, from} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, zip64Where)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, at)
		b = le.AppendUint32(b, 1)
		from, bytes = zipMost32, zipMost32
	}
	b = le.AppendUint32(b, zipEnd)
	b = le.AppendUint32(b, 0) // the numbers of disks
	b = le.AppendUint16(le.AppendUint16(b, uint16(count)), uint16(count))
	b = le.AppendUint32(le.AppendUint32(b, uint32(bytes)), uint32(from))
	_, err := z.Write(le.AppendUint16(b, 0))
	return err
}

// zipSum counts and sums what it writes.
type zipSum struct {
	w   io.Writer
	n   uint64
	crc uint32
}

func (s *zipSum) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.n += uint64(n)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	return n, err
}
