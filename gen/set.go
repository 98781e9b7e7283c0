package gen

import (
	"path"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// A source has one set of files, whatever the number of its kernels: X_gen.go and so on, with
// one of assembly and one of Go for each architecture. None of them is empty: a file is not
// written if nothing would stand in it. Texts for GPUs are files of their own, as Go embeds them.
const (
	portableEnd = "_gen.go"       // entry points, copied functions, portable code
	testEnd     = "_gen_test.go"  // the tests
	otherEnd    = "_gen_other.go" // what stands for assembly where there is none
)

// asmEnd is the ending of the assembly for an architecture, and stubsEnd that of the Go file which
// declares its functions and lists them.
func asmEnd(arch string) string   { return "_gen_" + arch + ".s" }
func stubsEnd(arch string) string { return "_gen_" + arch + ".go" }

// setName is what the files of a source are called before their endings. It is a spec file's
// name less _spec, the package's name for spec.go, and the kernel's for a command.
func setName(source, pkg string) string {
	if _, kernel, ok := commandOf(source); ok {
		return unit.Snake(kernel)
	}
	if !isSpecFile(source) {
		return pkg
	}
	name := strings.TrimSuffix(path.Base(source), ".go")
	if name == "spec" {
		return pkg
	}
	// Go leaves out files that begin with a dot or an underscore.
	if name = strings.TrimLeft(strings.TrimSuffix(name, "_spec"), "._"); name == "" {
		return pkg
	}
	return name
}

// inSet reports whether a file is called as one of a set. Earlier versions wrote a few files for
// each kernel, called after it: dense.go, dense_fn.go, dense_avx2_amd64.s.
func inSet(name string) bool {
	endings := []string{portableEnd, testEnd, otherEnd, ".ptx"}
	for arch, b := range backends {
		if b.called != "" {
			endings = append(endings, asmEnd(arch), stubsEnd(arch))
		}
	}
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) })
}
