package gen

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// CheckName returns why a spec cannot have a name, or nil. A name must be a Go identifier of
// ASCII letters and digits, and none that generated files use themselves.
func CheckName(name string) error {
	if !token.IsIdentifier(name) || name == "_" {
		return fmt.Errorf("gen: spec name %q is not a Go identifier; a function is named after it, as in DenseGELU", name)
	}
	for _, r := range name {
		if r > 127 {
			return fmt.Errorf("gen: spec name %q has the letter %q; names of files are made of it, use ASCII", name, r)
		}
	}
	if strings.Contains(name, "_") {
		return fmt.Errorf("gen: spec name %q has an underscore, which separates the parts of names that are made of it; leave it out", name)
	}
	if taken(name) {
		return fmt.Errorf("gen: spec name %q means something else in generated files; choose another, as in %q", name, unit.Upper(name)+"Product")
	}
	return nil
}

// reserved reports whether generated files use a name themselves: for a package, a
// parameter or a variable.
func reserved(name string) bool {
	return slices.Contains(ownNames, name) || slices.ContainsFunc(everywhere, func(p string) bool { return path.Base(p) == name })
}

// ownNames are such names, except those of the packages everywhere.
var ownNames = strings.Fields(`
embed cuda driver gpu tiling attnf gemmf sddmmf softmaxf spmmf
a b c e i j k n o p r s t v x y
alpha args batch beta call count isa opt out stream sum threads variant
r0 r1 r2 r3 r4 r5 r6 r7`)

// taken reports whether a name means something else in generated files, or in Go.
func taken(name string) bool {
	return name == "init" || name == "main" || reserved(name) || types.Universe.Lookup(name) != nil
}
