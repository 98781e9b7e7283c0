package snippets

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// Block is one piece of code on a page.
type Block struct {
	Page string // such as howto-multiply.md, or the folder of a package, such as cpu/solve
	Line int    // of its first line, or the number of the block in a comment
	Info string // what stands behind the fence; "go" in a comment
	Text string
}

// String says where the block is.
func (b Block) String() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Markdown returns the blocks between fences of a page.
func Markdown(page, text string) []Block {
	var blocks []Block
	open, n := false, 0
	for line := range strings.Lines(text) {
		n++
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !open:
			blocks = append(blocks, Block{Page: page, Line: n + 1, Info: info})
			open = true
		case fence:
			open = false
		case open:
			blocks[len(blocks)-1].Text += line
		}
	}
	return blocks
}

// Comment returns the code in the comment of the package in a folder below root.
func Comment(root, folder string) ([]Block, error) {
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, commented(folder, f.Doc)...)
	}
	return blocks, nil
}

// commented returns the indented blocks of a comment that are Go.
func commented(folder string, group *ast.CommentGroup) []Block {
	if group == nil {
		return nil
	}
	var blocks []Block
	var p comment.Parser
	for i, part := range p.Parse(group.Text()).Content {
		if code, ok := part.(*comment.Code); ok && looksLikeGo(code.Text) {
			blocks = append(blocks, Block{Page: folder, Line: i + 1, Info: "go", Text: code.Text})
		}
	}
	return blocks
}

// looksLikeGo reports whether a block of a comment, which has no info string, is Go: a drawing or a table is not.
// A first line "// sketch", or a line that begins with dots, says that it is a sketch.
func looksLikeGo(text string) bool {
	if strings.HasPrefix(text, "// sketch") {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "...") {
			return false
		}
	}
	if _, err := divide(text); err == nil {
		return true
	}
	for _, mark := range []string{":=", "func ", "import (", "if err"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}
