package simd

import (
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// An origin is the kernels of a product of cpu/kern for one instruction set, which other
// packages share.
type origin struct{ Folder, Name, ISA string }

// in is a part of the stock package as others name it.
func (s *origin) in(part string) string { return path.Base(s.Folder) + "." + s.Name + part }

// table is the variable that holds a table of its kernels.
func (s *origin) table(part string) string { return s.in(part + strings.ToUpper(s.ISA)) }

// stockOf returns the product that has the kernels that multiply.
func stockOf(m *Module) *origin {
	isa := m.Target.Name
	switch m.Op {
	case gemm.BF16Dot, gemm.BF16Tiles, bf16Square:
		return &origin{"cpu/kern/gemmbf16", "BF16", isa}
	case gemm.U8I8Dot, gemm.U8I8Tiles, i8Dot, i8Square:
		return &origin{"cpu/kern/gemmi8", "U8I8", isa}
	case gemm.I8U8Dot, gemm.I8U8Tiles, u8Dot, u8Square:
		return &origin{"cpu/kern/gemmi8", "I8U8", isa}
	case gemm.I8I8Tiles:
		return &origin{"cpu/kern/gemmi8", "I8", isa}
	case gemm.U8U8Tiles:
		return &origin{"cpu/kern/gemmi8", "U8", isa}
	case gemm.I16Dot, gemm.I16Madd:
		return &origin{"cpu/kern/gemmi16", "I16", isa}
	}
	switch m.Elem {
	case dtype.C64:
		return &origin{"cpu/kern/gemmc64", "CGEMM", isa}
	case dtype.C128:
		return &origin{"cpu/kern/gemmc128", "ZGEMM", isa}
	}
	if m.Elem == dtype.F64 {
		return &origin{"cpu/kern/gemmf", "DGEMM", isa}
	}
	return &origin{"cpu/kern/gemmf", "SGEMM", isa}
}

// packed is how elements of type t become words, by the product that has the kernels for it.
// It does not depend on the instruction set where that is one of the plain ones.
func packed(t dtype.Type, op gemm.Operator) string {
	switch wide := gemm.DepthOf(op).K == 2; {
	case t.Size() == 2:
		return "I16"
	case !wide:
		return "U8I8"
	case t == dtype.U8:
		return "U8"
	}
	return "I8"
}

// plain is the instruction set that one extends in the end.
func plain(isa string) string {
	i := isaset.ByName(isa)
	for i.Extends != nil {
		i = i.Extends
	}
	return i.Name
}

// microStock returns whose the kernels that multiply are, nil if no other package has them.
func (m *Module) microStock() *origin {
	if m.Stock {
		return stockOf(m)
	}
	return nil
}

// packStock returns whose the kernels are that pack an operand of type t, nil if no other
// package has them.
func (m *Module) packStock(t dtype.Type) *origin {
	s := stockOf(m)
	switch words := takesWords(m.Op); {
	case !m.Stock, !words && (m.A != m.Elem || m.B != m.Elem):
		return nil
	case words:
		s.Folder, s.Name = "cpu/kern/gemmi8", packed(t, m.Op)
		switch {
		case s.Name != "U8I8":
			s.ISA = plain(s.ISA)
		case m.AtOnce > 1: // whose words are those of the dot product
			s.ISA = isaset.ByName(s.ISA).Extends.Name
		}
		if s.Name == "I16" {
			s.Folder = "cpu/kern/gemmi16"
		}
	}
	return s
}

// wideningStock returns whose the kernels are that widen B as they load it, nil if no B of its type is packed as it is.
func (m *Module) wideningStock() *origin {
	switch m.B {
	case dtype.TypeBF16:
		return &origin{"cpu/kern/gemmbf16", "BF16", m.Target.Name}
	case dtype.TypeF16:
		return &origin{"cpu/kern/gemmf16", "F16", m.Target.Name}
	}
	return nil
}

// owns reports whether the module has the kernels of s, nil being nobody's.
func (m *Module) owns(s *origin) bool {
	return s == nil || m.Home == path.Base(s.Folder) && m.Name == s.Name && m.Target.Name == s.ISA
}
