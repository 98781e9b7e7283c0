package lower

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// sum reports whether the matrix is a sum of parts.
func (p *Product) sum() bool { return len(p.Parts) > 0 }

// parts looks up the loops of the parts of a sum. They are those of a format whatever its parameters are, as
// the stock packages have them, so that one family serves parts of all widths.
func (p *Product) parts() error {
	switch {
	case !p.sum():
		return nil
	case p.Format.Name != format.CSR.Name:
		return fmt.Errorf("format %v and Parts: the matrix has a format, or is a sum of parts in some; leave Format out", p.Format)
	case p.narrow():
		return errors.New("a sum of parts has a dense operand of the type of its sums")
	}
	loops := []string{format.CSR.Loops()}
	for _, f := range append([]format.Format{format.DCSR}, p.Parts...) {
		if err := holds(f); err != nil {
			return err
		}
		n := familyOf(f)
		if text := f.Loops(); !slices.Contains(loops, text) {
			loops, p.Nests = append(loops, text), append(p.Nests, n)
		}
	}
	return nil
}

// familyOf is the family of the stock packages for a format, or else one like it.
func familyOf(f format.Format) Nest {
	n := general(f, 0)
	for _, stock := range formats() {
		if stock.Name == n.Name {
			n.Vectors = stock.Vectors
		}
	}
	return n
}

// LowerParts makes the kernels of the parts of a sum for one target: nil if the matrix is none.
func (p *Product) LowerParts(t emit.Target) (*Module, error) {
	if !p.sum() {
		return nil, nil
	}
	q := *p
	q.Loops = "those of parts" // fewer vectors than rows have
	return p.fitted(t, q.widest(t), p.nests)
}

// nests are the kernels for the parts.
func (p *Product) nests(m *Module, most int) error {
	var fs []*emit.Func
	k := kernel.Table[string]{ISA: m.Target.Name, VL: m.VL}
	for _, n := range p.Nests {
		n.Pattern, n.Op, n.Lanes = p.Pattern, p.operator(), m.VL
		if n.Vectors == 0 || n.Vectors > most {
			n.Vectors = most
		}
		n.Name = p.prefix() + "_" + n.Name
		more, loops, err := n.Lower(m.Target)
		if err != nil {
			return err
		}
		p.trim(m.Target, n.Vectors, &loops)
		fs, k.Entries = append(fs, more...), append(k.Entries, loops.Entries...)
	}
	adopt(p, m, fs, &k)
	return share(p, m, "spmmf", "Nests", StockNests{p.elem}.Lower)
}
