package format

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
)

// TestParseFormat goes from a format to its name and back, and to Go.
func TestParseFormat(t *testing.T) {
	for expr, f := range map[string]Format{
		"format.CSR": CSR, "format.CSC": CSC, "format.COO": COO, "format.DCSR": DCSR, "format.DIA": DIA, "format.Ragged": Ragged,
		"format.Dense": Dense, "format.ELL(8)": ELL(8), "format.DELL(3)": DELL(3), "format.BSR(32)": BSR(32), "format.DBSR(2)": DBSR(2),
		"format.SELL(8, 32)": SELL(8, 32), "format.SRBCRS(4, 2)": SRBCRS(4, 2),
	} {
		have, err := Parse(f.Name)
		if err != nil || have.Name != f.Name || fmt.Sprint(have.Axes) != fmt.Sprint(f.Axes) {
			t.Errorf("Parse(%q): %v %v, %v", f.Name, have, have.Axes, err)
		}
		if s := fmt.Sprintf("%#v", f); s != expr {
			t.Errorf("%s is %s in Go, want %s", f, s, expr)
		}
	}
	for _, name := range []string{"", "ell", "ell0", "ell-1", "ell8_8", "sell8", "sell8_", "csr4", "CSR", "8", "ell99999999999999999999", "ell 8", "ell08", "sell08_32", "sell8_032", "ell8_", "ell_8"} {
		if f, err := Parse(name); !errors.Is(err, sparse.ErrFormat) {
			t.Errorf("Parse(%q): %v, %v; want ErrFormat", name, f, err)
		}
	}
	if s := fmt.Sprintf("%#v", Format{Name: "mine"}); s != `format.Format{Name: "mine"}` {
		t.Error(s)
	}
}
