package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// Overlay returns the overlay for a build of the package in dir. With it, the files
// generated into the folders from, each of one source, seem to be in dir. It maps each
// path to the file that stands in its place, and to "" if the build must not see the file.
// It is the content of go build -overlay. Nothing is written. Overlay refuses what [Write]
// would refuse, and hides what Write would remove.
func Overlay(dir string, from ...string) (replace map[string]string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	ns, err := neighbours(dir)
	if err != nil {
		return nil, err
	}
	replace = map[string]string{}
	var behind []string
	ran := map[string]bool{}
	for _, folder := range from {
		files, err := readFiles(folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if _, err := inspect(dir, f); err != nil {
				return nil, err
			}
		}
		var old, more []string
		if old, more, ns, err = settleAmong(dir, ns, files); err != nil {
			return nil, err
		}
		behind = append(behind, more...)
		for _, name := range old {
			replace[filepath.Join(dir, filepath.FromSlash(name))] = ""
		}
		for _, f := range files {
			replace[filepath.Join(dir, filepath.FromSlash(f.Name))] = filepath.Join(folder, filepath.FromSlash(f.Name))
			ran[sourceOf(f)] = true
		}
	}
	for _, source := range behind {
		if !ran[source] {
			return nil, fmt.Errorf("a kernel has moved here from %s, whose files declare it until you run that: tilesmith run %[1]s", source)
		}
	}
	return replace, nil
}

// readFiles reads what [Write] wrote to an empty folder.
func readFiles(dir string) ([]File, error) {
	var files []File
	for _, folder := range []string{"", unit.GPUFolder + "/"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			if folder != "" && os.IsNotExist(err) {
				break
			}
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, folder, e.Name()))
			if err != nil {
				return nil, err
			}
			files = append(files, File{folder + e.Name(), data})
		}
	}
	return files, nil
}
