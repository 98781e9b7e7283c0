package dtype

import "testing"

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		got      Type
		name, in string
		size     int
	}{
		{Of[float32](), "f32", "float32", 4},
		{Of[float64](), "f64", "float64", 8},
	} {
		if c.got.String() != c.name || c.got.Go() != c.in || c.got.Size() != c.size {
			t.Errorf("%v: in Go %s, %d bytes; want %s, %s, %d", c.got, c.got.Go(), c.got.Size(), c.name, c.in, c.size)
		}
		if back, err := Parse(c.name); back != c.got || err != nil {
			t.Errorf("Parse(%q) = %v, %v", c.name, back, err)
		}
	}
	if F32 == F64 || Of[float32]() != F32 || Of[float64]() != F64 {
		t.Errorf("Of gives %v and %v", Of[float32](), Of[float64]())
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "f", "f16", "F32", "float32", "invalid", "f32 "} {
		switch got, err := Parse(s); {
		case err == nil:
			t.Errorf("Parse(%q) = %v", s, got)
		case got != Invalid:
			t.Errorf("Parse(%q) = %v with an error", s, got)
		}
	}
	_, err := Parse("f17")
	if want := `dtype: unknown element type "f17"; known are f32 and f64`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestInvalid(t *testing.T) {
	var zero Type
	if zero != Invalid || zero.String() != "invalid" {
		t.Errorf("the zero Type is %v", zero)
	}
	if got := Type(200).String(); got != "dtype(200)" {
		t.Errorf("a Type that is none prints as %q", got)
	}
}
