//go:build unix

package gen

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOddFiles generates where a pipe or a link to nothing has a name of the set, or another: nobody waits
// for a writer, and what is in the way is named.
func TestOddFiles(t *testing.T) {
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o666) }
	link := func(path string) error { return os.Symlink("nothing", path) }
	for _, c := range []struct {
		what, name string
		set        func(path string) error
		want       string // in the error; "" is none
	}{
		{"a pipe of the set", "p_gen.go", pipe, "p_gen.go is in the way: it is not a regular file; remove it or rename the spec file"},
		{"a pipe of the set, of tables", "p_gen_amd64.go", pipe, "p_gen_amd64.go is in the way: it is not a regular file"},
		{"a link of the set to nothing", "p_gen_other.go", link, "p_gen_other.go is a symbolic link; remove it"},
		{"another pipe", "hand.go", pipe, ""},
		{"another link to nothing", "hand.go", link, ""},
		{"a pipe called as a spec file", "other_spec.go", pipe, ""},
	} {
		dir := t.TempDir()
		if err := c.set(filepath.Join(dir, c.name)); err != nil {
			t.Skip(err)
		}
		put(t, dir, "other_gen.go", "// "+Header("other_spec.go")+"\n\npackage p\n")
		ended := make(chan error, 1)
		go func() {
			files, err := Generate(Options{Package: "p", Source: "spec.go", Dir: dir}, f32Spec{Name: "Dense", Targets: onAMD64})
			if compared := Check(dir, files); c.want != "" && (compared == nil || !strings.Contains(compared.Error(), c.want)) {
				t.Errorf("%s, compared: %v, want %q", c.what, compared, c.want)
			}
			if err == nil {
				err = Write(dir, files)
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v, want %q", c.what, err, c.want)
			}
			if n := len(entries(t, dir)); c.want != "" && n != 2 {
				t.Errorf("%s: there are %d files, want 2 as before", c.what, n)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it hangs", c.what)
		}
	}
}

// TestLookupPathPipe asks for the path of a package with a pipe, which the go command would read.
func TestLookupPathPipe(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/m\n\ngo 1.26\n")
	put(t, dir, "a.go", "package m\n")
	pipe := filepath.Join(dir, "m_gen_amd64.s")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	found := make(chan string, 1)
	go func() { found <- lookupPath(dir) }()
	select {
	case path := <-found:
		if path != "example.com/m" {
			t.Errorf("the path is %q", path)
		}
	case <-time.After(time.Minute):
		must(t, os.Remove(pipe))
		t.Fatal("it hangs")
	}
}
