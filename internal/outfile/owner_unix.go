//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and group of old, or the group alone: few may give a file away, but members of a group give it to that.
// Else it stays with who writes it.
func keepOwner(f *os.File, old fs.FileInfo) {
	info, err := f.Stat()
	if err != nil {
		return
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	was, too := old.Sys().(*syscall.Stat_t)
	if ok && too && (is.Uid != was.Uid || is.Gid != was.Gid) {
		if f.Chown(int(was.Uid), int(was.Gid)) != nil {
			f.Chown(-1, int(was.Gid))
		}
	}
}
