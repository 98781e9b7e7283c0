package sparse

import (
	"errors"
	"fmt"
	"testing"
)

// TestParseFormat goes from a format to its name and back, and to Go.
func TestParseFormat(t *testing.T) {
	for expr, f := range map[string]Format{
		"sparse.CSR": CSR, "sparse.CSC": CSC, "sparse.COO": COO, "sparse.DCSR": DCSR, "sparse.DIA": DIA, "sparse.Ragged": Ragged,
		"sparse.Dense": Dense, "sparse.ELL(8)": ELL(8), "sparse.DELL(3)": DELL(3), "sparse.BSR(32)": BSR(32), "sparse.DBSR(2)": DBSR(2),
		"sparse.SELL(8, 32)": SELL(8, 32), "sparse.SRBCRS(4, 2)": SRBCRS(4, 2),
	} {
		have, err := ParseFormat(f.Name)
		if err != nil || have.Name != f.Name || fmt.Sprint(have.Axes) != fmt.Sprint(f.Axes) {
			t.Errorf("ParseFormat(%q): %v %v, %v", f.Name, have, have.Axes, err)
		}
		if s := fmt.Sprintf("%#v", f); s != expr {
			t.Errorf("%s is %s in Go, want %s", f, s, expr)
		}
	}
	for _, name := range []string{"", "ell", "ell0", "ell-1", "ell8_8", "sell8", "sell8_", "csr4", "CSR", "8", "ell99999999999999999999", "ell 8", "ell08", "sell08_32", "sell8_032", "ell8_", "ell_8"} {
		if f, err := ParseFormat(name); !errors.Is(err, ErrFormat) {
			t.Errorf("ParseFormat(%q): %v, %v; want ErrFormat", name, f, err)
		}
	}
	if s := fmt.Sprintf("%#v", Format{Name: "mine"}); s != `sparse.Format{Name: "mine"}` {
		t.Error(s)
	}
}
