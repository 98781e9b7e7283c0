package tilesmith

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// fixedSeeds are the files of tests whose random numbers TILESMITH_SEED does not change, with the reason.
var fixedSeeds = map[string]string{
	"cpu/example_gat_test.go":                     "the output of an example is fixed",
	"cpu/example_gcn_test.go":                     "the output of an example is fixed",
	"cpu/example_longformer_test.go":              "the output of an example is fixed",
	"cpu/example_quantise_test.go":                "the output of an example is fixed",
	"cpu/fuzz_block_attention_test.go":            "the seed is the input that the fuzzer found",
	"gen/fn/fuzz_derive_test.go":                  "the seed is the input that the fuzzer found",
	"gen/fn/fuzz_test.go":                         "the seed is a hash of the input that the fuzzer found",
	"gen/fn/fuzz_write_test.go":                   "the seed is an argument",
	"gen/fn/random_test.go":                       "the seed is made of level.Seed, and printed",
	"gen/fn/targets_test.go":                      "the seed is an argument",
	"gen/examples/internal/bits/operands_test.go": "hashes of results are recorded for these numbers",
	"cuda/cudatest/copy.go":                       "bytes that are copied and nothing else",
}

// ownSource matches what makes random numbers of a seed of its own, or of none.
var ownSource = regexp.MustCompile(`\brand\.(NewPCG|NewChaCha8|NewSource|Int|IntN|Int64N|Uint32|Uint64|Float32|Float64|NormFloat64|Perm|Shuffle)\(`)

// TestSeedsAreSet: the tests, and the packages that they are made of, draw their numbers from level.PCG, so TILESMITH_SEED changes them.
// Without it they draw the same numbers every day.
func TestSeedsAreSet(t *testing.T) {
	files, err := ownSources(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if fixedSeeds[file] == "" {
			t.Errorf("%s draws numbers that TILESMITH_SEED does not change; use level.PCG", file)
		}
	}
	for file := range fixedSeeds {
		if !slices.Contains(files, file) {
			t.Errorf("%s makes no random numbers of its own any more; take it from the list", file)
		}
	}
}

// ownSources are the files of tests in a tree that make random numbers without level.PCG.
func ownSources(tree fs.FS) (files []string, err error) {
	err = fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); file != "." && (base == "testdata" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		dir := path.Dir(file)
		forTests := strings.HasSuffix(dir, "test") || dir == "verify/check" || dir == "internal/storm" || dir == "internal/level"
		if !strings.HasSuffix(file, "_test.go") && (!forTests || path.Ext(file) != ".go") || file == "seeds_test.go" {
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err == nil && strings.Contains(string(text), "\"math/rand") && ownSource.Match(text) {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// TestOwnSources: it finds them.
func TestOwnSources(t *testing.T) {
	file := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package a\n\nimport \"math/rand/v2\"\n\n" + body)}
	}
	files, err := ownSources(fstest.MapFS{
		"a/a_test.go":           file("var r = rand.New(rand.NewPCG(1, 2))"),
		"a/b_test.go":           file("var r = rand.New(level.PCG(1, 2))"),
		"a/c_test.go":           file("var i = rand.IntN(7)"),
		"a/a.go":                file("var r = rand.New(rand.NewPCG(1, 2))"),
		"a/testdata/a_test.go":  file("var r = rand.New(rand.NewPCG(1, 2))"),
		"verify/check/check.go": file("var r = rand.New(rand.NewPCG(1, 2))"),
		"gemm/gemmtest/a.go":    file("var r = rand.New(rand.NewChaCha8(seed))"),
	})
	want := []string{"a/a_test.go", "a/c_test.go", "gemm/gemmtest/a.go", "verify/check/check.go"}
	if diff := cmp.Diff(want, files); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
