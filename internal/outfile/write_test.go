package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// text is a callback of Write.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func put(t *testing.T, name, s string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func link(t *testing.T, to, name string) string {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("no symbolic links can be made: ", err)
	}
	return name
}

// holds checks the text of a file.
func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); string(got) != want || err != nil {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

// only checks what is in a folder: nothing is left behind.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") || err != nil {
		t.Errorf("%s has %q, %v; want %q", dir, got, err, want)
	}
}

// TestWrite: files that are there, that are not, and those that links lead to; links stay.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(dir string) (name, at string)
	}{
		{"new", func(d string) (string, string) { return d + "/f", d + "/f" }},
		{"old", func(d string) (string, string) { return put(t, d+"/f", "old"), d + "/f" }},
		{"old, which was longer", func(d string) (string, string) { return put(t, d+"/f", strings.Repeat("old", 99)), d + "/f" }},
		{"link", func(d string) (string, string) { put(t, d+"/to", "old"); return link(t, "to", d+"/f"), d + "/to" }},
		{"link to nothing", func(d string) (string, string) { return link(t, "to", d+"/f"), d + "/to" }},
		{"link to a link", func(d string) (string, string) {
			link(t, filepath.Join(d, "to"), d+"/f2")
			return link(t, "f2", d+"/f"), d + "/to"
		}},
		{"link into another folder", func(d string) (string, string) {
			other := t.TempDir()
			put(t, other+"/to", "old")
			return link(t, other+"/to", d+"/f"), other + "/to"
		}},
		{"link from a folder that is a link", func(d string) (string, string) {
			// Of d/in/f, which is other/sub/f, .. is other and not d.
			other := t.TempDir()
			if err := os.Mkdir(other+"/sub", 0o777); err != nil {
				t.Fatal(err)
			}
			link(t, "../to", other+"/sub/f")
			link(t, other+"/sub", d+"/in")
			return d + "/in/f", other + "/to"
		}},
		{"long name", func(d string) (string, string) { n := d + "/" + strings.Repeat("n", 250); return n, n }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			name, at := c.make(dir)
			was, _ := os.Readlink(name)
			if err := Check(name); err != nil {
				t.Error(err)
			}
			before, _ := os.ReadDir(dir)
			if err := Write(name, text("new")); err != nil {
				t.Fatal(err)
			}
			holds(t, name, "new")
			holds(t, at, "new")
			if is, _ := os.Readlink(name); is != was {
				t.Errorf("the link leads to %q; it was %q", is, was)
			}
			if after, _ := os.ReadDir(dir); len(after) > len(before)+1 {
				t.Errorf("%d files are left", len(after)-len(before))
			}
			if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// TestFailure: when writing fails, what was there stays and nothing else does.
func TestFailure(t *testing.T) {
	why := errors.New("the disk is full")
	fails := func(w io.Writer) error {
		w.Write(make([]byte, 1<<20))
		return why
	}
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "f"), "old")
	if err := Write(name, fails); !errors.Is(err, why) || !strings.HasPrefix(err.Error(), name+": ") {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(dir, "g"), fails); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	func() {
		defer func() { recover() }()
		Write(name, func(io.Writer) error { panic("a bug") })
	}()
	holds(t, name, "old")
	only(t, dir, "f")
}

// TestRefused: what cannot be written is found by Check and by Write, which name it.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, why string }{
		{dir, "folder"},
		{dir + "/none/", "folder"},
		{dir + "/none/f", "there is no folder " + dir + "/none/"},
		{put(t, dir+"/plain", "old") + "/f", "not a directory"},
		{link(t, dir, dir+"/dir"), "folder"},
		{link(t, "loop", dir+"/loop"), "too many"},
		{link(t, dir+"/none/f", dir+"/nowhere"), "there is no folder"},
		{"", "folder"},
	} {
		for _, err := range []error{Check(c.name), Write(c.name, text("x"))} {
			if err == nil || !strings.HasPrefix(err.Error(), c.name+": ") || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), ".tilesmith-") {
				t.Errorf("%s: %v; want it to say %q", c.name, err, c.why)
			}
		}
	}
	only(t, dir, "dir", "loop", "nowhere", "plain")
}

// TestClear: what is not renamed when the program ends goes, and no more is made.
func TestClear(t *testing.T) {
	defer func() { pending.ended, pending.files = false, map[string]*os.File{} }()
	dir := t.TempDir()
	begun, err := NewTemp(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	Clear()
	only(t, dir)
	if err := begun.Rename(dir + "/f"); !errors.Is(err, errEnded) {
		t.Errorf("%v", err)
	}
	if err := Write(dir+"/f", text("new")); !errors.Is(err, errEnded) {
		t.Errorf("%v", err)
	}
	only(t, dir)
}

// TestMove puts a file in the place of none, of another, and behind a link.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/old", "old")
	put(t, dir+"/to", "old")
	for _, name := range []string{dir + "/new", dir + "/old", link(t, "to", dir+"/link")} {
		if err := Move(put(t, dir+"/from", "text"), name); err != nil {
			t.Error(err)
		}
		holds(t, name, "text")
	}
	holds(t, dir+"/to", "text")
	only(t, dir, "link", "new", "old", "to")
}

// TestChain: as many links may lead to one another as the system follows.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	name := put(t, dir+"/f", "old")
	for i := range 60 {
		next := link(t, name, fmt.Sprintf("%s/%d", dir, i))
		if _, err := os.Stat(next); err != nil {
			break
		}
		name = next
	}
	if err := Write(name, text("new")); err != nil {
		t.Error(err)
	}
	holds(t, dir+"/f", "new")
}
