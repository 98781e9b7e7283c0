package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// demoMain is the main function of the demo: it hands the generated functions to
// package gen/demo.
func demoMain() ([]byte, error) {
	var b strings.Builder
	b.WriteString(`package main

import (
	"github.com/tilesmith/tilesmith/gen/demo"
	"github.com/tilesmith/tilesmith/gen/demo/kernels"
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
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
