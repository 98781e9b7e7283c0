package mtx

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
)

// open returns the text of r, decompressed where r begins with gzip's magic number,
// under the limits of o.
func open(r io.Reader, o Options) (io.Reader, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	packed := &counter{r: r}
	br := bufio.NewReaderSize(packed, 1<<14)
	s := &source{r: br, o: o}
	// If Peek fails, the next read fails with the same error.
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("the file begins as gzip does, but: %w", err)
		}
		s.r, s.packed = z, packed
	}
	return s, nil
}

// A counter counts the bytes that r gave.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A source stops a text that becomes longer than allowed, or longer than what it was
// unpacked from can honestly hold.
type source struct {
	r      io.Reader
	o      Options
	packed *counter // nil for plain text
	n      int64
}

// freeBytes of unpacked text are not held against Options.MaxRatio.
const freeBytes = 1 << 20

func (s *source) Read(p []byte) (n int, err error) {
	for range 100 { // a reader that gives nothing for ever must not hang us
		if n, err = s.r.Read(p); n > 0 || err != nil || len(p) == 0 {
			return s.allow(n, err)
		}
	}
	return 0, io.ErrNoProgress
}

// allow passes on what was read, within the limits.
func (s *source) allow(n int, err error) (int, error) {
	s.n += int64(n)
	switch {
	case s.n > s.o.MaxBytes:
		return 0, fmt.Errorf("the text is longer than %d bytes: %w, MaxBytes", s.o.MaxBytes, ErrLimit)
	case s.packed != nil && s.n > freeBytes && s.n/int64(s.o.MaxRatio) > s.packed.n:
		return 0, fmt.Errorf("%d packed bytes unpack to more than %d times as many: %w, MaxRatio",
			s.packed.n, s.o.MaxRatio, ErrLimit)
	}
	return n, err
}
