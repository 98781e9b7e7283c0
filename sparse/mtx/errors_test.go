package mtx

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// TestRefused: every text is refused where and as stated.
func TestRefused(t *testing.T) {
	const (
		general   = "%%MatrixMarket matrix coordinate real general\n"
		symmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
		integer   = "%%MatrixMarket matrix coordinate integer general\n"
		array     = "%%MatrixMarket matrix array real general\n"
	)
	for _, c := range []struct{ text, at, want string }{
		{"", "1:1", "the file is empty; want %%MatrixMarket matrix"},
		{"\n" + general, "1:1", "line 1 has 0 of its 5 words"},
		{"1 1 1\n", "1:1", `"1" is not how a Matrix Market file begins`},
		{"%MatrixMarket matrix coordinate real general\n", "1:1", "want %%MatrixMarket"},
		{"%%MatrixMarket vector coordinate real general\n", "1:16", `"vector" is no object of Matrix Market; want matrix`},
		{"%%MatrixMarket matrix dense real general\n", "1:23", `"dense" is none of coordinate, array`},
		{"%%MatrixMarket matrix array double general\n", "1:29", `"double" is none of real, integer, complex, pattern`},
		{"%%MatrixMarket matrix array real diagonal\n", "1:34", "is none of general, symmetric, skew-symmetric, hermitian"},
		{"%%MatrixMarket matrix array real\n", "1:33", "line 1 has 4 of its 5 words"},
		{"%%MatrixMarket matrix array real general x\n", "1:42", `goes on with "x"`},
		{"%%MatrixMarket matrix array pattern general\n", "1:37", "want coordinate pattern"},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "1:42", "want general or symmetric"},
		{"%%MatrixMarket matrix coordinate real hermitian\n", "1:39", "want symmetric, or complex"},
		{"\xff\xfe%\x00%\x00M\x00", "1:1", `"\xff\xfe%\x00%\x00M\x00" is not how`},

		{general, "2:1", "the file ends before its size line"},
		{general + "% only\n\n", "4:1", `want "rows columns entries"`},
		{general + "3\n", "2:2", "the size line has 1 numbers"},
		{array + "3\n", "2:2", `want "rows columns"`},
		{general + "3 3 3 3\n", "2:7", `the size line goes on with "3"`},
		{general + "3 -3 3\n", "2:3", `"-3" is not a number of columns`},
		{general + "3 3 1.0\n", "2:5", `"1.0" is not a number of entries`},
		{symmetric + "2 3 1\n", "2:1", "is square, this one has 2 rows and 3 columns"},
		{"%%MatrixMarket matrix array real skew-symmetric\n2 3\n", "2:1", "is square"},

		{general + "3 3 2\n1 1 1\n", "4:1", "ends after 1 of the 2 entries"},
		{general + "3 3 1\n1 1 1\n2 2 2\n", "4:1", "beyond the 1 that the size line promises"},
		{general + "3 3 0\n\n x", "4:2", "beyond the 0"},
		{array + "1 2\n1\n", "4:1", "ends after 1 of the 2"},
		{array + "1 2\n1\n2\n3\n", "5:1", "beyond the 2"},
		{array + "1 2\n1 2\n", "3:3", `the line goes on with "2"; want "value"`},

		{general + "3 3 1\n0 1 1\n", "3:1", "row 0 is outside the matrix; want 1 to 3"},
		{general + "3 3 1\n4 1 1\n", "3:1", "row 4 is outside"},
		{general + "3 3 1\n1 4 1\n", "3:3", "column 4 is outside"},
		{general + "3 3 1\n1 18446744073709551617 1\n", "3:3", "column 18446744073709551617 is outside"},
		{general + "3 3 1\n1 " + strings.Repeat("9", 99) + " 1\n", "3:3", "column 99999999999999999999... (99 digits) is outside"},
		{general + "0 0 1\n1 1 1\n", "3:1", "row 1 is outside"},
		{general + "3 3 1\n-1 1 1\n", "3:1", `"-1" is not a row number; want digits, from 1 to 3`},
		{general + "3 3 1\n1.0 1 1\n", "3:1", `"1.0" is not a row number`},
		{general + "3 3 1\n1 \x1b[31m 1\n", "3:3", `"\x1b[31m" is not a column number`},
		{general + "3 3 1\n1\n", "3:2", `ends before the column; want "row column value"`},
		{general + "3 3 1\n1 1\n", "3:4", "ends before the value of a real matrix"},
		{general + "3 3 1\n1 1 1 % one\n", "3:7", `goes on with "%"`},
		{general + "3 3 1\n1 1 1,5\n", "3:5", `"1,5" is not a number; want decimal digits`},
		{general + "3 3 1\n1 1 1_0\n", "3:5", `"1_0" is not a number`},
		{general + "3 3 1\n1 1 0x1p4\n", "3:5", `"0x1p4" is not a number`},
		{general + "3 3 1\n1 1 1e400\n", "3:5", `"1e400" is larger than any float64`},
		{general + "3 3 1\n1 1 1d400\n", "3:5", `"1d400" is larger than any float64`},
		{general + "3 3 1\n1 1 .\n", "3:5", `"." is not a number`},
		{general + "3 3 1\n1 1 -\n", "3:5", `"-" is not a number`},
		{general + "3 3 1\n1 1 1e\n", "3:5", `"1e" is not a number`},
		{general + "3 3 1\n1 1 1e+\n", "3:5", `"1e+" is not a number`},
		{general + "3 3 1\n1 1 1d5d5\n", "3:5", `"1d5d5" is not a number`},
		{general + "3 3 1\n1 1 1\r1\n", "3:5", `"1\r1" is not a number`},
		{integer + "3 3 1\n1 1 1.5\n", "3:5", `"1.5" is not an integer; want digits, or the word real`},
		{integer + "3 3 1\n1 1 -\n", "3:5", `"-" is not an integer`},
		{integer + "3 3 1\n1 1 9007199254740993\n", "3:5", "float64 cannot hold"},
		{integer + "3 3 1\n1 1 18446744073709551616\n", "3:5", "beyond 2^64"},
		{"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n", "3:5", `goes on with "1"; want "row column"`},
		{"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1\n", "3:6", `want "row column real imaginary"`},
		{"%%MatrixMarket matrix array complex general\n1 1\n1\n", "3:2", `want "real imaginary"`},

		{"%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 1\n1 1 -1\n", "3:5", "is negative in an unsigned-integer matrix"},
		{"%%MatrixMarket matrix coordinate unsigned-integer skew-symmetric\n3 3 1\n2 1 1\n", "1:51", "values of both signs; want integer"},

		{symmetric + "3 3 2\n2 1 1\n1 3 1\n", "4:3", "above and below the diagonal"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n", "3:1", "the diagonal of a skew-symmetric matrix is zero"},
		{"%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n2 2 1 1\n", "3:1", "want an imaginary part of 0"},
		{"%%MatrixMarket matrix array complex hermitian\n1 1\n1 1\n", "3:1", "want an imaginary part of 0"},

		{general + "%%GraphBLAS type gunk\n", "2:1", `"gunk" is no type of GraphBLAS`},
		{general + "%%GraphBLAS type\n", "2:1", "names a type"},
		{general + "%%GraphBLAS type float\n%%GraphBLAS type float\n", "3:1", "a second line"},
		{general + " %%GraphBLAS type double complex\n", "2:2", "are not those of a real matrix"},
		{"%%MatrixMarket matrix coordinate complex general\n%%GraphBLAS type float\n", "2:1", "are not those of a complex matrix"},
		{"%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type uint8_t\n", "2:1", "values of both signs, which uint8_t cannot hold"},
		{integer + "%%GraphBLAS type bool\n1 1 1\n1 1 2\n", "4:5", `"2" is no value of type bool`},
		{general + "%%GraphBLAS type int8_t\n1 1 1\n1 1 1.5\n", "4:5", `"1.5" is no value of type int8_t`},
		{general + "%%GraphBLAS type int8_t\n1 1 1\n1 1 nan\n", "4:5", `"nan" is no value of type int8_t`},
		{"%%MatrixMarket matrix coordinate integer skew-symmetric\n%%GraphBLAS type int8_t\n2 2 1\n2 1 -128\n", "4:5", `"-128" is no value of type int8_t`},
		{general + strings.Repeat("%\n", 1<<17), "61682:1", "more than a MiB of comments"},
	} {
		_, _, err := shown(c.text, Options{Name: "f"})
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "f:"+c.at+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.99q:\n%v\nwant f:%s: %s", c.text, err, c.at, c.want)
		}
		if err != nil && strconv.QuoteToASCII(err.Error()) != `"`+strings.ReplaceAll(strings.ReplaceAll(err.Error(), `\`, `\\`), `"`, `\"`)+`"` {
			t.Errorf("%q is not safe to print", err)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Line: 2, Col: 3, Reason: "why"}, "line 2, column 3: why"},
		{Error{Name: "a.mtx", Line: 2, Col: 3, Reason: "why"}, "a.mtx:2:3: why"},
		{Error{Offset: 9, Reason: "why"}, "byte 9: why"},
		{Error{Name: "a.npy", Offset: 9, Reason: "why"}, "a.npy: byte 9: why"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
