package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// specFiles returns the spec files that arguments name: files, folders whose go:generate
// lines name some, and dir/... for a folder and all below.
func specFiles(args []string) ([]string, error) {
	args, err := expand(args, hasSpec)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("there is no spec file or folder: %w", err)
		}
		if !info.IsDir() {
			if err := checkSpec(arg); err != nil {
				return nil, err
			}
			files = append(files, arg)
			continue
		}
		specs, err := specsOf(arg)
		if err != nil {
			return nil, err
		}
		for _, s := range specs {
			files = append(files, filepath.Join(arg, s))
		}
	}
	return files, nil
}

func hasSpec(dir string) (bool, error) {
	_, err := specsOf(dir)
	if errors.As(err, new(noSpecError)) {
		return false, nil
	}
	return err == nil, err
}

// expand replaces each pattern dir/... by the folders below dir that has accepts. It
// leaves out the folders that the go command leaves out of such a pattern.
func expand(args []string, has func(dir string) (bool, error)) ([]string, error) {
	var all []string
	for _, arg := range args {
		root, isPattern := strings.CutSuffix(filepath.ToSlash(arg), "...")
		if !isPattern || root != "" && !strings.HasSuffix(root, "/") {
			all = append(all, arg)
			continue
		}
		if root = filepath.FromSlash(strings.TrimSuffix(root, "/")); root == "" && !strings.HasPrefix(arg, "/") {
			root = "."
		}
		n := len(all)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !d.IsDir():
				return nil
			case path != root && leftOut(path):
				return fs.SkipDir
			}
			ok, err := has(path)
			if ok {
				all = append(all, path)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no spec file or folder: %w", err)
		}
		if err != nil {
			return nil, err
		}
		if len(all) == n {
			return nil, fmt.Errorf("%s matches no folder with a spec", arg)
		}
	}
	return all, nil
}

// leftOut reports whether a folder is none of a pattern's: hidden, of test data, copied
// from elsewhere, or of another module.
func leftOut(dir string) bool {
	name := filepath.Base(dir)
	if name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
