package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A place is where a file is written.
type place struct {
	at      string      // behind links
	old     fs.FileInfo // what is there, or nil
	through bool        // it is written to and not replaced
	stream  *os.File    // which is open already, or nil
}

// maxLinks is how many links may lead to one another; Linux allows as many.
const maxLinks = 40

// find looks at the place that name leads to.
func find(name string) (place, error) {
	p := place{at: name}
	info, err := os.Stat(name)
	switch {
	case err == nil:
		p.old = info
	case !errors.Is(err, fs.ErrNotExist):
		return p, err
	}
	if p.old != nil && info.IsDir() {
		return p, errors.New("this is a folder; name a file")
	}
	if p.old != nil {
		if p.stream = standard(info); p.stream != nil || !info.Mode().IsRegular() {
			p.through = true
			return p, nil
		}
	}
	at, err := follow(name)
	if err != nil {
		return p, err
	}
	if p.old != nil {
		// What /proc/self/fd says is open may have another name by now, or none.
		if there, err := os.Lstat(at); err != nil || !os.SameFile(there, info) {
			p.through = true
			return p, nil
		}
	}
	p.at = at
	return p, nil
}

// standard is the output or error of this program if that is the file: what is written to it otherwise would be lost if it was replaced.
func standard(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if s, err := f.Stat(); err == nil && os.SameFile(s, info) {
			return f
		}
	}
	return nil
}

// follow returns the name at the end of links, of which the last may lead to nothing. Names are not cleaned: behind a link to a folder,
// .. is that folder's parent.
func follow(name string) (string, error) {
	for range maxLinks + 1 { // and what the last leads to
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil // what is wrong is found out when it is written
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) && (to == "" || !os.IsPathSeparator(to[0])) {
			dir, _ := filepath.Split(name)
			to = dir + to
		}
		name = to
	}
	return "", errors.New("there are too many symbolic links")
}

// begin begins the file that will be renamed to the place.
func (p *place) begin() (*Temp, error) {
	dir, base := filepath.Split(p.at)
	if base == "" {
		return nil, errors.New("this names a folder; name a file")
	}
	if p.old != nil { // renaming asks for no permission to write
		f, err := os.OpenFile(p.at, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	if dir == "" {
		dir = "."
	}
	f, err := NewTemp(dir, p.old)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s", dir)
	case err != nil:
		return nil, fmt.Errorf("no file can be made in %s, which is to take its place: %w", dir, cause(err))
	}
	return f, nil
}
