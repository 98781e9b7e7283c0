package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// structureField is the Go expression of a structure, with the names of a package: "dense."
// or "triangle.".
func (p *product) structureField(pkg string) unit.Expr {
	if p.Structure == (gemm.Structure{}) {
		return ""
	}
	var fields []string
	for _, f := range []struct {
		name string
		form gemm.Form
	}{{"A", p.Structure.A}, {"B", p.Structure.B}, {"Out", p.Structure.Out}} {
		stored, symmetric := f.form.Stored()
		if stored != gemm.General {
			fields = append(fields, fmt.Sprintf("%s: %s%v", f.name, pkg, stored))
		}
		if symmetric && f.name == "A" {
			fields = append(fields, "Symmetric: true")
		}
	}
	return unit.Exprf("%sStructure{%s}", pkg, strings.Join(fields, ", "))
}

// structureDoc says which elements there are, as sentences of a comment.
func (p *product) structureDoc() string {
	var b strings.Builder
	of := map[gemm.Form]string{gemm.Lower: "lower", gemm.Upper: "upper", gemm.UnitLower: "unit lower", gemm.UnitUpper: "unit upper"}
	for _, f := range []struct {
		name string
		form gemm.Form
	}{{"a", p.Structure.A}, {"b", p.Structure.B}} {
		switch stored, symmetric := f.form.Stored(); {
		case symmetric:
			fmt.Fprintf(&b, " %s is symmetric, and its %s triangle is read.", f.name, of[stored])
		case stored != gemm.General:
			fmt.Fprintf(&b, " %s is %s triangular: nothing else of it is read or multiplied.", f.name, of[stored])
		}
	}
	if f := p.Structure.Out; f != gemm.General {
		fmt.Fprintf(&b, " Of every output, and of operands for each element, there is the %s triangle: nothing else is computed, read or written.", of[f])
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + strings.TrimSpace(b.String()) + " These matrices are square."
}
