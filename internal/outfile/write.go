// Package outfile writes the files that a user names: whole or not at all.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Write writes what write does to the file called name.
//
// A regular file, or one that is not there yet, is written beside its place and renamed: if anything fails, what was there stays. A
// symbolic link stays too, and what it leads to is replaced; other hard links keep the old text. A file that is replaced keeps its
// permission bits, and its owner and group if that is allowed; it is not replaced if it may not be written. A new one has what the umask
// leaves.
//
// A file that can be written and not replaced, as another's in a folder with the sticky bit, or one that is mounted by itself, is written
// over once all text is there. If that fails, the file with all of it stays, and the error names it.
//
// Anything else, such as a device or a pipe, is written through. So is what this program already has as its standard output or error.
// A folder is refused. Errors begin with name.
func Write(name string, write func(io.Writer) error) error {
	p, err := find(name)
	if err == nil && p.through {
		err = p.pass(write)
	} else if err == nil {
		err = p.replace(write)
	}
	return named(name, err)
}

// Check returns the error that [Write] would begin with, and changes nothing: for programs that work long before they write.
func Check(name string) error {
	p, err := find(name)
	if err != nil || p.through {
		return named(name, err)
	}
	f, err := p.begin()
	if err == nil {
		f.Drop()
	}
	return named(name, err)
}

// Move puts a file, which it removes, in the place of the file called name, as [Write] does; both are in one folder, or name is a link.
func Move(from, name string) error {
	p, err := find(name)
	if err != nil {
		return named(name, err)
	}
	if !p.through && p.old == nil && os.Rename(from, p.at) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	err = Write(name, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	return errors.Join(err, in.Close(), os.Remove(from))
}

// pass writes to what is not replaced.
func (p *place) pass(write func(io.Writer) error) error {
	if p.stream != nil {
		return buffered(p.stream, write)
	}
	mode := os.O_WRONLY
	if p.old.Mode().IsRegular() {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(p.at, mode, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}

// replace writes a regular file.
func (p *place) replace(write func(io.Writer) error) error {
	f, err := p.begin()
	if err != nil {
		return err
	}
	defer f.Drop()
	if err := buffered(f.File, write); err != nil {
		return err
	}
	if err := f.sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := f.Rename(p.at); p.old == nil || !irreplaceable(err) {
		return err
	}
	err = p.pass(func(w io.Writer) error {
		text, err := os.Open(f.Name())
		if err != nil {
			return err
		}
		defer text.Close()
		_, err = io.Copy(w, text)
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w; all of the text is in %s, as this file cannot be replaced and was written over", cause(err), f.keep())
	}
	return err
}

// irreplaceable reports whether a file cannot be renamed to what may be written nevertheless: another user's file in a folder with the
// sticky bit, or a file that is mounted, as containers do it.
func irreplaceable(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EBUSY)
}

// buffered lets write write to f, to the end.
func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(bare{f}, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush() // which tells of a failure that write has not
}

// bare leaves the file's name, which the user has not given, out of errors.
type bare struct{ f *os.File }

func (b bare) Write(p []byte) (int, error) {
	n, err := b.f.Write(p)
	return n, cause(err)
}

// named is an error of the file called name.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, cause(err))
}

// cause is what is wrong, without the name of a file that the user has not given.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
