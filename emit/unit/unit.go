// Package unit has the form that a spec takes before it is printed. Functions for each
// target, the tables that list them, parameters, and the oracle that checks them are data
// there. Package gen prints it and knows nothing of products.
//
// Start with [Operation], which declares what users call, and [Struct], which writes what the run time takes.
//
// You can pass any type with the methods of [Spec] to gen.Main, from any module. Packages
// gemm/simd, gemm/gpu and sparse/lower adapt the specs of packages gemm and sparse.
package unit

import (
	"github.com/tilesmith/tilesmith/emit"
)

// Spec is a spec that lowers itself.
type Spec interface {
	// Kernel is the name of what is generated, a Go identifier.
	Kernel() string
	// TargetList are the targets, best first.
	TargetList() []emit.Target
	// Lower gives the spec its meaning on the targets, which are of one architecture
	// and in the order of TargetList. The error names the spec and says
	// what in it does not do; it is printed as it is.
	Lower(c *Context, targets []emit.Target) (*Unit, error)
}

// An Explainer is a Spec that says in words how its kernels go about it, as lines of text: for tilesmith explain.
type Explainer interface {
	Explain(c *Context) (string, error)
}

// Context is what a spec is lowered for.
type Context struct {
	Package string // the name of the package that is generated into
	Translator
}

// Unit is a spec lowered for targets of one architecture.
type Unit struct {
	Name string
	// Folder is the sub-package that the files belong to: "" for the package itself, or
	// GPUFolder.
	Folder string
	// Imports are packages that the text may name, each a path, or a name, a space and a
	// path. Those that it does name are imported.
	Imports []string
	// Decls are declared everywhere, as entry points are. Copies stand below them: the functions of
	// users, for what is portable. TestDecls are for the test alone.
	Decls, Copies, TestDecls []Decl

	Variants []Variant
	// Listed are variables that list the variants. They are zero where there is no
	// assembly.
	Listed []Var
	// Asm and Noasm are declared where there is assembly, and where there is none.
	Asm, Noasm []Decl
	Oracle     *Oracle // nil: no test
}

// Variant is the part for one target: the functions that are the unit's own, not those
// that it shares with other packages.
type Variant struct {
	Target emit.Target
	Funcs  []Kernel
	// Shown are all functions, those that are shared, too: for who looks at the lowering.
	// nil: Funcs.
	Shown []*emit.Func
}

// Kernel is a function and the type of its argument block as Go writes it, "kernel.Args".
// A GPU's has none.
type Kernel struct {
	*emit.Func
	Args string
}

// Kernels are functions that take the same argument block.
func Kernels(args string, fs ...*emit.Func) []Kernel {
	var ks []Kernel
	for _, f := range fs {
		ks = append(ks, Kernel{f, args})
	}
	return ks
}

// Oracle is the test of a unit: checks, a benchmark, and what they use.
type Oracle struct {
	// ISAs are those that each check is a subtest for, with "go", the portable code, after
	// them. nil: checks run once.
	ISAs   []string
	Checks []Check
	// Own are statements for single instruction sets. Those of all architectures stand where the body of
	// a check has OwnHere.
	Own   string
	Bench Check // without a body there is none
	Decls []Decl
}

// OwnHere is the place of [Oracle.Own] in the body of a check.
const OwnHere = "{own}"

// Check is a function of a test file. It has its name after that of the spec, its doc,
// and its statements, which see t, or b, and isa.
type Check struct{ Suffix, Doc, Body string }

// GPUFolder is the sub-package that code for GPUs is written to, and its name. A package
// for CPUs only must not depend on cuda.
const GPUFolder = "gpu"
