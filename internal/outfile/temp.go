package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
)

// A Temp is a file that is to be renamed. Until then [Clear] removes it.
type Temp struct {
	*os.File
	old fs.FileInfo
}

var errEnded = errors.New("not written, as the program ends")

// pending are those that are not renamed yet.
var pending = struct {
	sync.Mutex
	files map[string]*os.File
	ended bool
}{files: map[string]*os.File{}}

// NewTemp makes a file in dir which will replace that of old, or a new one if old is nil: it has old's permission bits, or what the
// umask leaves. Its name begins with .tilesmith-.
func NewTemp(dir string, old fs.FileInfo) (*Temp, error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm() // never more than that, not even for a moment
	}
	pending.Lock()
	defer pending.Unlock()
	if pending.ended {
		return nil, errEnded
	}
	if !os.IsPathSeparator(dir[len(dir)-1]) {
		dir += string(os.PathSeparator)
	}
	for range 1000 {
		name := fmt.Sprintf("%s.tilesmith-%08x", dir, rand.Uint32()) // not cleaned: see follow
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		pending.files[name] = f
		return &Temp{f, old}, nil
	}
	return nil, fs.ErrExist
}

// Close closes the file, which is as the old one then.
func (t *Temp) Close() error {
	var err error
	if t.old != nil {
		err = like(t.File, t.old)
	}
	return errors.Join(err, t.File.Close())
}

// like gives a file the owner of old, where that is allowed, and its permission bits.
func like(f *os.File, old fs.FileInfo) error {
	keepOwner(f, old)
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == old.Mode().Perm() {
		return err
	}
	return f.Chmod(old.Mode().Perm())
}

// sync makes the text durable, where that is possible, before the file takes the place of another.
func (t *Temp) sync() error {
	err := t.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // what a file system says that has no such thing
		return nil
	}
	return err
}

// Rename puts the file, which is closed, in its place.
func (t *Temp) Rename(to string) error {
	pending.Lock()
	defer pending.Unlock()
	if pending.ended {
		return errEnded
	}
	err := os.Rename(t.Name(), to)
	if err == nil {
		delete(pending.files, t.Name())
	}
	return err
}

// keep lets the file, which is closed, stay as it is, and returns its name.
func (t *Temp) keep() string {
	pending.Lock()
	defer pending.Unlock()
	delete(pending.files, t.Name())
	return t.Name()
}

// Drop closes and removes the file, unless it was renamed.
func (t *Temp) Drop() {
	t.File.Close() // an error if it was closed
	pending.Lock()
	defer pending.Unlock()
	if pending.files[t.Name()] != nil {
		os.Remove(t.Name())
		delete(pending.files, t.Name())
	}
}

// Clear removes all files that are not renamed yet and lets no more be made, for a program that ends while they are written.
func Clear() {
	pending.Lock()
	defer pending.Unlock()
	pending.ended = true
	for name, f := range pending.files {
		f.Close() // Windows removes none that is open
		os.Remove(name)
	}
}
