package arm64

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestNative builds a program of all functions, outside the source tree, and compares what
// they do with the interpreter, bit for bit. Where the machine is none, QEMU runs the program.
func TestNative(t *testing.T) {
	level.E2E(t)
	how := asmtest.Run{Env: []string{"GOARCH=arm64"}}
	if runtime.GOARCH != "arm64" {
		qemu, err := exec.LookPath("qemu-aarch64")
		if err != nil {
			t.Skip("there is neither an arm64 nor qemu-aarch64 here")
		}
		how.Env = append(how.Env, "GOOS=linux")
		how.Command = func(exe string) *exec.Cmd { return exec.Command(qemu, "-cpu", "max", exe) }
	}
	suite.Native(t, how, programs(t))
}
