package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MaxParams is how many bytes of parameters a kernel may have (PTX ISA, "Kernel
// Function Parameters"). PTX 8.1 allows 32764 on sm_70, which we do not need.
const MaxParams = 4096

// Params is the block of a kernel's parameters. Each is put at the next multiple
// of its size, as PTX lays out a .param list. So make the calls in the order of the
// kernel's declaration:
//
//	p := cuda.NewParams()
//	defer p.Release()
//	p.Pointer(out.Address())
//	p.Int32(int32(out.Rows))
//	err := f.Launch(stream, grid, p.Block())
//
// Nothing is allocated for a block from NewParams once the program is warm. The zero
// Params is also empty and ready for use.
type Params struct {
	n    int
	over bool
	buf  [MaxParams]byte
}

var paramsPool = sync.Pool{New: func() any { return new(Params) }}

// NewParams returns an empty block.
func NewParams() *Params {
	p := paramsPool.Get().(*Params)
	p.Reset()
	return p
}

// Release gives p back, for a later NewParams. It may be called as soon as Launch
// has returned, and p is not to be used after.
func (p *Params) Release() { paramsPool.Put(p) }

// Reset makes p empty.
func (p *Params) Reset() { p.n, p.over = 0, false }

// Block returns what was put so far. It panics if that is more than [MaxParams]
// bytes, which no kernel takes.
func (p *Params) Block() []byte {
	if p.over {
		panic(fmt.Sprintf("cuda: the parameters have more than %d bytes, which is all that a kernel may take", MaxParams))
	}
	return p.buf[:p.n]
}

// reserve returns the place of the next size bytes, and where that is. Skipped bytes
// are zero, so equal calls give equal blocks.
func (p *Params) reserve(size, align int) ([]byte, int) {
	at := (p.n + align - 1) / align * align
	if size > MaxParams-at {
		p.over = true
		return make([]byte, size), at // Block will panic
	}
	clear(p.buf[p.n:at])
	p.n = at + size
	return p.buf[at:p.n], at
}

// Pointer puts an address of 8 bytes and returns its offset, as all of these do.
func (p *Params) Pointer(address uint64) int { return p.Uint64(address) }

// Uint64 puts 8 bytes.
func (p *Params) Uint64(x uint64) int {
	b, at := p.reserve(8, 8)
	binary.LittleEndian.PutUint64(b, x)
	return at
}

// Int64 puts 8 bytes.
func (p *Params) Int64(x int64) int { return p.Uint64(uint64(x)) }

// Uint32 puts 4 bytes.
func (p *Params) Uint32(x uint32) int {
	b, at := p.reserve(4, 4)
	binary.LittleEndian.PutUint32(b, x)
	return at
}

// Int32 puts 4 bytes.
func (p *Params) Int32(x int32) int { return p.Uint32(uint32(x)) }

// Float32 puts 4 bytes.
func (p *Params) Float32(x float32) int { return p.Uint32(math.Float32bits(x)) }

// Float64 puts 8 bytes.
func (p *Params) Float64(x float64) int { return p.Uint64(math.Float64bits(x)) }

// Bytes puts b at a multiple of align, which is a power of two: a structure, or
// a .param array.
func (p *Params) Bytes(b []byte, align int) int {
	if align <= 0 || align&(align-1) != 0 {
		panic(fmt.Sprintf("cuda: alignment %d of a parameter is not a power of two", align))
	}
	dst, at := p.reserve(len(b), align)
	copy(dst, b)
	return at
}

// Scalar puts the bits of one element at a multiple of its size.
func Scalar[T dtype.Elem](p *Params, x T) int {
	size := int(elemSize[T]())
	dst, at := p.reserve(size, size)
	one := [1]T{x}
	copy(dst, bytesOf(one[:]))
	return at
}
