package gen_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A family's package has one table for each target, best first, and nothing where
// there is no assembly.
func TestFamily(t *testing.T) {
	build := func(t emit.Target) ([]*emit.Func, kernel.Table[string], error) {
		f, err := emit.Build("one_"+t.Name, []emit.Arg{{Name: "c", Type: emit.Ptr}}, func(b *emit.Builder) {
			b.Store(b.Int(1), emit.At(b.Param("c", emit.Ptr), 0))
		})
		return []*emit.Func{f}, kernel.Table[string]{ISA: t.Name, Entries: []kernel.Entry[string]{{F: f.Name}, {Form: kernel.Tail}}}, err
	}
	family := gen.NewFamily[kernel.SparseArgs]("Ones", build)
	files, err := gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, family)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = string(f.Data)
	}
	for name, wants := range map[string][]string{
		"x_gen_amd64.go": {"var Ones = []*kernel.Table[kernel.Func[kernel.SparseArgs]]{&OnesAVX512, &OnesAVX2}", "ISA: \"avx2\",\n\tEntries: []kernel.Entry[kernel.Func[kernel.SparseArgs]]{\n\t\t{F: one_avx2},\n\t\t{Form: kernel.Tail},\n\t},\n}",
			"//go:noescape\nfunc one_avx512(args *kernel.SparseArgs)", "amd64 && !noasm && !purego"},
		"x_gen_other.go": {"var Ones []*kernel.Table[kernel.Func[kernel.SparseArgs]]\n", "(!amd64 && !arm64) || noasm || purego"},
		"x_gen_amd64.s":  {"// Spec Ones, avx2, one.\nTEXT ·one_avx2(SB)", "TEXT ·one_avx512(SB)"},
		"x_gen_arm64.go": {"var Ones = []*kernel.Table[kernel.Func[kernel.SparseArgs]]{&OnesNEON}", "ISA: \"neon\"", "//go:noescape\nfunc one_neon(args *kernel.SparseArgs)", "arm64 && !noasm && !purego"},
		"x_gen_arm64.s":  {"// Spec Ones, neon, one.\nTEXT ·one_neon(SB)", "!noasm && !purego"},
	} {
		for _, want := range wants {
			if !strings.Contains(text[name], want) {
				t.Errorf("%s has no %q:\n%s", name, want, text[name])
			}
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files, want 5", len(files))
	}
	// A function for each kernel, whose arguments do not escape; none for those that no target has.
	files, err = gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, gen.NewFamily[kernel.VectorArgs]("Two", func(t emit.Target) ([]*emit.Func, kernel.Table[string], error) {
		fs, _, err := build(t)
		k := kernel.Table[string]{ISA: t.Name, VL: 1}
		k.AddOp("Dot", 1, 1, fs[0].Name)
		return fs, k, err
	}).Direct())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text[f.Name] = string(f.Data)
	}
	for name, want := range map[string]string{
		"x_gen_amd64.go": "func TwoDot(variant int, args *kernel.VectorArgs) {\n\tswitch variant {\n\tcase 1:\n\t\tone_avx2(args)\n\tcase 0:\n\t\tone_avx512(args)\n\t}\n}",
		"x_gen_other.go": "func TwoDot(variant int, args *kernel.VectorArgs) {\n\tpanic(\"TwoDot: there is no assembly\")\n}",
	} {
		if !strings.Contains(text[name], want) || strings.Contains(text[name], "TwoAxpy") {
			t.Errorf("%s has no %q, or TwoAxpy:\n%s", name, want, text[name])
		}
	}
	// Calls find entries by their order.
	_, err = gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, gen.NewFamily[kernel.SparseArgs]("Mess", func(t emit.Target) ([]*emit.Func, kernel.Table[string], error) {
		fs, k, err := build(t)
		k.Entries[0].Form = kernel.Join
		return fs, k, err
	}))
	if err == nil || !strings.Contains(err.Error(), "operations last; sort it") {
		t.Errorf("a table out of order: %v", err)
	}
	// Its tables are names in the package, too.
	clash := gen.NewFamily[kernel.SparseArgs]("ones", build)
	if _, err := gen.Generate(gen.Options{Package: "x", Source: "spec.go"}, family, clash); err == nil {
		t.Error("two families of one name are not refused")
	}
}
