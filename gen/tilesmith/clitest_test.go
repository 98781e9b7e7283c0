package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// folder makes a folder with files, by name and text.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const spec = "//go:build ignore\n\npackage main\n\nfunc main() {}\n"

// userModule makes a module of them that uses tilesmith as it lies here.
func userModule(t *testing.T, files map[string]string) string {
	t.Helper()
	mod, sum, err := moduleOver(rootFolder(t), "example.com/shop")
	if err != nil {
		t.Fatal(err)
	}
	mod = append(mod, "\ntool "+modulePath+"/gen/tilesmith\n"...)
	dir := folder(t, files)
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []string{"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "CGO_ENABLED=0"} {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	return dir
}

// written puts a matrix into a file.
func written(t *testing.T, m sparse.Matrix[float64]) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "m.mtx")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := sparse.WriteMatrixMarket(f, m); err != nil {
		t.Fatal(err)
	}
	return name
}

func sampled(t *testing.T) string {
	t.Helper()
	m, err := sample.EmptyRows[float64](60, 50, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, m)
}

const emuKernel = `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .f32 f, .param .s32 i, .param .b8 h) .maxntid 64
{
	.reg .b64 %rd<2>;
	.reg .f32 %f<2>;
	ld.param.u64 %rd1, [a];
	ld.param.f32 %f1, [f];
	st.global.f32 [%rd1], %f1;
	ret;
}
`

// printed runs a command line in this folder and returns all that it prints, and an error as main prints it.
func printed(line string, commands ...*cobra.Command) (out string, code int) {
	var b bytes.Buffer
	err := executeCommands(context.Background(), strings.Fields(line), &b, &b, commands...)
	if err != nil {
		b.WriteString("tilesmith: " + sentence(err) + "\n")
	}
	return b.String(), exitCode(err)
}

// rootFolder is the folder of the module's source, in which or below which this one is.
func rootFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if strings.HasPrefix(string(text), "module "+modulePath+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no folder above has the module: %v", err)
		}
	}
}
