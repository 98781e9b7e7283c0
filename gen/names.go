package gen

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/unit"
)

// CheckName returns why a spec cannot have a name, or nil. A name must be a Go identifier of
// ASCII letters and digits. It must not be one that generated files use, nor read as a build
// constraint in a file name.
func CheckName(name string) error {
	if !token.IsIdentifier(name) || name == "_" {
		return fmt.Errorf("gen: spec name %q is not a Go identifier; a function is named after it, as in DenseGELU", name)
	}
	for _, r := range name {
		if r > 127 {
			return fmt.Errorf("gen: spec name %q has the letter %q; file names are made of it, use ASCII", name, r)
		}
	}
	if strings.Contains(name, "_") {
		return fmt.Errorf("gen: spec name %q has an underscore; what follows one in a file name can be a build constraint", name)
	}
	if taken(name) {
		return fmt.Errorf("gen: spec name %q means something else in generated files; choose another, as in %q", name, unit.Upper(name)+"Product")
	}
	if slices.Contains(devices, unit.Snake(name)) {
		return fmt.Errorf("gen: spec %q would be written to %s.go, which is a device on Windows and is in no Go module for that; choose another name", name, unit.Snake(name))
	}
	if i := strings.LastIndexByte(unit.Snake(name), '_'); i >= 0 {
		if word := unit.Snake(name)[i+1:]; slices.Contains(constraints, word) {
			return fmt.Errorf("gen: spec %q would be written to %s.go, which go build takes for a file for %s only; let the name end in another word",
				name, unit.Snake(name), word)
		}
	}
	return nil
}

// reserved reports whether generated files use a name themselves: for a package, a
// parameter or a variable.
func reserved(name string) bool {
	return slices.Contains(ownNames, name) || slices.ContainsFunc(everywhere, func(p string) bool { return path.Base(p) == name })
}

// ownNames are such names, but for those of the packages everywhere.
var ownNames = strings.Fields(`
embed cuda driver gpu tiling gemmf32 gemmf64 spmmf32 spmmf64 sddmmf32 sddmmf64
a b c e i j k n o p r s t v x y
alpha args batch beta call count isa opt out stream sum threads variant
r0 r1 r2 r3 r4 r5 r6 r7`)

// taken reports whether a name means something else in generated files, or in Go.
func taken(name string) bool {
	return name == "init" || name == "main" || reserved(name) || types.Universe.Lookup(name) != nil
}

// constraints are the words that are build constraints at the end of a file name:
// the systems and architectures of go/build, past, present and reserved, and test.
var constraints = strings.Fields(`test
aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos
386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 mips64le mips64p32 mips64p32le mipsle
ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)

// devices are the names that a file of a Go module cannot have, whatever it ends in: see
// CheckFilePath of golang.org/x/mod/module.
var devices = strings.Fields(`con com1 com2 com3 com4 com5 com6 com7 com8 com9 nul aux prn
lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9`)
