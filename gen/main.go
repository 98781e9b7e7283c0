package gen

import (
	"fmt"
	"os"
	"path/filepath"
)

// The environment through which `tilesmith run` speaks to the spec program.
const (
	EnvOut     = "TILESMITH_GEN_OUT"     // the folder to write to
	EnvPackage = "TILESMITH_GEN_PACKAGE" // the package there
	EnvSource  = "TILESMITH_GEN_SOURCE"  // the spec file's name
	EnvCheck   = "TILESMITH_GEN_CHECK"   // set: compare, do not write
)

// Main generates the specs into the package that `tilesmith run` was called for,
// and exits with 1 if that fails. It is the last call of a spec file's main.
func Main(specs ...Spec) {
	out := os.Getenv(EnvOut)
	if out == "" {
		fmt.Fprintln(os.Stderr, "tilesmith: this is a spec file; run it with: tilesmith run "+filepath.Base(os.Args[0])+".go")
		os.Exit(2)
	}
	files, err := Generate(Options{Package: os.Getenv(EnvPackage), Source: os.Getenv(EnvSource)}, specs...)
	if err == nil {
		if os.Getenv(EnvCheck) != "" {
			err = Check(out, files)
		} else {
			err = Write(out, files)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
		os.Exit(1)
	}
}
