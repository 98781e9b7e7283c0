package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// testOf is the test of the units of a spec, for the targets of all.
func testOf(us []*unit.Unit) []unit.Decl {
	var ds []unit.Decl
	u, own := us[0], ""
	for _, u := range us {
		own += u.Oracle.Own
	}
	for _, c := range u.Oracle.Checks {
		body := strings.Replace(c.Body, unit.OwnHere, own, 1)
		if u.Oracle.ISAs != nil {
			body = fmt.Sprintf(`for _, isa := range %s {
	t.Run("isa="+isa, func(t *testing.T) {
		if !slices.Contains(run.ISAs(), isa) {
			t.Skipf("this machine or build has no %%s", isa)
		}
		%s
	})
}`, isas(us), body)
		}
		ds = append(ds, testFunc("Test", u, c, unit.Param{Name: "t", Type: "*testing.T"}, body))
	}
	if c := u.Oracle.Bench; c.Body != "" {
		body := fmt.Sprintf(`for _, isa := range %s {
	if !slices.Contains(run.ISAs(), isa) {
		continue
	}
	%s
}`, isas(us), c.Body)
		ds = append(ds, testFunc("Benchmark", u, c, unit.Param{Name: "b", Type: "*testing.B"}, body))
	}
	return append(ds, u.Oracle.Decls...)
}

func testFunc(kind string, u *unit.Unit, c unit.Check, param unit.Param, body string) unit.Func {
	name := kind + unit.Upper(u.Name) + c.Suffix
	return unit.Func{Doc: name + " " + c.Doc, Name: name, Params: []unit.Param{param}, Body: body}
}

// isas lists them as Go does, the portable code last.
func isas(us []*unit.Unit) string {
	var b strings.Builder
	for _, u := range us {
		for _, isa := range u.Oracle.ISAs {
			fmt.Fprintf(&b, "%q, ", isa)
		}
	}
	return "[]string{" + b.String() + "run.Portable}"
}
