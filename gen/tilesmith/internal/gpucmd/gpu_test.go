package gpucmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
)

// TestGPU checks one function on the emulator, goes on from there, and refuses what
// it should.
func TestGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every kernel for GPUs on the emulator")
	}
	out := filepath.Join(t.TempDir(), "results")
	run := func(args ...string) error { return dispatch(append([]string{"gpu"}, args...), io.Discard) }
	if err := run("--emu", "--kernels", "DenseGELU", "--out", out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"table.txt": "not measured on hardware", "checks.txt": "ok    gpu.DenseGELU denseGELU_sm80_kn16 m="} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "WRONG") {
			t.Errorf("%s, want %q: %v\n%s", name, want, err, text)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) > 8 {
		t.Errorf("%d files: %v", len(entries), err)
	}
	if err := run("--emu", "--kernels", "DenseGELU", "--out", out, "--resume"); err != nil {
		t.Error(err)
	}
	t.Setenv("TILESMITH_LIBCUDA", filepath.Join(out, "none.so"))
	for _, x := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"--emu", "--out", out}, 1, "--resume"},
		{[]string{"--out", out}, 1, "not measured on hardware; tilesmith gpu --emu"},
		{[]string{"--emu", "--device", "1"}, 2, "give one of them"},
		{[]string{"--kernels", "X"}, 2, "there is MatMulBF16, MatMulF16"},
		{[]string{"spec.go"}, 2, "takes flags only"},
	} {
		err := run(x.args...)
		if cli.ExitCode(err) != x.code || err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("gpu %q: exit %d, %v; want %d and %q", x.args, cli.ExitCode(err), err, x.code, x.why)
		}
	}
}

func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, Command()) }
