package outfile

import (
	"errors"
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
