package unit

import "github.com/tilesmith/tilesmith/emit"

// Translator translates the Go functions of the specs of one generated package.
type Translator interface {
	// Widest returns the widest element type that f computes with.
	Widest(f any) (emit.Elem, error)
	// Inline puts the translation of each Go function that stands in fs in its place.
	Inline(fs ...*emit.Func) error
	// Epilogue is Inline for a kernel that is an epilogue and nothing else: tools show its
	// function, too.
	Epilogue(t emit.Target, f *emit.Func) error
	// Call says how generated code calls f: that of the package, or of the one in a folder
	// of it if that is not "". A function that has to be copied is called after name.
	Call(folder, name string, f any) (Call, error)
	// Fits returns an error if fs do not print for t, which has as many registers as it
	// has. It leaves fs as the backend wants them: they are only good to be tried.
	Fits(t emit.Target, fs ...*emit.Func) error
}

// Call is how generated Go code reaches a function.
type Call struct {
	Expr    string   // what to write before the parenthesis
	Imports []string // that the call or the declarations need: a path, or a name and a path
	Decls   string   // copied source, "" if the function is imported
	ULP     float64  // the error of the math functions in it
	Strict  bool     // it has no inexact function and no product in a sum: its bits are Go's everywhere
}
