package lower

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// StockRows are the kernels for compressed rows of the stock package, of one element
// type.
type StockRows struct{ Elem emit.Elem }

// Lower returns the kernels for one target.
func (s StockRows) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	fs, k, err = Rows{Name: stockName(s.Elem, "rows"), Op: NewSum(s.Elem)}.Lower(t)
	if err != nil {
		return nil, k, err
	}
	early, fetch, err := Rows{Name: stockName(s.Elem, "rowsfetch"), Op: NewSum(s.Elem), Fetch: true}.Lower(t)
	if err != nil {
		return nil, k, err
	}
	f, err := Vec{Name: stockName(s.Elem, "vec"), Elem: s.Elem}.Lower(t)
	if err != nil {
		return nil, k, err
	}
	k.Entries = append(k.Entries, fetch.Entries...)
	k.Add(kernel.Columns, 1, 1, f.Name)
	k.Sort()
	return append(append(fs, early...), f), k, nil
}

// stockName is a name in a package that has the same kernels of other elements too.
func stockName(e emit.Elem, name string) string { return strings.ToLower(e.String()) + name }

// NarrowRows are the kernels for compressed rows with float32 sums and a B of an element
// type that is half as long. They all fetch early, and from where a call is if it says 0
// entries ahead: such a B is for gathers from beyond L1. More vectors at once would save
// loads of an index, and take assembly for each number of them.
type NarrowRows struct{ B emit.Elem }

// Lower returns the kernels for one target.
func (s NarrowRows) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	fs, k, err = Rows{Name: stockName(s.B, "rows"), Op: NewSum(emit.F32), B: s.B, Vectors: 8, Fetch: true}.Lower(t)
	fetchAlways(&k)
	return fs, k, err
}

// fetchAlways makes kernels that fetch stand where those that do not would.
func fetchAlways(k *kernel.Table[string]) {
	for _, e := range k.Entries {
		e.Form -= kernel.Fetch - kernel.Panel
		k.Entries = append(k.Entries, e)
	}
	k.Sort()
}

// StockNests are the kernels for other formats of the stock package for an element type.
type StockNests struct{ Elem emit.Elem }

// Lower returns the kernels for one target.
func (s StockNests) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	k.ISA, k.VL = t.Name, t.Lanes(s.Elem)
	for _, n := range formats() {
		n.Name, n.Op = stockName(s.Elem, n.Name), NewSum(s.Elem)
		more, loops, err := n.Lower(t)
		if err != nil {
			return nil, k, err
		}
		fs, k.Entries = append(fs, more...), append(k.Entries, loops.Entries...)
	}
	return fs, k, nil
}

// formats are those that the stock packages have kernels for besides compressed
// rows. Parameters are left to run time, so that any will do here but 1.
func formats() []Nest {
	const few = 4 // vectors of formats that take long over an entry anyway
	return []Nest{
		general(format.Dense, few), general(format.CSC, few), general(format.COO, 0), general(format.DCSR, 0),
		general(format.ELL(2), 0), general(format.DELL(2), 0), general(format.SELL(2, 2), 0),
		general(format.DIA, few), general(format.Ragged, few), general(format.SRBCRS(2, 2), few),
	}
}

// general is the family for a format whatever its parameters are.
func general(f format.Format, vectors int) Nest {
	n := Nest{Name: strings.TrimRight(f.Name, "0123456789_"), Axes: slices.Clone(f.Axes), Masked: f.Masks(), Ordered: f.Ordered, Vectors: vectors}
	for k := range n.Axes {
		if n.Axes[k].Size > 1 {
			n.Axes[k].Size = 0
		}
	}
	return n
}
