package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostText is how many bytes are learned from at most.
const mostText = 64 << 20

// documentation returns the files that are learned from if no others are named: those of the module around
// the working folder.
func documentation() ([]string, error) {
	at, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/tilesmith/tilesmith\n") {
			files, _ := filepath.Glob(filepath.Join(at, "*.md"))
			return append(files, filepath.Join(at, "docs")), nil
		}
		up := filepath.Dir(at)
		if up == at {
			return nil, errors.New("the working folder is not below Tilesmith, whose documentation is learned from: name files or folders by -text")
		}
		at = up
	}
}

// read returns the text of files, and of those in folders that end in .md or .txt, in the order of their names.
func read(names []string) (string, error) {
	var b strings.Builder
	add := func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if n, err := io.Copy(&b, io.LimitReader(f, mostText-int64(b.Len())+1)); err != nil || n == 0 {
			return err
		}
		if b.Len() > mostText {
			return fmt.Errorf("%s: there are more than %d bytes of text; name fewer files", name, mostText)
		}
		b.WriteByte('\n')
		return nil
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		if !info.IsDir() {
			if err := add(name); err != nil {
				return "", err
			}
			continue
		}
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains([]string{".md", ".txt"}, filepath.Ext(path)) {
				err = add(path)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
