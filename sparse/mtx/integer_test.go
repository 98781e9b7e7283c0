package mtx

import (
	"fmt"
	"strings"
	"testing"
)

// TestVisitInteger: integers come as they are, the mirrored ones of a skew-symmetric
// matrix with the other sign.
func TestVisitInteger(t *testing.T) {
	for _, c := range []struct{ kind, lines, want string }{
		{"integer general", "1 1 9007199254740993\n1 2 -9223372036854775808\n2 2 9223372036854775807", "[0 0 9007199254740993] [0 1 -9223372036854775808] [1 1 9223372036854775807]"},
		{"unsigned-integer general", "1 1 1\n2 1 9223372036854775807\n2 2 +0", "[0 0 1] [1 0 9223372036854775807] [1 1 0]"},
		{"integer skew-symmetric", "1 1 0\n2 1 -9007199254740993\n2 2 0", "[0 0 0] [1 0 -9007199254740993] [0 1 9007199254740993] [1 1 0]"},
		{"integer symmetric", "1 1 3\n2 1 -4\n2 2 5", "[0 0 3] [1 0 -4] [0 1 -4] [1 1 5]"},
		{"pattern symmetric", "1 1\n2 1\n2 2", "[0 0 1] [1 0 1] [0 1 1] [1 1 1]"},
		{"unsigned-integer general", "1 1 9223372036854775808\n2 1 1\n2 2 1", "that int64 cannot hold"},
		{"integer skew-symmetric", "2 1 -9223372036854775808\n2 1 1\n2 1 1", "that int64 cannot hold"},
		{"integer general", "2 1 -9223372036854775809\n2 1 1\n2 1 1", "that int64 cannot hold"},
		{"integer general", "2 1 1e3\n2 1 1\n2 1 1", "is not an integer"},
		{"real general", "1 1 1\n2 1 1\n2 2 1", "was to be read as integers"},
	} {
		var have []string
		r, err := NewReader(strings.NewReader("%%MatrixMarket matrix coordinate "+c.kind+"\n2 2 3\n"+c.lines), Options{Expand: true})
		if err == nil {
			err = r.VisitInteger(func(i, j int, v int64) error {
				have = append(have, fmt.Sprint([]any{i, j, v}))
				return nil
			})
		}
		got := strings.Join(have, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.want) && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.kind, got, c.want)
		}
	}
}

// TestLenient: what SciPy reads besides the standard.
func TestLenient(t *testing.T) {
	for _, c := range []struct{ kind, lines, want string }{
		{"pattern general", "1 1 7.5\n2 1", "2x2: 0,0=1 1,0=1"},
		{"real skew-symmetric", "1 1 7.5\n2 1 3", "2x2: 0,0=7.5 1,0=3 0,1=-3"},
		{"integer general", "1 1 9007199254740993\n2 1 18446744073709551615", "2x2: 0,0=9.007199254740992e+15 1,0=1.8446744073709552e+19"},
		{"pattern skew-symmetric", "1 1\n2 1", "2x2: 0,0=1 1,0=1 0,1=-1"},
		{"pattern hermitian", "1 1\n2 1", "2x2: 0,0=1 1,0=1 0,1=1"},
		{"real hermitian", "1 1 2\n2 1 3", "2x2: 0,0=2 1,0=3 0,1=3"},
		{"complex hermitian", "1 1 2 1\n2 1 3 4", "2x2: 0,0=2+1i 1,0=3+4i 0,1=3-4i"},
	} {
		text := "%%MatrixMarket matrix coordinate " + c.kind + "\n2 2 2\n" + c.lines
		if have, _, err := shown(text, Options{Expand: true, Lenient: true}); err != nil || have != c.want {
			t.Errorf("%s: %s, %v, want %s", c.kind, have, err, c.want)
		}
		if have, _, err := shown(text, Options{Expand: true}); err == nil {
			t.Errorf("%s: %s, want an error without Lenient", c.kind, have)
		}
	}
}

// TestLenientWhole: the mirrored entries of a skew-symmetric pattern are -1 as integers, too.
func TestLenientWhole(t *testing.T) {
	hb := hbFile("PZA", 2, 2, words("1 2 2"), words("2"), nil)
	for _, text := range []string{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", hb} {
		in, err := Open(strings.NewReader(text), Options{Expand: true, Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		have := ""
		if err := in.VisitWhole(func(i, j int, negative bool, size uint64) error {
			have += fmt.Sprint(i, j, negative, size, ";")
			return nil
		}); err != nil || have != "1 0 false 1;0 1 true 1;" {
			t.Errorf("%s, %v", have, err)
		}
		if _, err := Open(strings.NewReader(text), Options{}); err == nil {
			t.Error("no error without Lenient")
		}
	}
}
