package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// What would take hours is refused at once.
func TestSparseBounds(t *testing.T) {
	for want, s := range map[string]Spec{
		"features":                 spec.SpMM[float32]{Name: "X", Format: format.CSR, Features: min(9_999_999_999, math.MaxInt)},
		"axis j of format ell1000": spec.SpMM[float32]{Name: "X", Format: format.ELL(1_000_000_000)},
	} {
		_, err := Generate(Options{Package: "p", Source: "spec.go"}, s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want an error with %q", err, want)
		}
	}
}
