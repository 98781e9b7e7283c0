package cuda

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/internal/level"
)

// host is a device for tests that has memory and streams and runs nothing. It
// counts transfers.
type host struct {
	Device
	left      int64
	next      uint64
	transfers int
	freed     int
}

func newHost() *host { return &host{left: 1 << 20, next: 1 << 40} }

func (d *host) Info() Info                 { return Info{Name: "host"} }
func (d *host) NewStream() (Stream, error) { return hostStream{dev: d}, nil }

func (d *host) Alloc(n int64) (Memory, error) {
	if n > d.left {
		return nil, fmt.Errorf("host: %w", ErrMemory)
	}
	d.left -= n
	m := &hostMemory{dev: d, at: d.next, b: make([]byte, n)}
	r := rand.New(level.PCG(d.next, uint64(n)))
	for i := range m.b {
		m.b[i] = byte(r.Uint32())
	}
	d.next += uint64(n+255) &^ 255
	return m, nil
}

type hostMemory struct {
	dev *host
	at  uint64
	b   []byte
}

func (m *hostMemory) Device() Device  { return m.dev }
func (m *hostMemory) Address() uint64 { return m.at }
func (m *hostMemory) Bytes() int64    { return int64(len(m.b)) }
func (m *hostMemory) Free() error     { m.dev.freed++; return nil }

type hostStream struct {
	Stream
	dev *host
}

func (s hostStream) Device() Device { return s.dev }

func (s hostStream) part(m Memory, off, n int64) []byte {
	s.dev.transfers++
	return m.(*hostMemory).b[off : off+n]
}

func (s hostStream) Write(dst Memory, off int64, src []byte) error {
	copy(s.part(dst, off, int64(len(src))), src)
	return nil
}

func (s hostStream) Read(dst []byte, src Memory, off int64) error {
	copy(dst, s.part(src, off, int64(len(dst))))
	return nil
}

func (s hostStream) Copy(dst Memory, dstOff int64, src Memory, srcOff, n int64) error {
	copy(s.part(dst, dstOff, n), s.part(src, srcOff, n))
	return nil
}

func (s hostStream) Fill(dst Memory, off int64, b byte, n int64) error {
	p := s.part(dst, off, n)
	for i := range p {
		p[i] = b
	}
	return nil
}
