package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// widened are the types that a stored b may have, which float32 has all numbers of.
var widened = map[dtype.Type]emit.Elem{dtype.TypeBF16: emit.BF16, dtype.TypeF16: emit.F16}

// narrow reports whether b is stored as another type than that of the sums.
func (p *Product) narrow() bool { return p.B != p.T }

// stored refuses a b that no kernel widens.
func (p *Product) stored() error {
	switch {
	case !p.narrow():
	case p.T != dtype.F32 || widened[p.B] == emit.None:
		return fmt.Errorf("b is stored as %v for sums in %v; want bf16 or f16 for sums in f32, or the type of the sums; cpu.SpMMOf multiplies others", p.B, p.T)
	case p.Format.Name != format.CSR.Name:
		return fmt.Errorf("b is stored as %v, and a is in the format %s; want compressed rows, or a b of %v; cpu.SpMMOf multiplies others", p.B, p.Format.Name, p.T)
	}
	return nil
}

// narrowRows are the kernels for compressed rows with a b that they widen. They all fetch early, as
// those of [NarrowRows] do.
func (p *Product) narrowRows(m *Module, most int) error {
	r := Rows{Name: p.prefix(), Op: p.operator(), Vectors: min(most, 8), Pattern: p.Pattern, B: widened[p.B], Fetch: true}
	fs, k, err := r.Lower(m.Target)
	if err != nil {
		return err
	}
	p.trim(m.Target, r.Vectors, &k)
	fetchAlways(&k)
	adopt(p, m, fs, &k)
	stock := NarrowRows{widened[p.B]}
	return shareAs(p, m, Stock{"cpu/kern/spmmnarrow", strings.ToUpper(p.B.String())}, stock.Lower)
}
