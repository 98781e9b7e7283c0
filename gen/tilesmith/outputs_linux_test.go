package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
)

// TestOutputs writes to devices, links and pipes, which stay what they are, and under a umask.
func TestOutputs(t *testing.T) {
	dir := clitest.Folder(t, map[string]string{"k.ptx": storing,
		"cycle.mtx": "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n3 4\n4 1\n"})
	in := func(name string) string { return filepath.Join(dir, name) }
	emu := func(out string) string {
		return "emu run " + in("k.ptx") + " --grid 1 --block 1 out:f32:1=" + out + " f32:1 i32:1 i8:1"
	}
	const npy = "\x93NUMPY"

	if err := os.Symlink("to.npy", in("link.npy")); err != nil {
		t.Fatal(err)
	}
	if out, code := emulate(emu(in("link.npy"))); code != 0 {
		t.Errorf("a link: %s", out)
	}
	if text, err := os.ReadFile(in("to.npy")); !strings.HasPrefix(string(text), npy) || err != nil {
		t.Errorf("the link leads to %q, %v", text, err)
	}

	if err := os.Symlink("/proc/self/fd/1", in("stdout")); err != nil { // as /dev/stdout is, which a test that fails would spoil
		t.Fatal(err)
	}
	cmd := command(t, strings.Fields(emu(in("stdout")))...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), npy) {
		t.Errorf("stdout: %v, %q, %s", err, &out, &log)
	}

	defer syscall.Umask(syscall.Umask(0o077))
	for file, line := range map[string]string{
		"private.npy": emu(in("private.npy")), "owners": "dist plan " + in("cycle.mtx") + " --ranks 2 --owners " + in("owners"),
		"part.0-of-2.part": "dist plan " + in("cycle.mtx") + " --ranks 2 --write " + in("part"),
	} {
		out, code := emulate(line)
		if info, err := os.Stat(in(file)); code != 0 || err != nil || info.Mode() != 0o600 {
			t.Errorf("under umask 077, %s: %v, %v, %s", line, info, err, out)
		}
	}

	for name, minor := range map[string]uint32{"null": 3, "full": 7} {
		if err := unix.Mknod(in(name), unix.S_IFCHR|0o666, int(unix.Mkdev(1, minor))); err != nil {
			t.Skip("only root can make a device: ", err)
		}
		if f, err := os.OpenFile(in(name), os.O_WRONLY, 0); err != nil {
			t.Skip("devices do not work there: ", err)
		} else {
			f.Close()
		}
	}
	if out, code := emulate(emu(in("null"))); code != 0 {
		t.Errorf("a device: %s", out)
	}
	for _, line := range []string{emu(in("full")), "dist plan " + in("cycle.mtx") + " --ranks 2 --svg " + in("full"), "dist plan " + in("cycle.mtx") + " --ranks 2 --owners " + in("full")} {
		if out, code := emulate(line); code != 1 || !strings.Contains(out, in("full")+": no space left on device") {
			t.Errorf("%s: exit code %d, %s", line, code, out)
		}
	}
	for _, name := range []string{"null", "full"} {
		if info, err := os.Lstat(in(name)); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
			t.Errorf("%s has become %v, %v", name, info, err)
		}
	}
}
