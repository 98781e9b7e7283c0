package emu

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/cuda"
)

// A Kernel is what PTX text says of one of its kernels.
type Kernel struct {
	Name   string
	Line   int // of the text, from 1
	Params []Param
	// Threads is what .reqntid or .maxntid says of a block; Exact is that of .reqntid.
	// It is 0 if the text has neither.
	Threads [3]int
	Exact   bool
}

// A Param is a parameter of a kernel. Its bytes lie at Offset in the block of all.
type Param struct {
	Name   string
	Type   string // "u64", "b8"
	Array  bool   // of elements of Type: a structure passed by value
	Bytes  int
	Offset int
	Align  int
}

// Kernels returns the kernels of PTX text, in its order, without compiling them. The
// error is that of [Device.Load].
func Kernels(ptx string) ([]Kernel, error) {
	text, err := parse(ptx)
	if err != nil {
		return nil, refused(ptx, err)
	}
	var list []Kernel
	for _, f := range text.funcs {
		if !f.entry {
			continue
		}
		k := Kernel{Name: f.name, Line: f.line, Threads: f.maxntid, Exact: f.reqntid}
		for _, v := range f.params {
			k.Params = append(k.Params, Param{Name: v.name, Type: v.typ.name, Array: v.size != int64(v.typ.size),
				Bytes: int(v.size), Offset: int(v.offset), Align: int(v.align)})
		}
		list = append(list, k)
	}
	return list, nil
}

// Unwritten returns how many bytes of m nobody ever wrote, neither a kernel nor
// [cuda.Stream], and where the first of them is.
func (d *Device) Unwritten(m cuda.Memory) (first, n int64, err error) {
	x, err := owned[*memory](d, "memory", m)
	if err == nil {
		err = d.open()
	}
	if err != nil {
		return 0, 0, err
	}
	b := x.b
	size := int64(len(b.data))
	b.each(0, size, func(at, k int) {
		for i := at; i < at+k; i += 64 {
			gap := ^b.written[i>>6]
			if left := at + k - i; left < 64 {
				gap &= 1<<left - 1
			}
			if gap != 0 && n == 0 {
				first = int64(i + bits.TrailingZeros64(gap))
			}
			n += int64(bits.OnesCount64(gap))
		}
	})
	return first, n, nil
}

// Name gives m a name for what faults say of it: "x.npy".
func (d *Device) Name(m cuda.Memory, name string) {
	if x, ok := m.(*memory); ok && x.d == d {
		d.heap.mu.Lock()
		defer d.heap.mu.Unlock()
		x.b.name = clip(name)
	}
}
