package emit

import (
	"encoding/binary"
	"fmt"
)

// Memory is a piece of memory that the interpreter's pointers point into: one
// array of a test, or the shared memory of a CTA. Nothing outside it can be
// touched through a pointer to it.
type Memory struct {
	Name     string // for messages
	Space    Space
	Data     []byte
	ReadOnly bool
	// Base is the address of Data[0]: what alignment is counted from, and in
	// shared memory what descriptors contain.
	Base uint64
	// Undef has a bit for every byte that nothing has written yet; reading one is
	// an error. Nil (see [Memory.Track]) means that all bytes are defined.
	Undef []uint64
}

// MemoryOf returns memory that holds data, a slice of fixed-size numbers, in
// little-endian order.
func MemoryOf(name string, space Space, data any) *Memory {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic("emit: memory " + name + ": " + err.Error()) // a mistake in the test that calls
	}
	return &Memory{Name: name, Space: space, Data: b}
}

// NewMemory returns size bytes of undefined memory.
func NewMemory(name string, space Space, size int) *Memory {
	m := &Memory{Name: name, Space: space, Data: make([]byte, size)}
	m.Track()
	return m
}

// Track declares all bytes undefined from here on.
func (m *Memory) Track() {
	m.Undef = make([]uint64, (len(m.Data)+63)/64)
	for i := range m.Undef {
		m.Undef[i] = ^uint64(0)
	}
}

// Decode copies the start of the memory into data, a pointer to a number or a
// slice of numbers.
func (m *Memory) Decode(data any) {
	if _, err := binary.Decode(m.Data, binary.LittleEndian, data); err != nil {
		panic("emit: memory " + m.Name + ": " + err.Error()) // a mistake in the test that calls
	}
}

// Read returns the n bytes at offset off; the caller must not change them.
func (m *Memory) Read(off int64, n int) ([]byte, error) {
	if err := m.Bounds("reads", off, n); err != nil {
		return nil, err
	}
	if m.Undef != nil {
		for i := off; i < off+int64(n); i++ {
			if m.Undef[i/64]>>(i%64)&1 == 1 {
				return nil, fmt.Errorf("reads %d bytes at offset %d of %s: nothing has written offset %d", n, off, m.Name, i)
			}
		}
	}
	return m.Data[off : off+int64(n)], nil
}

// Write stores p at offset off.
func (m *Memory) Write(off int64, p []byte) error {
	dst, err := m.writable(off, len(p))
	copy(dst, p)
	return err
}

// writable returns the n bytes at off, which the caller is about to write.
func (m *Memory) writable(off int64, n int) ([]byte, error) {
	if err := m.Bounds("writes", off, n); err != nil {
		return nil, err
	}
	if m.ReadOnly {
		return nil, fmt.Errorf("writes %d bytes at offset %d of %s, which is read-only", n, off, m.Name)
	}
	if m.Undef != nil {
		for i := off; i < off+int64(n); i++ {
			m.Undef[i/64] &^= 1 << (i % 64)
		}
	}
	return m.Data[off : off+int64(n)], nil
}

// Bounds returns an error, which says "verb n bytes", unless the n bytes at offset
// off are inside the memory.
func (m *Memory) Bounds(verb string, off int64, n int) error {
	if m == nil {
		return fmt.Errorf("%s %d bytes through a pointer that points nowhere", verb, n)
	}
	if off < 0 || off > int64(len(m.Data)-n) {
		return fmt.Errorf("%s %d bytes at offset %d of %s, which has %d bytes", verb, n, off, m.Name, len(m.Data))
	}
	return nil
}

// aligned returns an error unless offset off is at a multiple of align bytes.
func (m *Memory) aligned(off int64, align int) error {
	if align > 1 && m != nil && (m.Base+uint64(off))&uint64(align-1) != 0 {
		return fmt.Errorf("offset %d of %s is not a multiple of %d bytes", off, m.Name, align)
	}
	return nil
}

// load fills out with consecutive elements.
func (m *Memory) load(e Elem, off int64, out []uint64) error {
	n := e.Bytes()
	b, err := m.Read(off, n*len(out))
	if err != nil {
		return err
	}
	for i := range out {
		switch n {
		case 1:
			out[i] = uint64(b[i])
		case 2:
			out[i] = uint64(binary.LittleEndian.Uint16(b[2*i:]))
		case 4:
			out[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
		default:
			out[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
	return nil
}

// store writes consecutive elements.
func (m *Memory) store(e Elem, off int64, in []uint64) error {
	n := e.Bytes()
	b, err := m.writable(off, n*len(in))
	if err != nil {
		return err
	}
	for i, x := range in {
		switch n {
		case 1:
			b[i] = byte(x)
		case 2:
			binary.LittleEndian.PutUint16(b[2*i:], uint16(x))
		case 4:
			binary.LittleEndian.PutUint32(b[4*i:], uint32(x))
		default:
			binary.LittleEndian.PutUint64(b[8*i:], x)
		}
	}
	return nil
}
