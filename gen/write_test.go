package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(name, body string) File {
	return File{name, []byte("// " + Header("spec.go") + "\n\n" + body)}
}

// snapshot describes all of dir: names, kinds, modes and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(filepath.Join(dir, e.Name())) // a folder has none
		fmt.Fprintf(&b, "%s %v %q\n", e.Name(), info.Mode(), data)
	}
	return b.String()
}

func put(t *testing.T, dir, name, data string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "hand.go", "package p\n")
	put(t, dir, "other.go", specWith(denseSpec))
	put(t, dir, "other_gen.go", "// "+Header("other.go")+"\npackage p\n")
	if did, err := Update(dir, []File{file("p_gen.go", "1"), file("p_gen_amd64.s", "2")}); err != nil || did.String() != "wrote 2 files" {
		t.Errorf("%v, %v", did, err)
	}
	before := snapshot(t, dir)
	if did, err := Update(dir, []File{file("p_gen.go", "1"), file("p_gen_amd64.s", "2")}); err != nil || did.String() != "wrote 0 files, 2 are unchanged" {
		t.Errorf("%v, %v", did, err)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("writing again changed the folder:\n%s", after)
	}
	// A renamed spec: the assembly goes, what is not of this source stays.
	if did, err := Update(dir, []File{file("p_gen.go", "3"), file("p_gen_other.go", "2")}); err != nil || did.String() != "wrote 2 files, removed 1" {
		t.Errorf("%v, %v", did, err)
	}
	for name, want := range map[string]bool{"p_gen.go": true, "p_gen_amd64.s": false, "p_gen_other.go": true, "hand.go": true, "other.go": true, "other_gen.go": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", name, err == nil, want)
		}
	}
	if s := snapshot(t, dir); strings.Count(s, "\n") != 5 || !strings.Contains(s, "3") {
		t.Errorf("the folder holds\n%s", s)
	}
}

// subFile is a file of the sub-package.
func subFile(name, body string) File {
	return File{"gpu/" + name, []byte("// " + Header("../spec.go") + "\n\n" + body)}
}

// TestWriteGPU: files of the sub-package come and go with their specs, whatever is
// generated beside them, and those of a spec that lies there stay.
func TestWriteGPU(t *testing.T) {
	dir := t.TempDir()
	there := func(want ...string) {
		t.Helper()
		var have []string
		for _, d := range []string{"", "gpu"} {
			entries, _ := os.ReadDir(filepath.Join(dir, d))
			for _, e := range entries {
				have = append(have, filepath.ToSlash(filepath.Join(d, e.Name())))
			}
		}
		if strings.Join(have, " ") != strings.Join(want, " ") {
			t.Errorf("there is %q, want %q", have, want)
		}
	}
	must(t, Write(dir, []File{file("a.go", "1"), subFile("a.go", "package gpu\n"), subFile("a_sm80.ptx", "2")}))
	there("a.go", "gpu", "gpu/a.go", "gpu/a_sm80.ptx")
	must(t, Write(dir, []File{subFile("b.go", "package gpu\n"), subFile("b_sm80.ptx", "2")})) // renamed, no CPU
	there("gpu", "gpu/b.go", "gpu/b_sm80.ptx")
	must(t, Check(dir, []File{subFile("b.go", "package gpu\n"), subFile("b_sm80.ptx", "2")}))
	put(t, dir, "gpu/b_sm80.ptx", string(subFile("", "3").Data))
	put(t, dir, "gpu/c.go", string(subFile("", "package gpu\n").Data))
	err := Check(dir, []File{file("a.go", "1"), subFile("b.go", "package gpu\n"), subFile("b_sm80.ptx", "2")})
	stale := (*StaleError)(nil)
	for _, want := range []string{"a.go is missing", "gpu/b_sm80.ptx differs", "gpu/c.go is left over"} {
		if !errors.As(err, &stale) || !strings.Contains(stale.Diff, want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	own := file("own.go", "package gpu\n") // of gpu/spec.go
	put(t, dir, "gpu/own.go", string(own.Data))
	must(t, Write(dir, []File{file("a.go", "1")})) // CPU only
	there("a.go", "gpu", "gpu/own.go")
	must(t, os.Remove(filepath.Join(dir, "gpu", "own.go")))
	must(t, Write(dir, []File{file("a.go", "1"), subFile("a.go", "package gpu\n")}))
	must(t, Write(dir, []File{file("a.go", "1")}))
	there("a.go")
}

// TestCommandsLeftovers: what a command wrote is removed when it is given again with the same
// name and other types or targets, and what one with another name wrote stays.
func TestCommandsLeftovers(t *testing.T) {
	dir := t.TempDir()
	of := func(name, flags string) File {
		return File{name, []byte("// " + Header("tilesmith gen gemm --name "+flags) + "\n\n")}
	}
	must(t, Write(dir, []File{of("x.go", "X --types f32"), of("x_avx2_amd64.s", "X --types f32"), of("gpu/x_sm80.ptx", "X --types f32")}))
	must(t, Write(dir, []File{of("xy.go", "XY --types f32")}))
	put(t, dir, "hand.go", "package p\n")
	files := []File{of("x.go", "X --types i8"), of("x_avx512_amd64.s", "X --types i8")}
	err, stale := Check(dir, files), (*StaleError)(nil)
	for _, want := range []string{"x.go differs", "x_avx2_amd64.s is left over", "gpu/x_sm80.ptx is left over"} {
		if !errors.As(err, &stale) || !strings.Contains(stale.Diff, want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	must(t, Write(dir, files))
	must(t, Check(dir, files))
	var have []string
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		have = append(have, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)))
		return err
	}))
	if want := " /hand.go /x.go /x_avx512_amd64.s /xy.go"; strings.Join(have, " ") != want {
		t.Errorf("there is %q, want %q", have, want)
	}
}

// TestWriteRefuses wants the folder as it was after every refusal, though the
// first file could have been written.
func TestWriteRefuses(t *testing.T) {
	for _, x := range []struct {
		what, name, why string
		set             func(dir string) error
	}{
		{"a hand-written file", "b.go", "was not generated", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "b.go"), []byte("package p\n"), 0o644)
		}},
		{"an empty file", "b.go", "was not generated", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "b.go"), nil, 0o644)
		}},
		{"a file of another generator", "b.go", "was not generated", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "b.go"), []byte("// Code generated by stringer; DO NOT EDIT.\n"), 0o644)
		}},
		{"a link", "b.go", "symbolic link", func(dir string) error { return os.Symlink("a.go", filepath.Join(dir, "b.go")) }},
		{"a link to nothing", "b.go", "symbolic link", func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, "b.go")) }},
		{"a folder", "b.go", "not a regular file", func(dir string) error { return os.Mkdir(filepath.Join(dir, "b.go"), 0o755) }},
		{"a path", "../b.go", "not the name of a file", func(string) error { return nil }},
		{"another folder", "sub/b.go", "not the name of a file", func(string) error { return nil }},
		{"a folder in the folder", "gpu/sub/b.go", "not the name of a file", func(string) error { return nil }},
		{"a way out of the folder", "gpu/../b.go", "not the name of a file", func(string) error { return nil }},
		{"a hidden name in the folder", "gpu/.b.go", "not the name of a file", func(string) error { return nil }},
		{"a file called gpu", "gpu/b.go", "not a folder", func(dir string) error { return os.WriteFile(filepath.Join(dir, "gpu"), nil, 0o644) }},
		{"a link called gpu", "gpu/b.go", "not a folder", func(dir string) error { return os.Symlink(os.TempDir(), filepath.Join(dir, "gpu")) }},
		{"another package", "gpu/b.go", "is of package cards", func(dir string) error {
			must(t, os.Mkdir(filepath.Join(dir, "gpu"), 0o755))
			return os.WriteFile(filepath.Join(dir, "gpu", "x.go"), []byte("package cards\n"), 0o644)
		}},
		{"a hand-written file in the folder", "gpu/b.go", "was not generated", func(dir string) error {
			must(t, os.Mkdir(filepath.Join(dir, "gpu"), 0o755))
			return os.WriteFile(filepath.Join(dir, "gpu", "b.go"), []byte("package gpu\n"), 0o644)
		}},
		{"a hidden name", ".b.go", "not the name of a file", func(string) error { return nil }},
	} {
		dir := t.TempDir()
		must(t, x.set(dir))
		before := snapshot(t, dir)
		err := Write(dir, []File{file("a.go", "1"), file(x.name, "2")})
		if err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s: %v, want an error with %q", x.what, err, x.why)
		}
		if err := Check(dir, []File{file("a.go", "1"), file(x.name, "2")}); err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s, compared: %v, want an error with %q", x.what, err, x.why)
		}
		if after := snapshot(t, dir); after != before {
			t.Errorf("%s: the folder has changed:\n%s", x.what, after)
		}
	}
}

func TestWriteReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write to any folder")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o555))
	if err := Write(dir, []File{file("a.go", "1")}); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%v, want an error that says nothing was written", err)
	}
}

func TestWriteNowhere(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "missing"), []File{file("a.go", "1")}); err == nil {
		t.Error("a folder that is not there is accepted")
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	files := []File{file("a.go", "one\ntwo\nthree\n"), file("b.go", "")}
	must(t, Write(dir, files))
	must(t, Check(dir, files))
	put(t, dir, "a.go", strings.ReplaceAll(string(files[0].Data), "\n", "\r\n"))
	must(t, Check(dir, files)) // as git checks out on Windows
	put(t, dir, "a.go", string(files[0].Data)+"four\n")
	must(t, os.Remove(filepath.Join(dir, "b.go")))
	put(t, dir, "c.go", string(files[1].Data))
	before := snapshot(t, dir)
	err := Check(dir, files)
	if err == nil {
		t.Fatal("differences are not seen")
	}
	if want := "generated files are not up to date, a.go differs and 2 more; run go generate"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	stale := (*StaleError)(nil)
	for _, want := range []string{"a.go differs", "-four", "b.go is missing", "c.go is left over"} {
		if !errors.As(err, &stale) || !strings.Contains(stale.Diff, want) {
			t.Errorf("the difference lacks %q: %v", want, err)
		}
	}
	if snapshot(t, dir) != before {
		t.Error("Check wrote to the folder")
	}
}

func TestDiff(t *testing.T) {
	for _, x := range []struct{ a, b, want string }{
		{"", "", ""}, {"x\n", "x\n", ""},
		{"a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nX\ne\nf\ng\n", "@@ -4 +4 @@\n b\n c\n-d\n+X\n e\n f\n"},
		{"a\n", "a\nb\n", "@@ -2 +2 @@\n a\n+b\n \n"},
		{"a\nb\nc\nd\n", "b\nc\nd\n", "@@ -1 +1 @@\n-a\n b\n c\n"},
		{"a", "b", "@@ -1 +1 @@\n-a\n+b\n"},
	} {
		if have := diff(x.a, x.b); have != x.want {
			t.Errorf("diff(%q, %q) =\n%s\nwant\n%s", x.a, x.b, have, x.want)
		}
	}
	long := diff(strings.Repeat("a\n", 5000), strings.Repeat("b\n", 5000))
	if n := strings.Count(long, "\n"); n > diffLines+1 || !strings.HasSuffix(long, "and more\n") {
		t.Errorf("a long difference has %d lines and ends in %q", n, long[len(long)-10:])
	}
}
