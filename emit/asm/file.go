package asm

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// File collects the read-only data that the functions of one .s file share.
type File struct {
	data   map[string]datum
	tables map[string]table
	Tails  bool // the table of masks is used
}

func newFile() *File { return &File{data: map[string]datum{}, tables: map[string]table{}} }

// datum is one constant in read-only data.
type datum struct {
	size int
	bits uint64
}

// table is read-only data.
type table struct {
	size  int // of an element, in bytes
	words []uint64
}

// Pool returns the name of a constant's element in read-only data, "const32_3f800000<>".
func (f *File) Pool(v *emit.Value) string {
	size := v.Type.Elem.Bytes()
	return f.Word(size, Bits(v))
}

// Word returns the name of a word of so many bytes in read-only data.
func (f *File) Word(size int, bits uint64) string {
	name := fmt.Sprintf("const%d_%0*x<>", size*8, size*2, bits)
	f.data[name] = datum{size, bits}
	return name
}

// Bits returns the bits of an element of v, a constant.
func Bits(v *emit.Value) uint64 {
	if v.Type.Elem.Float() {
		return v.Type.Elem.Encode(v.Op.Attr.F)
	}
	return uint64(v.Op.Attr.Imm) & (^uint64(0) >> (64 - v.Type.Elem.Bits()))
}

// Table returns the name of read-only data with these elements.
func (f *File) Table(bits int, words []uint64) string {
	name := emit.TableKey(bits, words) + "<>"
	f.tables[name] = table{bits / 8, words}
	return name
}

func (f *File) print(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(f.data)) {
		d := f.data[name]
		fmt.Fprintf(w, "\nDATA %s+0(SB)/%d, $0x%0*x\nGLOBL %s(SB), RODATA|NOPTR, $%d\n", name, d.size, d.size*2, d.bits, name, d.size)
	}
	for _, name := range slices.Sorted(maps.Keys(f.tables)) {
		t := f.tables[name]
		fmt.Fprintln(w)
		for i, x := range t.words {
			fmt.Fprintf(w, "DATA %s+%d(SB)/%d, $0x%0*x\n", name, i*t.size, t.size, t.size*2, x)
		}
		fmt.Fprintf(w, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, len(t.words)*t.size)
	}
	if f.Tails {
		fmt.Fprintf(w, "\n// 32 bytes of ones, then of zeros: n lanes of mask begin 32 bytes less n lanes in.\n")
		for i := range 8 {
			bits := "0xffffffffffffffff"
			if i >= 4 {
				bits = "0x0000000000000000"
			}
			fmt.Fprintf(w, "DATA %s+%d(SB)/8, $%s\n", tailName, i*8, bits)
		}
		fmt.Fprintf(w, "GLOBL %s(SB), RODATA|NOPTR, $64\n", tailName)
	}
}
