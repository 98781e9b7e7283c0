//go:build unix

package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// node makes a device like one that there is.
func node(t *testing.T, like, name string) string {
	t.Helper()
	info, err := os.Stat(like)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.Mknod(name, unix.S_IFCHR|0o666, int(info.Sys().(*syscall.Stat_t).Rdev)); err != nil {
		t.Skip("only root can make a device: ", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("devices do not work there: ", err)
	}
	f.Close()
	return name
}

// TestDevice: a device is written through, also by way of a link, and stays; one that takes nothing is named and stays.
func TestDevice(t *testing.T) {
	dir := t.TempDir()
	null := node(t, "/dev/null", dir+"/null")
	for _, name := range []string{null, link(t, "null", dir+"/link")} {
		if err := errors.Join(Check(name), Write(name, text("x"))); err != nil {
			t.Error(err)
		}
	}
	full := node(t, "/dev/full", dir+"/full")
	if err := Write(full, text("x")); !errors.Is(err, syscall.ENOSPC) || err.Error() != full+": no space left on device" {
		t.Errorf("a full device: %v", err)
	}
	for _, name := range []string{null, full} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
			t.Errorf("%s has become %v, %v", name, info.Mode(), err)
		}
	}
	only(t, dir, "full", "link", "null")
}

// TestPipe writes to a named pipe, which Check leaves to who reads.
func TestPipe(t *testing.T) {
	name := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	if err := Check(name); err != nil {
		t.Error(err)
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(name)
		got <- string(b)
	}()
	if err := Write(name, text("through")); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "through" {
		t.Errorf("%q", s)
	}
}

// TestOpen: what is open already, as /dev/stdout and /dev/fd/N are, is written through, whatever it is.
func TestOpen(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	defer func(was *os.File) { os.Stdout = was }(os.Stdout)
	out, err := os.Create(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = out
	out.WriteString("before ")
	fd := "/dev/fd/" + string(rune('0'+out.Fd()%10))
	if out.Fd() > 9 {
		t.Skip("more files are open than this counts")
	}
	if err := Write(fd, text("through ")); err != nil {
		t.Error(err)
	}
	out.WriteString("after")
	holds(t, dir+"/out", "before through after")
	// One that has no name any more is not made anew under what the system calls it.
	os.Stdout = os.Stderr
	os.Remove(dir + "/out")
	if err := Write(fd, text("gone")); err != nil {
		t.Error(err)
	}
	out.Seek(0, io.SeekStart)
	if b, err := io.ReadAll(out); string(b) != "gone" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	only(t, dir)
}

// TestMode: a new file has what the umask leaves, one that is replaced the bits and the owner that it had.
func TestMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	for _, c := range []struct {
		old, want fs.FileMode
	}{{0, 0o600}, {0o644, 0o644}, {0o600, 0o600}, {0o755, 0o755}, {0o640, 0o640}} {
		name := filepath.Join(t.TempDir(), "f")
		if c.old != 0 {
			put(t, name, "old")
			if err := os.Chmod(name, c.old); err != nil {
				t.Fatal(err)
			}
			os.Chown(name, 4242, 4243) // if this is root
		}
		was, _ := os.Stat(name)
		if err := Write(name, text("new")); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode() != c.want {
			t.Errorf("of %v it became %v, %v; want %v", c.old, info.Mode(), err, c.want)
		}
		if was != nil && was.Sys().(*syscall.Stat_t).Uid != info.Sys().(*syscall.Stat_t).Uid {
			t.Errorf("its owner became %d", info.Sys().(*syscall.Stat_t).Uid)
		}
	}
}

const envUser = "TILESMITH_TEST_OUTFILE"

// TestReadOnly: a file that may not be written stays, and so does one in a folder that takes no other. Root may do all of it, and
// becomes somebody else.
func TestReadOnly(t *testing.T) {
	if dir := os.Getenv(envUser); dir != "" {
		for _, name := range []string{"/sticky/f", "/team/f"} {
			if err := errors.Join(Check(dir+name), Write(dir+name, text("new"))); err != nil {
				t.Error(err)
			}
		}
		for _, c := range []struct{ name, why string }{
			{dir + "/protected", "permission denied"},
			{dir + "/closed/f", "no file can be made in " + dir + "/closed/, which is to take its place: permission denied"},
			{dir + "/link", "no file can be made in " + dir + "/closed/, which is to take its place: permission denied"},
		} {
			for _, err := range []error{Check(c.name), Write(c.name, text("new"))} {
				if err == nil || !strings.HasPrefix(err.Error(), c.name+": ") || !strings.HasSuffix(err.Error(), c.why) {
					t.Errorf("%v; want %s", err, c.why)
				}
			}
		}
		return
	}
	top, err := os.MkdirTemp("", "outfile-test-") // t.TempDir is closed to others
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(top)
	dir := top + "/d"
	if err := errors.Join(os.Chmod(top, 0o755), os.MkdirAll(dir+"/closed", 0o755)); err != nil {
		t.Fatal(err)
	}
	put(t, dir+"/protected", "old")
	put(t, dir+"/closed/f", "old")
	link(t, "closed/f", dir+"/link")
	if err := errors.Join(os.Chmod(dir, 0o777), os.Chmod(dir+"/protected", 0o444), os.Chmod(dir+"/closed/f", 0o666), os.Chmod(dir+"/closed", 0o555)); err != nil {
		t.Fatal(err)
	}
	// What is another's stays his where it cannot be replaced, and else its group's.
	for _, c := range []struct {
		name string
		mode fs.FileMode
		gid  int
	}{{"/sticky", 0o777 | fs.ModeSticky, -1}, {"/team", 0o777, 4243}} {
		err := os.Mkdir(dir+c.name, 0o777)
		put(t, dir+c.name+"/f", "older")
		if err := errors.Join(err, os.Chmod(dir+c.name, c.mode), os.Chmod(dir+c.name+"/f", 0o666), os.Chown(dir+c.name+"/f", -1, c.gid)); err != nil && os.Getuid() == 0 {
			t.Fatal(err)
		}
	}
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(top+"/test", self, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(top+"/test", "-test.run=^TestReadOnly$")
	cmd.Env, cmd.Dir = append(os.Environ(), envUser+"="+dir), "/"
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, Groups: []uint32{4243}}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	holds(t, dir+"/protected", "old")
	holds(t, dir+"/closed/f", "old")
	only(t, dir, "closed", "link", "protected", "sticky", "team")
	for _, name := range []string{"/sticky", "/team"} {
		holds(t, dir+name+"/f", "new")
		only(t, dir+name, "f")
	}
	info, err := os.Stat(dir + "/team/f")
	if err != nil {
		t.Fatal(err)
	}
	if gid := info.Sys().(*syscall.Stat_t).Gid; os.Getuid() == 0 && gid != 4243 {
		t.Errorf("its group became %d", gid)
	}
}
