// Package clitest has what tests of several subcommands share.
package clitest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// Folder makes a folder with files, by name and text.
func Folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Spec is a spec file that generates nothing.
const Spec = "//go:build ignore\n\npackage main\n\nfunc main() {}\n"

// UserModule makes a module of them that uses tilesmith as it lies here.
func UserModule(t *testing.T, files map[string]string) string {
	t.Helper()
	mod, sum, err := cli.ModuleOver(rootFolder(t), "example.com/shop")
	if err != nil {
		t.Fatal(err)
	}
	mod = append(mod, "\ntool "+cli.ModulePath+"/gen/tilesmith\n"...)
	dir := Folder(t, files)
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

// MatrixFile puts a matrix into a file.
func MatrixFile(t *testing.T, m sparse.Matrix[float64]) string {
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

// Sampled is a file with a small matrix, some of whose rows are empty.
func Sampled(t *testing.T) string {
	t.Helper()
	m, err := sample.EmptyRows[float64](60, 50, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	return MatrixFile(t, m)
}

const PTX = `.version 7.0
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

// Output runs a command line in this folder and returns all that it prints, and an error as main prints it.
func Output(line string, commands ...*cobra.Command) (out string, code int) {
	var b bytes.Buffer
	err := cli.Execute(context.Background(), strings.Fields(line), &b, &b, commands...)
	if err != nil {
		b.WriteString("tilesmith: " + cli.Sentence(err) + "\n")
	}
	return b.String(), cli.ExitCode(err)
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
		if strings.HasPrefix(string(text), "module "+cli.ModulePath+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no folder above has the module: %v", err)
		}
	}
}

// Dispatch runs a command line of some commands.
func Dispatch(args []string, out io.Writer, commands ...*cobra.Command) error {
	return cli.Execute(context.Background(), args, out, os.Stderr, commands...)
}

// Printing is a console of a test.
func Printing(t *testing.T, out, log io.Writer) *cli.Console {
	return cli.NewConsole(t.Context(), out, log)
}

// EnvCommand is set for a test program that is to be the command itself.
const EnvCommand = "TILESMITH_TEST_COMMAND"

// Main runs tests, or the command itself with some commands, for tests that run it in a process of its own.
func Main(m *testing.M, commands ...*cobra.Command) {
	if os.Getenv(EnvCommand) != "" {
		cli.Main(commands...)
	}
	os.Exit(m.Run())
}
