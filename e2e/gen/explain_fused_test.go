package gen_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const explainSpec = `//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func soft(acc, bias float32) float32 {
	x := acc + bias
	return x / float32(1+math.Exp(float64(-x)))
}

func main() {
	gen.Main(
		gemm.Spec[float32, float32, float32, float32]{Name: "Bare"},
		gemm.Spec[float32, float32, float32, float32]{Name: "Soft", Epilogue: gemm.Map2(soft, gemm.PerColumn[float32]("bias"))},
	)
}
`

// TestExplainContractions wants every product that was fused into a sum, and every one
// that was not, with its line.
func TestExplainContractions(t *testing.T) {
	spec := strings.NewReplacer(`"math"

`, "", `x := acc + bias
	return x / float32(1+math.Exp(float64(-x)))`, `x := acc*acc + acc - acc/3
	x = float32(x*bias) + x
	p := x * acc
	q := p + 1 // p is used again
	return p*0.5 - q*q + act.GELU(x)`, `"github.com/tilesmith/tilesmith/gen"`, `"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"`).Replace(explainSpec)
	s := newScratch(t, map[string]string{"doc.go": "// Package dense is one.\npackage dense\n", "spec.go": spec})
	out := s.makes(".", "explain", "spec.go", "--target", "avx2", "--func", "epi")
	line := 1 + strings.Count(spec[:strings.Index(spec, "acc*acc")], "\n")
	for _, want := range []string{
		fmt.Sprintf(`fma        spec\.go:%d: a product and its sum are rounded once\n`, line),
		fmt.Sprintf(`fma        spec\.go:%d: not fused, a conversion rounds the product by itself\n`, line+1),
		fmt.Sprintf(`fma        spec\.go:%d: not fused, the product is used for something else as well\n`, line+3),
		fmt.Sprintf(`fma        spec\.go:%d: a product and its sum are rounded once\n`, line+4),
		fmt.Sprintf(`fma        spec\.go:%d: not fused, the other operand is a product, too, and is fused\n`, line+4),
		`fma        github\.com/tilesmith/tilesmith/gemm/act/gelu\.go:\d+: a product and its sum are rounded once\n`,
		`accuracy   every other operation is rounded by itself, as Go rounds it\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("explain lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestExplainFused explains an epilogue as a user asks for it.
func TestExplainFused(t *testing.T) {
	s := newScratch(t, map[string]string{"doc.go": "// Package dense is one.\npackage dense\n", "spec.go": explainSpec})
	for _, x := range some(2, []struct {
		args string
		want []string // regular expressions
		not  string
	}{
		{"", []string{`== soft_avx512_epi, avx512, after go\n(.|\n)*apply`, `after hoist`, `TEXT ·soft_avx512_epi\(SB\)`,
			`function   soft, spec\.go:12`, `lanes      8: the widest value inside is f64`, `operations \d+ a vector: \d+ fma, `, `1 div`,
			`constants  \d+ kept in registers, \d+ loaded`, `cost       \d+\.\d cycles a vector, bound by .*; share of a product with n = 1024: \d+\.\d %`,
			`a model, not a measurement`, `what to expect of one core, avx512`, `machine    AMD Zen 4: `, `caches     32, 1024 and \d+ KiB of a core: those of the EPYC`,
			`tile loop, kc 1024: \d+ x \d+ tiles of 9 rows and 3 vectors`, `  > a (copied|in place), b packed, \d+ panels at once, \d+ tiles a block +\d+\.\d us, fma`, `and \d+ more, up to \d`,
			`Bare +64 x 64 x 64 +\d+\.\d +\d+ %  fma: fma \d+ %`, `Soft +2048 x 2048 x 2048 +\d+`, `Soft +64 x 64 x 64 .*epilogue \d+ %`, `accuracy   math\.Exp in float64 is within [\d.]+ ulp`, `note       spec\.go:14:\d+: this runs in float64 lanes`}, "bare_"},
		{"--target avx2 --pass asm --func epi", []string{`TEXT ·soft_avx2_epi`, `lanes      4`}, "what to expect"},
		{"--pass lower --func soft_avx2_epi", []string{`== soft_avx2_epi, avx2, after lower`}, "assembly"},
		{"--pass asm --func 6x16 --target avx2", []string{`TEXT ·bare_avx2_6x16\(SB\)`}, "the epilogue's function"},
	}) {
		out := s.makes(".", append([]string{"explain", "spec.go"}, strings.Fields(x.args)...)...)
		for _, w := range x.want {
			if !regexp.MustCompile(w).MatchString(out) {
				t.Errorf("explain %s lacks %s:\n%s", x.args, w, out[max(0, len(out)-1500):])
			}
		}
		if strings.Contains(out, x.not) {
			t.Errorf("explain %s has %q", x.args, x.not)
		}
		if strings.Contains(out, s.dir) {
			t.Errorf("explain %s names a folder of this machine", x.args)
		}
	}
	if len(s.generated(false)) > 0 {
		t.Error("files were written")
	}
}
