package gen

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen/unit"
)

// Overlay says what a build of the package in dir has to see so that it is as if the
// files generated into the folder from had been written to dir: by path, the file that
// stands in its place, and "" for a file that is not to be seen. It is the content of
// go build -overlay. Nothing is written. What [Write] would refuse to replace is
// refused, and what it would remove is not to be seen.
func Overlay(dir, from string) (replace map[string]string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := readFiles(from)
	if err != nil {
		return nil, err
	}
	replace = map[string]string{}
	for _, f := range files {
		if _, err := inspect(dir, f); err != nil {
			return nil, err
		}
		replace[filepath.Join(dir, filepath.FromSlash(f.Name))] = filepath.Join(from, filepath.FromSlash(f.Name))
	}
	old, err := leftovers(dir, files)
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		replace[filepath.Join(dir, filepath.FromSlash(name))] = ""
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
