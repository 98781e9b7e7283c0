package gen

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// stock is a product or a family of cpu/kern whose kernels other packages share.
type stock struct{ folder, name string }

// stockOf returns the stock product with the sums of m.
func stockOf(m *gemm.Module) stock {
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
func parts(b *strings.Builder, name string, m *gemm.Module, first int) (micro, packers string) {
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
		micro = place("Micro", "MicroKernels", microFields(m, first))
	}
	if m.StockPackers() {
		return micro, shared("Pack")
	}
	list := func(names []string) string { return "[]run.Kernel{" + strings.Join(names, ", ") + "}" }
	return micro, place("Pack", "Packers", fmt.Sprintf("PackRows: %s,\nPackCols: %s,\nPackRowsA: %s,\nPackColsA: %s,\n",
		list(m.PackRows), m.PackCols, list(m.PackRowsA), m.PackColsA))
}

// microFields are those of a run.MicroKernels.
func microFields(m *gemm.Module, first int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "MR: %d, NV: %d, VL: %d,\n", m.Tile.MR, m.Tile.NV, m.VL)
	if byName(m) && first > 0 {
		fmt.Fprintf(&b, "First: %d,\n", first)
	}
	table := func(field string, rows [][]string) {
		fmt.Fprintf(&b, "%s: [][]run.Kernel{\n", field)
		for _, names := range rows {
			b.WriteString(kernelRow(names) + ",\n")
		}
		b.WriteString("},\n")
	}
	table("Full", m.Full)
	table("Tail", m.Tail)
	tiles := func(field string, ts []gemm.Tiled) {
		if len(ts) == 0 {
			return
		}
		fmt.Fprintf(&b, "%s: []run.TileKernel{\n", field)
		for _, t := range ts {
			fmt.Fprintf(&b, "{MR: %d, NV: %d, F: %s},\n", t.MR, t.NV, t.Name)
		}
		b.WriteString("},\n")
	}
	tiles("Wide", m.Wide)
	tiles("Dot", m.Dot)
	return b.String()
}
