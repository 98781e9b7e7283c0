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
		{[]string{"gemm", "--name", "Mul", "--shape", "6,32,10"}, "tilesmith gen gemm --name Mul --types f32,f32,f32,f32 --shape 6,32,10 --targets avx512,avx2,neon"},
		{[]string{"gemm", "--name", "Mul"}, "tilesmith gen gemm --name Mul --types f32,f32,f32,f32 --targets avx512,avx2,neon"},
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

func TestReduceFlag(t *testing.T) {
	for _, c := range []struct {
		text string
		want gemm.BatchReduce
		why  string
	}{
		{"any", gemm.BatchReduce{Count: gemm.AnyCount}, ""}, {"9", gemm.BatchReduce{Count: 9}, ""}, {"any,64,0,7", gemm.BatchReduce{Count: gemm.AnyCount, LdA: 64, LdC: 7}, ""},
		{"", gemm.BatchReduce{}, `"" is neither a count`}, {"0", gemm.BatchReduce{}, `"0" is neither a count`}, {"-1", gemm.BatchReduce{}, `"-1" is neither a count`},
		{"any,1", gemm.BatchReduce{}, "want how many pairs of blocks"}, {"any,any,1,1", gemm.BatchReduce{}, `"any" is neither`}, {"3,-1,0,0", gemm.BatchReduce{}, `"-1" is neither`},
	} {
		var r reduceFlag
		err := r.Set(c.text)
		switch {
		case c.why == "" && (err != nil || r.BatchReduce != c.want || r.String() != c.text):
			t.Errorf("%q is %+v, %q (%v), want %+v", c.text, r.BatchReduce, r.String(), err, c.want)
		case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.why)
		}
	}
}

// The flag is part of the command that generated files name and of the spec, and chooses targets.
func TestReduceRequest(t *testing.T) {
	r, _, err := newRequest([]string{"gemm", "--name", "Mul", "--types", "bf16,bf16,f32,f32", "--shape", "16,20,32", "--reduce", "any,64,0,0"})
	if err != nil {
		t.Fatal(err)
	}
	want := "tilesmith gen gemm --name Mul --types bf16,bf16,f32,f32 --shape 16,20,32 --reduce any,64,0,0 --targets avx512bf16,avx512,avx2,neon"
	if have := r.commandLine(); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if text := "Reduce: gemm.BatchReduce{Count: gemm.AnyCount, LdA: 64, LdB: 0, LdC: 0}"; !strings.Contains(r.specText(), text) {
		t.Errorf("the program has no %s:\n%s", text, r.specText())
	}
}
