//go:build linux && arm64 && nodl

package peer

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// A build without a dynamic linker, which is what QEMU runs elsewhere, loads llc's objects by
// itself. They call nothing, and constants lie so near that an instruction has their distance.

// llcFlags name the machine, since llc may be one for another, and keep the register in which
// Go's signal handlers look for the goroutine.
var llcFlags = []string{"-mtriple=aarch64-linux-gnu", "-code-model=tiny", "-mattr=+reserve-x28"}

// loadObject copies an object file's sections one after another into memory that can be executed.
func loadObject(object string) (*Object, error) {
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image, starts, err := sections(f)
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	where := func(s elf.Symbol) (int, error) {
		at, ok := starts[s.Section]
		if !ok {
			return 0, fmt.Errorf("the object asks for %q, which it does not have", s.Name)
		}
		return at + int(s.Value), nil
	}
	if err := relocate(f, image, starts, symbols, where); err != nil {
		return nil, err
	}
	code, err := syscall.Mmap(-1, 0, len(image), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	copy(code, image)
	if err := syscall.Mprotect(code, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return nil, err
	}
	return &Object{func(name string) (func(args unsafe.Pointer), error) {
		for _, s := range symbols {
			if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
				at, err := where(s)
				return func(args unsafe.Pointer) { onStack(unsafe.Pointer(&code[at]), args) }, err
			}
		}
		return nil, fmt.Errorf("the object has no function %s", name)
	}}, nil
}

// sections returns what a program has in memory, and where each section begins in it.
func sections(f *elf.File) (image []byte, starts map[elf.SectionIndex]int, err error) {
	starts = map[elf.SectionIndex]int{}
	for i, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		for s.Addralign > 1 && uint64(len(image))%s.Addralign != 0 {
			image = append(image, 0)
		}
		starts[elf.SectionIndex(i)] = len(image)
		image = append(image, data...)
	}
	return image, starts, nil
}

// relocate writes distances into instructions. ELF for the Arm 64-bit Architecture, IHI 0056,
// "Static AArch64 relocations".
func relocate(f *elf.File, image []byte, starts map[elf.SectionIndex]int, symbols []elf.Symbol, where func(elf.Symbol) (int, error)) error {
	for _, s := range f.Sections {
		start, ok := starts[elf.SectionIndex(s.Info)]
		if s.Type != elf.SHT_RELA || !ok {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		for ; len(data) >= 24; data = data[24:] {
			at := start + int(binary.LittleEndian.Uint64(data))
			info, addend := binary.LittleEndian.Uint64(data[8:]), int(binary.LittleEndian.Uint64(data[16:]))
			symbol := info >> 32 // of which the first is left out of the list
			if symbol == 0 || symbol > uint64(len(symbols)) || at < 0 || at+4 > len(image) {
				return fmt.Errorf("a relocation at %d is for symbol %d of %d", at, symbol, len(symbols))
			}
			to, err := where(symbols[symbol-1])
			if err != nil {
				return err
			}
			by := to + addend - at
			if by < -1<<20 || by >= 1<<20 {
				return fmt.Errorf("a constant is %d bytes from where it is loaded", by)
			}
			bits := uint32(by) & (1<<21 - 1)
			word := binary.LittleEndian.Uint32(image[at:])
			switch kind := elf.R_AARCH64(info & (1<<32 - 1)); kind {
			case elf.R_AARCH64_ADR_PREL_LO21:
				word |= bits&3<<29 | bits>>2<<5
			case elf.R_AARCH64_LD_PREL_LO19:
				word |= bits >> 2 << 5
			default:
				return fmt.Errorf("the object has a relocation %v", kind)
			}
			binary.LittleEndian.PutUint32(image[at:], word)
		}
	}
	return nil
}

// stack is one for C functions, which do not look how much of Go's is left. One runs at a time.
var stack struct {
	sync.Mutex
	bytes []byte
}

// onStack calls a C function of one pointer.
func onStack(function, args unsafe.Pointer) {
	const size = 256 << 10 // kernels keep a few results there
	stack.Lock()
	defer stack.Unlock()
	if stack.bytes == nil {
		stack.bytes = make([]byte, size) // begins at a page
	}
	call(function, unsafe.Pointer(&stack.bytes[size-16]), args)
}

// call calls a C function of one pointer on the stack that ends at top, a multiple of 16.
func call(function, top, args unsafe.Pointer)
