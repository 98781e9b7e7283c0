package gencmd

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
)

func TestShapeFlag(t *testing.T) {
	for _, c := range []struct {
		text string
		want gemm.Shape
		why  string
	}{
		{"8,8,8", gemm.Shape{M: 8, N: 8, K: 8}, ""}, {"0,128,64", gemm.Shape{N: 128, K: 64}, ""}, {"0,0,0", gemm.Shape{}, ""},
		{"8,8", gemm.Shape{}, "want three numbers M,N,K"}, {"8,8,8,8", gemm.Shape{}, "want three numbers M,N,K"}, {"", gemm.Shape{}, "want three numbers M,N,K"},
		{"8,x,8", gemm.Shape{}, `"x" is not a dimension`}, {"8,-1,8", gemm.Shape{}, `"-1" is not a dimension`}, {"8,,8", gemm.Shape{}, `"" is not a dimension`},
		{"99999999999999999999,1,1", gemm.Shape{}, "is not a dimension"},
	} {
		var s shapeFlag
		err := s.Set(c.text)
		switch {
		case c.why == "" && (err != nil || s.Shape != c.want):
			t.Errorf("%q is %v (%v), want %v", c.text, s.Shape, err, c.want)
		case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.why)
		}
	}
}

// The shape is part of the command that generated files name, and of the program of
// a request with a function.
func TestShapeRequest(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"gemm", "--name", "Mul", "--shape", "6,32,10"}, "tilesmith gen gemm --name Mul --types f32,f32,f32,f32 --shape 6,32,10 --targets avx512,avx2"},
		{[]string{"gemm", "--name", "Mul"}, "tilesmith gen gemm --name Mul --types f32,f32,f32,f32 --targets avx512,avx2"},
	} {
		r, _, err := newRequest(c.args)
		if err != nil {
			t.Fatal(err)
		}
		if have := r.commandLine(); have != c.want {
			t.Errorf("have %s\nwant %s", have, c.want)
		}
		if given := strings.Contains(r.specText(), "Shape: gemm.Shape{M: 6, N: 32, K: 10}"); given != r.shape.given() {
			t.Errorf("%v: the program has the shape: %v\n%s", c.args, given, r.specText())
		}
	}
}
