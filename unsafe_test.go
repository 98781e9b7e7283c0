package tilesmith

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// directive matches what tells the compiler to trust the code with pointers.
var directive = regexp.MustCompile(`^//go:(nocheckptr|linkname|noescape|nosplit|uintptrescapes|uintptrkeepalive|cgo_unsafe_args|systemstack|nowritebarrier)\b`)

// stub is the one use of noescape that needs no reason each: a function of ours in
// assembly, which keeps none of its arguments.
const stub = "noescape stub"

// lawful is every place where an address might be held as an integer, or a directive
// asks for trust, and why it is right there. A pointer to a Go object is never an integer
// across anything that can move or free it: only the patterns of package unsafe are
// used. See docs/rationale/cpu.md, "Four uses of uintptr are lawful".
//
// What is not listed fails the test, and so does what is listed and gone.
var lawful = []struct{ file, what, why string }{
	{"cpu/run/internal/mem/address.go", "Distance:nosplit Distance:uintptr Misaligned:nosplit Misaligned:uintptr Shares:nosplit Shares:uintptr SharesAny:nosplit SharesAny:uintptr SharesOne:nosplit SharesOne:uintptr",
		"compares addresses in functions without a safe-point; nothing becomes a pointer again"},
	{"layout/pages/pages_linux.go", "advise:uintptr small:uintptr", "how far an array of megabytes begins from a page; it is on the heap, where nothing moves"},
	{"layout/pages/make.go", "Make:uintptr", "how far an array of megabytes begins from a page; it is on the heap, where nothing moves"},
	{"cpu/run/internal/mem/overlap.go", "Touch:uintptr overlaps:uintptr", "numbers of bytes"},
	{"cpu/run/internal/epi/epi.go", "AddVector:uintptr Memory:uintptr MemoryOf:uintptr", "numbers of bytes"},
	{"cpu/run/internal/epi/reduce.go", "AddReduce:uintptr", "a number of bytes"},
	{"cpu/internal/level12/peers_test.go", "loopInC:uintptr", "a library"},
	{"cpu/mixed.go", "sized:uintptr summed:uintptr", "numbers of bytes"},
	{"cpu/run/dense/mixed_small.go", "SmallMixed:uintptr", "numbers of bytes"},
	{"cpu/run/dense/fixed/apart.go", "Apart:nosplit Apart:uintptr",
		"as in internal/mem/address.go, for generated code"},
	{"cpu/run/dense/small.go", "Set.small:uintptr", "numbers of bytes"},
	{"cpu/run/dense/blocks/once.go", "Operand.near:uintptr AtOnce:uintptr", "numbers of bytes"},
	{"cpu/run/spblas/graph/sddmm_epilogue.go", "addGathered:uintptr", "a number of bytes"},
	{"cpu/run/spblas/attention/attention.go", "logSumsOf:uintptr", "a number of bytes"},
	{"cpu/run/spblas/attention/epilogue.go", "Epilogue.checkApart:uintptr addScores:uintptr", "numbers of bytes"},
	{"cpu/run/spblas/attention/fused.go", "spanOf:uintptr", "a number of bytes"},
	{"cpu/run/spblas/attention/operands.go", "addGradient:uintptr", "numbers of bytes"},
	{"cpu/run/dense/fixed/fixed_test.go", "TestApart:uintptr TestBatchRun:uintptr", "distances in memory on the heap, compared at once"},
	{"cpu/run/dense/plan_test.go", "TestCoverage:uintptr", "distances in memory on the heap, compared at once"},

	{"cpu/comm/mpi/abi.go", "abi:uintptr mpich:uintptr openMPI:uintptr standard:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/batch.go", "batch.ask:uintptr batch:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/errors.go", "library.fault:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/large.go", "kind.free:uintptr kind:uintptr library.list:uintptr library.typeOf:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/last.go", "transport.last:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/left.go", "transport.look:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/library.go", "argLists:uintptr call:uintptr call:uintptrescapes detect:uintptr library.bind:uintptr library.do:uintptr library.do:uintptrescapes library.try:uintptr library.try:uintptrescapes library.words:uintptr library:uintptr load:uintptr quick:uintptr quick:uintptrescapes", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/load_none.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/load_purego.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/mpi.go", "library.start:uintptr transport.enter:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/native.go", "transport.AllGatherV:uintptr transport.AllReduce:uintptr transport.AllToAllV:uintptr transport.Broadcast:uintptr transport.collective:uintptr transport.collective:uintptrescapes transport.reduceScatter:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/request.go", "request:uintptr transport.begin:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/split.go", "transport.Split:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/thread.go", "job:uintptr thread.call:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/mpi/transport.go", "number:uintptr transport.Close:uintptr transport.Probe:uintptr transport.Recv:uintptr transport.Send:uintptr transport.describe:uintptr transport.received:uintptr transport.source:uintptr transport:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else handles and addresses of C memory"},
	{"cpu/comm/timer_linux.go", "newTimer:uintptr timer.sleep:uintptr", "a file descriptor, and a conversion in the call"},
	{"sparse/part/metis/library.go", "callKWay:uintptr library.call:uintptr library.call:uintptrescapes library.probe:uintptr library:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else C functions"},
	{"sparse/part/metis/load_none.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else C functions"},
	{"sparse/part/metis/load_purego.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "as cuda/driver/library.go: conversions stand in calls that hold what they point to; else C functions"},
	{"cuda/driver/library.go", "library.call:uintptrescapes library.do:uintptrescapes library.call:uintptr library.do:uintptr start:uintptr",
		"pattern 4 of package unsafe: conversions stand in the call, and the directive moves what they point to to the heap and holds it"},
	{"cuda/driver/library.go", "library.quick:uintptr library.run:uintptr lists:uintptr library:uintptr",
		"hold numbers, handles, addresses of C memory and of what is pinned only"},
	{"cuda/driver/launch.go", "function.Launch:uintptr launch.pin:uintptr launch.unpin:uintptr launch:uintptr", "addresses inside an object that is pinned as long as they are there"},
	{"cuda/driver/launch.go", "function.allow:uintptr function:uintptr", "handles and numbers"},
	{"cuda/driver/module.go", "device.compile:uintptr jit:uintptr", "addresses inside an object that is pinned for the call"},
	{"cuda/driver/module.go", "library.paramBytes:uintptr module.Function:uintptr module:uintptr", "handles, and conversions in the call"},
	{"cuda/driver/device.go", "device.Close:uintptr device:uintptr library.count:uintptr library.describe:uintptr library.open:uintptr", "handles, and conversions in the call"},
	{"cuda/driver/errors.go", "library.words:uintptr", "conversions in the call"},
	{"cuda/driver/event.go", "device.NewEvent:uintptr event.Since:uintptr event:uintptr", "handles, and conversions in the call"},
	{"cuda/driver/interop.go", "Handle:uintptr", "a handle"},
	{"cuda/driver/memory.go", "device.Alloc:uintptr device.outOfMemory:uintptr device.part:uintptr", "addresses on the device, and conversions in the call"},
	{"cuda/driver/staging.go", "pinned:uintptr staging.free:uintptr staging.read:uintptr staging.take:uintptr staging.write:uintptr", "addresses on the device and of page-locked C memory, handles"},
	{"cuda/driver/stream.go", "device.NewStream:uintptr stream.Copy:uintptr stream.Fill:uintptr stream.beginOn:uintptr stream:uintptr", "handles, addresses on the device, and conversions in the call"},
	{"cuda/driver/load_none.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "handles of libraries and C functions; arguments are the callers'"},
	{"cuda/driver/load_purego.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "handles of libraries and C functions; arguments are the callers'"},
	{"cuda/driver/load_windows.go", "dlopen:uintptr dlsym:uintptr syscallN:uintptr", "handles of libraries and C functions; arguments are the callers'"},
	{"cuda/driver/abi_test.go", "TestLayout:uintptr", "sizes and offsets"},
	{"cuda/driver/memory_test.go", "TestUnpinned:uintptr", "compared with nil"},
	{"cuda/driver/fake_test.go", "fake.call:uintptr fake.call:uintptrescapes fake.calls:uintptr fake.complaint:uintptr fake.fail:uintptr fake.set:uintptr fake:uintptr",
		"as library.call"},

	{"emit/builder.go", "Builder.append:uintptr ofBuilder:uintptr", "a program counter"},
	{"emit/func.go", "Op.Where:uintptr Op:uintptr", "a program counter"},
	{"gemm/epilogue.go", "where:uintptr", "a program counter"},
	{"gen/tilesmith/internal/cli/progress.go", "isTerminal:uintptr", "a file descriptor"},
	{"gen/fn/ref.go", "refOf:uintptr", "the address of code, which does not move"},
	{"layout/dtype/dtype_test.go", "TestTypes:uintptr row:uintptr", "a size"},
	{"tiling/kernel/fields_test.go", "TestFields:uintptr", "a size"},
	{"verify/check/fixed_test.go", "meet:uintptr", "addresses on the heap, compared at once"},
	{"verify/check/guard/memory.go", "Memory.Where:uintptr", "the address of a fault, compared with pages that are not Go's"},
	{"verify/check/guard/guard_test.go", "faults:uintptr guardFaults:uintptr", "the address of a fault"},
	{"verify/check/fault.go", "faulted:uintptr", "the address of a fault"},
	{"verify/check/memory.go", "room:uintptr", "the address of a fault"},
	{"verify/check/problem.go", "Problem:uintptr", "the address of a fault"},

	{"verify/peer/dl_purego.go", "Bind:uintptr bindAt:uintptr dlInfo:uintptr dlopen:uintptr fileOf:uintptr symbol:uintptr", "libraries and C functions"},
	{"verify/peer/dl_purego_test.go", "TestRepeatCount:uintptr", "a C function"},
	{"verify/peer/peer.go", "Gemm:uintptr", "libraries and C functions"},
	{"verify/peer/peer_none.go", "Bind:uintptr bindAt:uintptr dlopen:uintptr fileOf:uintptr symbol:uintptr", "libraries and C functions"},
	{"verify/peer/library.go", "Library.at:uintptr Library:uintptr", "a library"},
	{"verify/peer/blocks.go", "blocksCall:uintptr blocksLIBXSMM:uintptr", "a library and its kernels"},
	{"verify/peer/blis.go", "openBLIS:uintptr", "a library"},
	{"verify/peer/cblas.go", "CBLAS:uintptr bindAll:uintptr cblasGemm:uintptr", "libraries and C functions"},
	{"verify/peer/cublas.go", "CuBLAS.open:uintptr CuBLAS:uintptr OpenCuBLAS:uintptr", "libraries, handles and addresses on the device"},
	{"verify/peer/gonum.go", "openGonum:uintptr", "a library that is none"},
	{"verify/peer/libxsmm.go", "openLIBXSMM:uintptr xsmm.open1:uintptr xsmm.open2:uintptr xsmmKernel:uintptr", "libraries and C functions"},
	{"verify/peer/llc_purego.go", "function:uintptr", "a C function, and a conversion in the call"},
	{"verify/peer/llc_rows_test.go", "rowCall.call:uintptr", "what an address leaves when divided"},
	{"verify/peer/loop.go", "Loop:uintptr calls:uintptr", "a C function, and the objects of a library"},
	{"verify/peer/mkl.go", "openMKL:uintptr", "a library"},
	{"verify/peer/narrow.go", "aligned:uintptr", "what an address leaves when divided"},
	{"verify/peer/narrow_libxsmm.go", "narrowLIBXSMM:uintptr", "a library and its kernels"},
	{"verify/peer/narrow_mkl.go", "narrowCall:uintptr narrowMKL:uintptr", "a library and its functions"},
	{"verify/peer/convolution_onednn.go", "convolveOneDNN:uintptr dnnlConvolution.convolve:uintptr dnnlConvolution:uintptr openConvolution:uintptr", "a library and its objects"},
	{"verify/peer/narrow_onednn.go", "dnnl.copied:uintptr dnnl.desc:uintptr dnnl.memory:uintptr dnnl.narrow:uintptr dnnl.primitive:uintptr dnnl:uintptr dnnlAllocate:uintptr dnnlArg:uintptr dnnlOurs:uintptr narrowOneDNN:uintptr openDNNL:uintptr", "a library and its objects"},
	{"verify/peer/onednn.go", "openOneDNN:uintptr", "a library"},
	{"verify/peer/openblas.go", "openOpenBLAS:uintptr", "a library"},
	{"verify/peer/sparse_graphblas.go", "graphBLAS.csr:uintptr graphBLAS.full:uintptr graphBLAS.prepare:uintptr graphBLAS:uintptr openGraphBLAS:uintptr", "libraries and the library's objects"},
	{"verify/peer/sparse_mkl.go", "openSparseMKL:uintptr", "a library and its objects"},
	{"verify/peer/sparse_rsb.go", "openRSB:uintptr", "a library and its objects"},
	{"verify/peer/sparse_shim.go", "Shim:uintptr", "a library"},
	{"verify/peer/spgemm_table_test.go", "openSpGEMM:uintptr", "a library"},
	{"verify/peer/triangle_table_test.go", "eigenTriangle:uintptr mklTriangle:uintptr openLibrary:uintptr", "libraries"},
}

// TestUnsafe: no place where a pointer could be hidden from the runtime is new.
func TestUnsafe(t *testing.T) {
	var want, have []string
	for _, l := range lawful {
		for _, what := range strings.Fields(l.what) {
			want = append(want, l.file+" "+what)
		}
		if l.why == "" {
			t.Errorf("%s: why is %s lawful?", l.file, l.what)
		}
	}
	files, stubs := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return nil // the compiler says so better
		}
		files++
		for _, x := range dangers(f) {
			if x == stub {
				stubs++
				continue
			}
			have = append(have, filepath.ToSlash(path)+" "+x)
		}
		return nil
	})
	if err != nil || files < 50 || stubs < 10 {
		t.Fatalf("read %d files, %d of them with stubs: %v", files, stubs, err)
	}
	slices.Sort(want)
	slices.Sort(have)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("places that hold addresses as integers, - listed in unsafe_test.go, + found:\n%s", diff)
	}
}

// TestDangers gives the search what it must find.
func TestDangers(t *testing.T) {
	const src = `package p
import "unsafe"
//go:nocheckptr
func hide(p *int) *int { x := uintptr(unsafe.Pointer(p)); return *(**int)(unsafe.Pointer(&x)) }
//go:noescape
func kernel(p *int)
//go:noescape
//go:linkname now runtime.nanotime
func now() int64
type launch[T any] struct { extra [5]uintptr }
func (l *launch[T]) pin() { var _ uintptr }
var list, other []uintptr
func fine(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, 1) }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"//go:linkname now runtime.nanotime", "hide:nocheckptr", "hide:uintptr", "launch.pin:uintptr", "launch:uintptr", "list:uintptr", stub, "now:linkname"}
	if diff := cmp.Diff(want, dangers(f)); diff != "" {
		t.Error(diff)
	}
}

// dangers lists what of a file could hold a pointer where the runtime does not see it:
// declarations that say uintptr, with the name uintptr, and directives, with theirs.
// A declaration is a function, Type.method, or the first name of another.
func dangers(f *ast.File) []string {
	found := map[string]bool{}
	for _, d := range f.Decls {
		name, body := "", true
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, body = d.Name.Name, d.Body != nil
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			directives(d.Doc, name, body, found)
			if mentions(d) {
				found[name+":uintptr"] = true
			}
		case *ast.GenDecl:
			directives(d.Doc, "", true, found)
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					name = s.Name.Name
				case *ast.ValueSpec:
					name = s.Names[0].Name
				}
				if mentions(s) {
					found[name+":uintptr"] = true
				}
			}
		}
	}
	// A linkname may stand anywhere.
	for _, g := range f.Comments {
		for _, c := range g.List {
			if m := directive.FindStringSubmatch(c.Text); m != nil && m[1] == "linkname" {
				found[c.Text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func directives(doc *ast.CommentGroup, name string, body bool, found map[string]bool) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		if m := directive.FindStringSubmatch(c.Text); m != nil {
			if m[1] == "noescape" && !body {
				found[stub] = true
			} else {
				found[name+":"+m[1]] = true
			}
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func mentions(n ast.Node) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "uintptr" {
			yes = true
		}
		return !yes
	})
	return yes
}
