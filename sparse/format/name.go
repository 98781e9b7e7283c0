package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/sparse"
)

// plainFormats are those without parameters, by name and as Go spells them.
var plainFormats = []struct {
	format *Format
	expr   string
}{
	{&CSR, "format.CSR"}, {&CSC, "format.CSC"}, {&COO, "format.COO"}, {&DCSR, "format.DCSR"},
	{&DIA, "format.DIA"}, {&Ragged, "format.Ragged"}, {&Dense, "format.Dense"},
}

// formatMakers are those with one parameter or two.
var formatMakers = []struct {
	name, expr string
	one        func(int) Format
	two        func(int, int) Format
}{
	{"ell", "format.ELL", ELL, nil}, {"dell", "format.DELL", DELL, nil}, {"bsr", "format.BSR", BSR, nil}, {"dbsr", "format.DBSR", DBSR, nil},
	{"sell", "format.SELL", nil, SELL}, {"srbcrs", "format.SRBCRS", nil, SRBCRS},
}

// Parse returns the format of this package that is called name, as formats
// call themselves: csr, ell8, sell8_32. A parameter of any size makes a format; what a
// matrix cannot afford is refused by [Pack], see [sparse.MaxSlots].
func Parse(name string) (Format, error) {
	f, _, err := parseFormat(name)
	return f, err
}

// GoString returns the format as a Go expression, as in format.ELL(8), for %#v and
// generated code. One that is not of this package is a literal with its name only.
func (f Format) GoString() string {
	if _, expr, err := parseFormat(f.Name); err == nil {
		return expr
	}
	return fmt.Sprintf("format.Format{Name: %q}", f.Name)
}

func parseFormat(name string) (f Format, expr string, err error) {
	for _, p := range plainFormats {
		if p.format.Name == name {
			return *p.format, p.expr, nil
		}
	}
	word := strings.TrimRight(name, "0123456789_")
	for _, m := range formatMakers {
		if m.name != word {
			continue
		}
		first, second, cut := strings.Cut(name[len(word):], "_")
		x, err1 := strconv.Atoi(first)
		y, err2 := strconv.Atoi(second)
		switch {
		case err1 == nil && x > 0 && !cut && m.one != nil:
			f, expr = m.one(x), fmt.Sprintf("%s(%d)", m.expr, x)
		case err1 == nil && err2 == nil && x > 0 && y > 0 && cut && m.two != nil:
			f, expr = m.two(x, y), fmt.Sprintf("%s(%d, %d)", m.expr, x, y)
		}
		if expr != "" && f.Name == name { // ell08 is no name
			return f, expr, nil
		}
	}
	return Format{}, "", sparse.Errorf(sparse.ErrFormat, strconv.Quote(name), "csr, csc, coo, dcsr, dia, ragged, dense, ellW, dellW, bsrB, dbsrB, sellC_S or srbcrsT_G, as in ell8 or sell8_32", "no such format")
}
