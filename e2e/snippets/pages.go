package snippets

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// elsewhere has the pages whose blocks other tests compile and run.
var elsewhere = map[string]string{
	"tutorial.md": "TestTutorial does what the page says, in a module of its own",
	"language.md": "TestLanguage writes the page from functions that are compiled, translated and run",
}

// Pages returns the blocks of Go of the README, of the pages in docs and of the comments of packages that users import.
func Pages(root string) ([]Block, error) {
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for _, name := range append(names, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		page := filepath.Base(name)
		if filepath.Dir(name) != root && page == "README.md" {
			page = "docs.md"
		}
		if elsewhere[page] == "" {
			blocks = append(blocks, Markdown(page, string(text))...)
		}
	}
	folders, err := publicFolders(root)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		more, err := Comment(root, folder)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, more...)
	}
	return joined(slices.DeleteFunc(blocks, func(b Block) bool { return b.Info != "go" && !strings.HasPrefix(b.Info, "go ") })), nil
}

// joined puts blocks of "go more" behind those that they continue.
func joined(blocks []Block) []Block {
	var out []Block
	for _, b := range blocks {
		if b.Info == "go more" && len(out) > 0 && out[len(out)-1].Page == b.Page {
			out[len(out)-1].Text += b.Text
			continue
		}
		out = append(out, b)
	}
	return out
}

// publicFolders returns the folders with packages, but for those that users do not import.
func publicFolders(root string) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch name := d.Name(); {
		case path == root:
			return nil
		case strings.HasPrefix(name, "."), name == "testdata", name == "internal", name == "kern", name == "docs", name == "e2e", name == "examples":
			return fs.SkipDir
		}
		folder, err := filepath.Rel(root, path)
		folders = append(folders, filepath.ToSlash(folder))
		return err
	})
	return folders, err
}

// Given returns what a page takes for granted: the file testdata/given/PAGE.go, if there is one.
func Given(page string) (string, error) {
	name := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "/", "_") + ".go"
	text, err := os.ReadFile(filepath.Join("testdata", "given", name))
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(text), err
}
