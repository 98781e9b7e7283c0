package gencmd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
)

// structureFlag is what --structure says: which elements there are of a product's matrices.
type structureFlag struct{ gemm.Structure }

// forms are the words of --structure, and how a spec has them.
var forms = []struct {
	word string
	form gemm.Form
	text string
}{
	{"lower", gemm.Lower, "gemm.Lower"}, {"upper", gemm.Upper, "gemm.Upper"},
	{"unitlower", gemm.UnitLower, "gemm.UnitLower"}, {"unitupper", gemm.UnitUpper, "gemm.UnitUpper"},
	{"symmetriclower", gemm.Symmetric(gemm.Lower), "gemm.Symmetric(gemm.Lower)"}, {"symmetricupper", gemm.Symmetric(gemm.Upper), "gemm.Symmetric(gemm.Upper)"},
}

// each calls f for every matrix that has a form.
func (s *structureFlag) each(f func(of, word, text string)) {
	for _, x := range []struct {
		of   string
		form gemm.Form
	}{{"a", s.A}, {"b", s.B}, {"out", s.Out}} {
		for _, known := range forms {
			if known.form == x.form {
				f(x.of, known.word, known.text)
			}
		}
	}
}

func (s *structureFlag) String() string {
	var list []string
	s.each(func(of, word, _ string) { list = append(list, of+"="+word) })
	return strings.Join(list, ",")
}

// Type is how the help calls the value.
func (s *structureFlag) Type() string { return "MATRIX=FORM,..." }

// Set reads a list such as a=lower,out=upper.
func (s *structureFlag) Set(text string) error {
	s.Structure = gemm.Structure{}
	for item := range strings.SplitSeq(text, ",") {
		of, word, _ := strings.Cut(item, "=")
		at := map[string]*gemm.Form{"a": &s.A, "b": &s.B, "out": &s.Out}[of]
		if at == nil {
			return fmt.Errorf("%q is not a matrix and its form; write a=FORM, b=FORM or out=FORM, as in a=symmetriclower,out=upper", item)
		}
		if *at != gemm.General {
			return fmt.Errorf("%s has two forms", of)
		}
		for _, known := range forms {
			if known.word == strings.ToLower(word) {
				*at = known.form
			}
		}
		if *at == gemm.General {
			return fmt.Errorf("%q is not a form; there are lower, upper, unitlower, unitupper, symmetriclower and symmetricupper", word)
		}
	}
	return nil
}

// given reports whether any matrix has a form.
func (s *structureFlag) given() bool { return s.Structure != gemm.Structure{} }

// text is the field of a spec.
func (s *structureFlag) text() string {
	var list []string
	s.each(func(of, _, text string) {
		list = append(list, map[string]string{"a": "A", "b": "B", "out": "Out"}[of]+": "+text)
	})
	return fmt.Sprintf("Structure: gemm.Structure{%s}", strings.Join(list, ", "))
}
