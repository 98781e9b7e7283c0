package lower

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/sparse"
)

// Stock is a list of kernels by the name of the field of the table in cpu/run that
// takes them.
type Stock struct {
	Field string
	Names []string
}

// StockRows lowers what the stock package for element type e has, as fields of a
// run.RowKernels.
func StockRows(e emit.Elem, t emit.Target) (fs []*emit.Func, lists []Stock, err error) {
	for _, fetch := range []bool{false, true} {
		name, suffix := "rows", ""
		if fetch {
			name, suffix = "rowsfetch", "Fetch"
		}
		more, full, tail, err := Rows{Name: name, Op: NewSum(e), Fetch: fetch}.Lower(t)
		if err != nil {
			return nil, nil, err
		}
		fs = append(fs, more...)
		lists = append(lists, Stock{"Full" + suffix, full}, Stock{"Tail" + suffix, tail})
	}
	f, err := Vec{Name: "vec", Elem: e}.Lower(t)
	return append(fs, f), append(lists, Stock{"Vec", []string{f.Name}}), err
}

// formats are those that the stock packages have kernels for besides compressed
// rows. Sizes are left to run time, but for axes that always have one position.
func formats() []Nest {
	row := sparse.Axis{Name: "i"}
	rows := sparse.Axis{Name: "i", Variable: true, Sparse: true} // only some
	one := sparse.Axis{Name: "j", Size: 1, Sparse: true}
	group := []sparse.Axis{{Name: "io"}, {Name: "p", Variable: true}, {Name: "ii"}}
	return []Nest{
		{Name: "dense", Axes: []sparse.Axis{row, {Name: "j"}}, Masked: true, Vectors: 4},
		{Name: "csc", Axes: []sparse.Axis{{Name: "j"}, rows}, Vectors: 4},
		{Name: "coo", Axes: []sparse.Axis{rows, one}},
		{Name: "dcsr", Axes: []sparse.Axis{rows, {Name: "j", Variable: true, Sparse: true}}},
		{Name: "ell", Axes: []sparse.Axis{row, {Name: "j", Sparse: true}}},
		{Name: "dell", Axes: []sparse.Axis{rows, {Name: "j", Sparse: true}}},
		{Name: "sell", Axes: append(group[:3:3], one), Ordered: true},
		{Name: "dia", Axes: []sparse.Axis{{Name: "d", Sparse: true}, row}, Masked: true, Vectors: 4},
		{Name: "ragged", Axes: []sparse.Axis{row, {Name: "j", Variable: true}}, Vectors: 4},
		{Name: "srbcrs", Axes: append(group[:3:3], sparse.Axis{Name: "j", Sparse: true, Parent: "p"}), Masked: true, Vectors: 4},
	}
}

// StockNest is the kernels for one format of the stock package.
type StockNest struct {
	Loops      string
	Full, Tail []string
}

// StockNests lowers the kernels for formats that the stock package for element type
// e has.
func StockNests(e emit.Elem, t emit.Target) (fs []*emit.Func, sets []StockNest, err error) {
	for _, n := range formats() {
		n.Op = NewSum(e)
		more, full, tail, err := n.Lower(t)
		if err != nil {
			return nil, nil, err
		}
		fs = append(fs, more...)
		sets = append(sets, StockNest{sparse.Loops(n.Axes, n.Masked, n.Ordered), full, tail})
	}
	return fs, sets, nil
}
