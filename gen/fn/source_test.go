package fn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	"github.com/tilesmith/tilesmith/internal/level"
)

const specFile = `//go:build ignore

package main

import (
	"math"
	str "strings"

	"example.com/spec/helper"
)

var _ = str.ToUpper

// Number is what clip takes.
type Number interface{ ~float32 | ~float64 }

const (
	first  = iota + 1
	second // by repetition
	// third has a comment.
	third float32 = 0.1 // and one behind
)

const (
	half  = 1.0 / (2 + iota*0)
	scale = half * third
)

// biasGELU is an epilogue.
func biasGELU(acc, bias float32) float32 {
	scale := scale * second // a local variable of that name
	return clip(acc+bias, 0, scale) + helper.Twice(float32(math.Sqrt(float64(acc)))) + half
}

// clip is not exported.
func clip[T Number](x, lo, hi T) T { return min(max(x, lo), hi) }

func unused() float32 { return third }

var literal = func(x float32) float32 {
	return clip(x, first, 6)
}

// levels is a table.
var levels, other = [...]float32{0.5, third, 2: scale}, 1

func quantized(x float32, i uint8) float32 { return x * levels[i%3] }

func main() {}
`

// TestSource copies a function out of a spec file, and, where module e2e runs it, compiles the copy.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/spec\n\ngo 1.26\n",
		"spec.go":          specFile,
		"helper/helper.go": "package helper\n\nfunc Twice(x float32) float32 { return 2 * x }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(dir, "spec.go")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Count(specFile[:strings.Index(specFile, "var literal")], "\n") + 1
	for _, c := range []struct {
		ref     Ref
		want    Source
		compile string
	}{
		{Ref{Name: "biasGELU"}, Source{Expr: "denseBiasGELU",
			Imports: []Import{{"", "example.com/spec/helper"}, {"", "math"}},
			Decls: []byte(`// Number is what clip takes.
type denseNumber interface{ ~float32 | ~float64 }

const denseSecond = 2

// third has a comment.
const denseThird float32 = 0.1

const denseHalf = 1.0 / 2.0

const denseScale = denseHalf * denseThird

// biasGELU is an epilogue.
func denseBiasGELU(acc, bias float32) float32 {
	scale := denseScale * denseSecond // a local variable of that name
	return denseClip(acc+bias, 0, scale) + helper.Twice(float32(math.Sqrt(float64(acc)))) + denseHalf
}

// clip is not exported.
func denseClip[T denseNumber](x, lo, hi T) T { return min(max(x, lo), hi) }
`)}, ""},
		{Ref{Name: "quantized"}, Source{Expr: "denseQuantized",
			Decls: []byte(`// third has a comment.
const denseThird float32 = 0.1

const denseHalf = 1.0 / 2.0

const denseScale = denseHalf * denseThird

// levels is a table.
var denseLevels = [...]float32{0.5, denseThird, 2: denseScale}

func denseQuantized(x float32, i uint8) float32 { return x * denseLevels[i%3] }
`)}, ""},
		{Ref{Package: "main", File: filepath.Join(dir, "spec.go"), Line: line}, Source{Expr: "dense",
			Decls: []byte(`// Number is what clip takes.
type denseNumber interface{ ~float32 | ~float64 }

const denseFirst = 1

// clip is not exported.
func denseClip[T denseNumber](x, lo, hi T) T { return min(max(x, lo), hi) }

func dense(x float32) float32 {
	return denseClip(x, denseFirst, 6)
}
`)}, ""},
	} {
		f, err := p.Lookup(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Source("example.com/spec", func(name string) string {
			if name == "" {
				return "dense"
			}
			return "dense" + strings.ToUpper(name[:1]) + name[1:]
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got.Decls = append(got.Decls, '\n')
		if d := cmp.Diff(c.want, *got); d != "" {
			t.Errorf("%s:\n%s", c.ref, d)
		}
		text := "package spec\n\n"
		for _, i := range got.Imports {
			text += fmt.Sprintf("import %s %q\n", i.Name, i.Path)
		}
		if err := os.WriteFile(filepath.Join(dir, "copy.go"), append([]byte(text), got.Decls...), 0o666); err != nil {
			t.Fatal(err)
		}
		if !level.RunsGo() {
			continue
		}
		cmd := exec.Command("go", "vet", ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.ref, err, out)
		}
	}
}

// TestSourceImports: functions of packages that can be imported are.
func TestSourceImports(t *testing.T) {
	const path = "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	p := load(t)
	for _, c := range []struct {
		f    any
		into string
		want string
	}{
		{fntest.BiasGELU, "example.com/x", "fntest.BiasGELU [{ " + path + "}]"},
		{fntest.GELU[float64], "example.com/x", "fntest.GELU[float64] [{ " + path + "}]"},
		{fntest.BiasGELU, path, "BiasGELU []"},
		{identity[float32], "example.com/x", "!identity is not exported by github.com/tilesmith/tilesmith/gen/fn, so generated code cannot import it; export it, or declare it in the spec file"},
		{fntest.Lines, path, "!a function literal has no name to be copied under"},
	} {
		s, err := lookup(t, p, c.f).Source(c.into, nil, nil)
		got := ""
		if err != nil {
			got = "!" + err.(*Error).Problems[0].Msg
		} else {
			got = fmt.Sprintf("%s %v%s", s.Expr, s.Imports, s.Decls)
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
