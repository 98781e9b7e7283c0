package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// demoMain is the main function of the demo: it hands the generated functions to
// package gen/demo.
func demoMain() ([]byte, error) {
	var b strings.Builder
	b.WriteString(`package main

import (
	"github.com/tilesmith/tilesmith/gen/demo"
	kernels "github.com/tilesmith/tilesmith/gen/tilesmith/demo"
)

func main() {
	demo.Main(
`)
	for i, s := range demoSpecs() {
		mr, nr, err := tileOf(s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\t\tdemo.Product[%s]{Name: %q, MR: %d, NR: %d, Gemm: kernels.%sOpt},\n",
			[]string{"float32", "float64"}[i], s.Kernel(), mr, nr, s.Kernel())
	}
	b.WriteString("\t)\n}\n")
	return []byte(b.String()), nil
}

// writeOverlay writes the file that go build -overlay reads: which file stands in
// for which path.
func writeOverlay(path string, replace map[string]string) error {
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(replace)) {
		if b.Len() > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "%s: %s", jsonString(from), jsonString(replace[from]))
	}
	return os.WriteFile(path, []byte("{\"Replace\": {\n"+b.String()+"\n}}\n"), 0o600)
}

// jsonString quotes s. encoding/json would be a tenth of what has to be compiled
// before a first demo begins.
func jsonString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < ' ':
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
