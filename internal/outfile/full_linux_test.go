package outfile

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk: on a disk that is full an older file stays, and the one that did not fit is gone.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root can mount a disk that is small: ", err)
	}
	defer syscall.Unmount(dir, 0)
	name := put(t, dir+"/f", "old")
	err := Write(name, text(strings.Repeat("x", 1<<20)))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != name+": no space left on device" {
		t.Errorf("%v", err)
	}
	holds(t, name, "old")
	only(t, dir, "f")
	if err := Write(name, text(strings.Repeat("y", 32<<10))); err != nil {
		t.Error("there is room again: ", err)
	}
}

// TestMounted: a file that is mounted by itself, which nothing can replace, is written over.
func TestMounted(t *testing.T) {
	dir := t.TempDir()
	name, outer := put(t, dir+"/f", "older"), put(t, dir+"/outer", "older")
	if err := syscall.Mount(outer, name, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("only root can mount a file: ", err)
	}
	defer syscall.Unmount(name, 0)
	if err := errors.Join(Check(name), Write(name, text("new"))); err != nil {
		t.Error(err)
	}
	holds(t, outer, "new")
	only(t, dir, "f", "outer")
}

// TestMountedFull: where that fails, the text is not lost.
func TestMountedFull(t *testing.T) {
	dir, small := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root can mount: ", err)
	}
	defer syscall.Unmount(small, 0)
	name := put(t, dir+"/f", "older")
	if err := syscall.Mount(put(t, small+"/f", "older"), name, "", syscall.MS_BIND, ""); err != nil {
		t.Skip(err)
	}
	defer syscall.Unmount(name, 0)
	long := strings.Repeat("x", 1<<20)
	err := Write(name, text(long))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	_, at, _ := strings.Cut(err.Error(), "text is in ")
	at, _, _ = strings.Cut(at, ",")
	holds(t, at, long)
	only(t, dir, filepath.Base(at), "f")
}
