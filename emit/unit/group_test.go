package unit

import (
	"strings"
	"testing"
)

func TestCheckFields(t *testing.T) {
	for _, c := range []struct {
		names string
		want  string
	}{
		{"out a b bias", ""},
		{"out a b _x", "operand _x: a group's problems have a field"},
		{"out a b bias Bias", "operands bias and Bias are one field, Bias,"},
	} {
		ps := []Param{{Name: "_", Role: Unstored}}
		for _, name := range strings.Fields(c.names) {
			ps = append(ps, Param{Name: name, Type: "int"})
		}
		if err := checkFields(ps); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.names, err, c.want)
		}
		if have, want := (&Operation{Params: ps[:3]}).Fields("p"), "p.Out, p.A"; have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}
