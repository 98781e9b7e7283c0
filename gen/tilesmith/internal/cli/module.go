package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// ModulePath is the path of the module of tilesmith.
const ModulePath = "github.com/tilesmith/tilesmith"

// moduleVersion is the version of this module that this program was built from.
func moduleVersion() string {
	info, _ := debug.ReadBuildInfo()
	return VersionOf(info)
}

// VersionOf is the version of this module. It is the main module of a program only if
// that was built from a checkout or by go install.
func VersionOf(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == ModulePath {
			if m.Replace != nil {
				m = m.Replace
			}
			if m.Version == "" {
				return "(from a checkout)"
			}
			return m.Version
		}
	}
	return "(unknown)"
}

// ModuleOver is the go.mod and the go.sum of a module that has tilesmith's source
// where it lies. They list all that tilesmith requires, though go build would add it.
// To find out what is missing, go build reads the go.mod of everything that anything
// requires, and has to fetch those that the module cache lacks.
func ModuleOver(source, name string) (mod, sum []byte, err error) {
	ours, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return nil, nil, err
	}
	if sum, err = os.ReadFile(filepath.Join(source, "go.sum")); err != nil {
		return nil, nil, err
	}
	_, needs, _ := strings.Cut(string(ours), "\nrequire (")
	return fmt.Appendf(nil, "module %s\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nrequire (%s\nreplace %[2]s => %[4]q\n", name, ModulePath, needs, source), sum, nil
}
