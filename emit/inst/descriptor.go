package inst

import (
	"encoding/binary"
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// descriptor says where a K-major tile of 16-bit elements is in shared memory.
// Section 9.7.15.5.1.2:
//
//	bits  0-13  start address >> 4
//	     16-29  leading dimension byte offset >> 4
//	     32-45  stride dimension byte offset >> 4: from 8 rows to the next 8
//	     49-51  base offset; 0, since our tiles begin where the pattern does
//	     62-63  swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//
// Rows are as long as the swizzle, 16 bytes without one. The leading dimension is then
// the step along K from one 16 bytes to the next.
type descriptor uint64

// SwizzleBytes is the swizzle field of a descriptor in words.
type SwizzleBytes int

// Descriptor returns the descriptor of the tile at address 0: the address in
// bytes, shifted right by 4, is added to it.
func Descriptor(leading, stride int, swizzle SwizzleBytes) uint64 {
	code := map[SwizzleBytes]uint64{0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
	return code<<62 | uint64(stride)&0x3ffff>>4<<32 | uint64(leading)&0x3ffff>>4<<16
}

// Swizzle returns where the byte at address at goes: the 16-byte chunks of a row
// are permuted by the row's number. It is its own inverse. Section 5.5.6.
func (s SwizzleBytes) Swizzle(at int64) int64 {
	if s == 0 {
		return at
	}
	return at ^ at>>3&(int64(s)-16)
}

// tile reads rows of 16 elements.
func (d descriptor) tile(shared *emit.Memory, rows int) ([]float32, error) {
	if shared == nil {
		return nil, fmt.Errorf("the machine has no shared memory")
	}
	if d>>49&7 != 0 {
		return nil, fmt.Errorf("base offset %d of the descriptor is not supported; begin tiles at a multiple of 1024", d>>49&7)
	}
	field := func(at int) int64 { return int64(d>>at&0x3fff) << 4 }
	start, leading, stride := field(0), field(16), field(32)
	swizzle := [...]SwizzleBytes{0, 128, 64, 32}[d>>62]
	row, step := int64(swizzle), int64(16)
	if swizzle == 0 {
		row, step = 16, leading
	}
	out := make([]float32, 0, rows*16)
	for r := range int64(rows) {
		for chunk := range int64(2) {
			at := swizzle.Swizzle(start + r/8*stride + r%8*row + chunk*step)
			p, err := shared.Read(at-int64(shared.Base), 16)
			if err != nil {
				return nil, err
			}
			for ; len(p) > 0; p = p[2:] {
				out = append(out, float32(emit.BF16.Decode(uint64(binary.LittleEndian.Uint16(p)))))
			}
		}
	}
	return out, nil
}

// SharedAddress is the number that a pointer to shared memory is, for descriptors:
// in PTX they are the same.
var SharedAddress = emit.Declare(emit.Instruction{
	Name: "mov.b64/shared",
	Doc:  "the address of shared memory as a number",
	In:   []emit.Type{emit.Pointer(emit.Shared, 0)},
	Out:  []emit.Type{emit.Int64},
	Tied: []int{-1},
	Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
		p := in[0][0]
		if p.Mem == nil {
			return fmt.Errorf("the pointer points nowhere")
		}
		out[0][0].Lane[0] = p.Mem.Base + p.Lane[0]
		return nil
	},
	Text:  map[string]string{"ptx": "mov.b64 {0}, {1};"},
	Needs: "sm_80",
})
