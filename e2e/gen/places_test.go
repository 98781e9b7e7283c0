package gen_test

import (
	"slices"
	"strings"
	"testing"
)

// placesSpec has a function from each place where one may stand.
const placesSpec = `//go:build ignore

package main

import (
	"example.com/shop/kernels"
	"example.com/shop/check"
	"example.com/shop/internal/curves"
	"example.com/shop/internal/curves/v2"
	"example.com/shop/layout"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling"
)

type f32 = float32

func twice[T float32 | float64](x T) T { return 2 * x }

func checked(x float32) float32 { return check.Twice(layout.Shift(x)) }

func main() {
	gen.Main(
		gemm.Spec[f32, f32, f32, f32]{Name: "Versioned", Epilogue: gemm.Map1(bends.Third)},
		gemm.Spec[f32, f32, f32, f32]{Name: "Laid", Epilogue: gemm.Map1(layout.Shift)},
		gemm.Spec[f32, f32, f32, f32]{Name: "Checked", Epilogue: gemm.Map1(checked)},
		gemm.Spec[f32, f32, f32, f32]{Name: "Tiled", Tile: tiling.Micro{MR: 6, NV: 2}},
		gemm.Spec[f32, f32, f32, f32]{Name: "Imported", Epilogue: gemm.Map2(curves.Bend, gemm.PerRow[f32]("by"))},
		gemm.Spec[f32, f32, f32, f32]{Name: "Own", Epilogue: gemm.Map1(kernels.Square)},
		gemm.Spec[f32, f32, f32, f32]{Name: "Literal", Epilogue: gemm.Map2(
			func(acc, res float32) float32 { return max(acc+res, 0) },
			gemm.Full[f32]("res"))},
		gemm.Spec[float64, float64, float64, float64]{Name: "Generic", Epilogue: gemm.Map1(twice[float64])},
		gemm.Spec[float64, float64, float64, float64]{Name: "GenericImported", Epilogue: gemm.Map1(curves.Half[float64])},
	)
}
`

// placesFiles are a package that holds a function of an epilogue, and calls what is
// generated from it, and one that holds others.
var placesFiles = map[string]string{
	"kernels/doc.go": `// Package kernels has kernels.
package kernels

import "github.com/tilesmith/tilesmith/layout"

` + directive + `

// Square squares.
func Square(x float32) float32 { return x * x }

// Apply squares a product.
func Apply(out, a layout.Matrix[float32]) { Own(out, a, a) }
`,
	"kernels/spec.go": placesSpec,
	"internal/curves/curves.go": `// Package curves has curves.
package curves

// Bend bends.
func Bend(x, by float32) float32 { return x - by*x*x }

// Half halves.
func Half[T float32 | float64](x T) T { return x / 2 }
`,
	"internal/curves/v2/curves.go": "// Package bends is not named as its folder.\npackage bends\n\n// Third is a third.\nfunc Third(x float32) float32 { return x / 3 }\n",
	"layout/layout.go":             "// Package layout is not tilesmith's.\npackage layout\n\n// Shift shifts.\nfunc Shift(x float32) float32 { return x + 1 }\n",
	"check/check.go":               "// Package check is not tilesmith's.\npackage check\n\n// Twice is twice x.\nfunc Twice(x float32) float32 { return 2 * x }\n",
}

// TestPlaces generates from a function of an imported package, one of the package
// that is generated into, which calls what is not there yet, a literal and generic
// ones, and of packages that are named otherwise than their folders, or as packages are
// that generated files use. A tile that is the stock one of one target is there too.
func TestPlaces(t *testing.T) {
	s := newScratch(t, placesFiles)
	plain := s.env
	s.env = append(slices.Clone(plain), "GOFLAGS=-mod=mod -trimpath -race -cover -buildmode=pie -overlay=none.json", "GOOS=plan9", "GOARCH=arm64", "GOAMD64=v4")
	s.makes("kernels", "run", "spec.go") // whose functions are found all the same
	s.env = plain
	s.goes("vet", "./...")
	first := s.generated(false)
	for name, want := range map[string]string{
		"versioned": "bends.Third(", "laid": "layoutpkg.Shift(", "checked": "checkpkg.Twice(layoutpkg.Shift(x))", "imported": "curves.Bend(", "own": " Square(", "literal": "func literalFn(acc, res float32) float32 {",
		"generic": "genericTwiceFn[float64](", "generic_imported": "curves.Half[float64](",
	} {
		if !strings.Contains(first["kernels/kernels_gen.go"], want) {
			t.Errorf("%s: there is no %q:\n%s", name, want, first["kernels/kernels_gen.go"])
		}
	}
	if strings.Contains(first["kernels/kernels_gen.go"], `"example.com/shop/kernels"`) {
		t.Error("kernels_gen.go imports its own package")
	}
	if !long() { // TestUser does it with one spec
		return
	}
	s.generated(true)
	s.makes("kernels", "run", "spec.go")
	sameFiles(t, "after deleting them all", s.generated(false), first)
	s.makes("kernels", "run", "--check", "spec.go")
}
