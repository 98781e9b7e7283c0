// Package snippets checks the Go code and the commands that the documentation shows.
//
// A page is a file of Markdown or the comment of a package. A fence of Markdown says in its info string
// what happens to the block:
//
//	go         compiled and run
//	go more    the same, behind the block above it
//	go build   compiled, since running it takes what a test does not have, such as a GPU
//	go sketch  a quotation: a test at the root finds each line in the code
//
// Start with [Markdown] and [Comment], which return the blocks of a page, and [Translate], which makes
// a package of one. A block is a program, declarations, statements, or specs as gen.Main takes them.
// What it uses and does not declare is in testdata/given, in the file that has the page's name.
package snippets
