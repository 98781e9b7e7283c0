package gen

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// stock is a product or a family of cpu/kern whose kernels other packages share.
type stock struct{ folder, name string }

// stockOf returns the stock product with the sums of m.
func stockOf(m *simd.Module) stock {
	if m.Elem == dtype.F64 {
		return stock{"cpu/kern/gemmf64", "DGEMM"}
	}
	return stock{"cpu/kern/gemmf32", "SGEMM"}
}

// variable is what the stock package calls a part of its kernels for a target; "" is
// all of a family.
func (s stock) variable(part string, t emit.Target) string {
	return s.name + part + strings.ToUpper(t.Name)
}

// parts writes the tables of kernels that multiply and that pack, if they are the spec's
// own, and returns expressions for pointers to them. first is the number of the first
// kernel.
func parts(b *strings.Builder, name string, m *simd.Module, first int) (micro, packers string) {
	place := func(part, typ, fields string) string {
		if !m.Standalone {
			return "&run." + typ + "{\n" + fields + "}"
		}
		v := stock{name: name}.variable(part, m.Target)
		fmt.Fprintf(b, "// %s is for packages that share it.\nvar %s = run.%s{\n%s}\n\n", v, v, typ, fields)
		return "&" + v
	}
	shared := func(part string) string {
		s := stockOf(m)
		return "&" + path.Base(s.folder) + "." + s.variable(part, m.Target)
	}
	if m.Stock {
		micro = shared("Micro")
	} else {
		t := m.MicroKernels
		if byName(m) {
			t.First = first
		}
		micro = place("Micro", "MicroKernels", tableText(t, "run.Kernel"))
	}
	if m.StockPackers() {
		return micro, shared("Pack")
	}
	return micro, place("Pack", "Packers", tableText(m.Packers, "run.Kernel"))
}
