package emit

import (
	"fmt"
	"strconv"
	"strings"
)

// The row of the op table that looks numbers up.

// maxTable is how many elements a table has at most.
const maxTable = 4096

func init() {
	def(Def{Name: "table", Doc: "element x of a table of constants; x is below its length", Type: typeTable,
		Lane: func(_ Elem, a *Attr, x []uint64) uint64 { return a.Table[min(x[0], uint64(len(a.Table)-1))] }})
	attributes = append(attributes, attribute{name: "table", ops: []string{"table"},
		text: func(a *Attr) string {
			if len(a.Table) == 0 {
				return ""
			}
			return "[" + joined(a.Table, func(x uint64) string { return strconv.FormatInt(int64(x), 10) }) + "]"
		},
		read: func(p *parser, a *Attr) {
			p.want("[")
			p.list("elements", func() { a.Table = append(a.Table, uint64(p.int())) })
			p.want("]")
		}})
}

// typeTable: the index is an integer as wide as the element that is looked up.
func typeTable(op *Op) error {
	from, to, err := changes(op)
	if err != nil {
		return err
	}
	if n := len(op.Attr.Table); n == 0 || n > maxTable {
		return fmt.Errorf("the table has %d elements, want 1 to %d", n, maxTable)
	}
	for _, x := range op.Attr.Table {
		if x != truncate(to.Elem, x) {
			return fmt.Errorf("the bits %#x are no %v", x, to.Elem)
		}
	}
	ok := (from.Elem == I32 || from.Elem == I64) && to.Elem.Bits() == from.Elem.Bits()
	return want(ok, "cannot look up %v by %v", to, from)
}

// TableKey tells one table of elements of so many bits from another: backends name it so.
func TableKey(bits int, table []uint64) string {
	h := uint64(14695981039346656037) // FNV-1a
	for _, x := range table {
		for i := range 8 {
			h = (h ^ x>>(8*i)&0xff) * 1099511628211
		}
	}
	return strings.Join([]string{"table" + strconv.Itoa(bits), strconv.Itoa(len(table)), fmt.Sprintf("%016x", h)}, "_")
}

// Table returns the elements of e with these bits that x, integers as wide, say; each is
// below the number of elements.
func (b *Builder) Table(e Elem, bits []uint64, x *Value) *Value {
	t := x.Type
	t.Elem = e
	return b.one("table", Attr{Table: bits}, t, x)
}
