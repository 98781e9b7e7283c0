package tilesmith

import (
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/llvm"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

// TestContradictions compares what documents and scripts say with what the code does. The package of a
// thing that is not exported compares it: see TestPageTypes of gemm/gpu.
func TestContradictions(t *testing.T) {
	contributing, script := readFile(t, "CONTRIBUTING.md"), readFile(t, ".ci/run")
	t.Run("stages", func(t *testing.T) {
		inScript := scriptStages(script)
		files, err := filepath.Glob(".ci/stages/*.sh")
		if err != nil {
			t.Fatal(err)
		}
		var inFolder []string
		for _, f := range files {
			inFolder = append(inFolder, strings.TrimSuffix(filepath.Base(f), ".sh"))
		}
		if d := cmp.Diff(slices.Sorted(slices.Values(inScript)), inFolder); d != "" {
			t.Errorf("stages of .ci/run and files of .ci/stages (-run +files)\n%s", d)
		}
		if d := cmp.Diff(inScript, tableStages(contributing)); d != "" {
			t.Errorf("stages of .ci/run and of CONTRIBUTING.md, in order (-run +CONTRIBUTING)\n%s", d)
		}
		for page, text := range pages(t) {
			for _, m := range pageStage.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(inScript, m[1]) {
					t.Errorf("%s names stage %s of .ci/run, which has: %v", page, m[1], inScript)
				}
			}
		}
	})
	t.Run("minutes", func(t *testing.T) {
		seconds := number(t, script, `TILESMITH_CI_SECONDS, ([0-9]+) if`)
		if n := number(t, readFile(t, ".ci/lib.sh"), `TILESMITH_CI_SECONDS:-([0-9]+)`); n != seconds {
			t.Errorf(".ci/lib.sh stops after %d s, .ci/run says %d", n, seconds)
		}
		if n := number(t, contributing, `All stages take ([0-9]+) minutes`); n*60 != seconds {
			t.Errorf("CONTRIBUTING.md says that all stages take %d minutes, .ci/run %d s", n, seconds)
		}
		if n := number(t, contributing, `for at least ([0-9]+) minutes`); n*60 != number(t, readFile(t, ".ci/stages/long.sh"), `long_seconds=([0-9]+)`) {
			t.Errorf("CONTRIBUTING.md says that stage long takes at least %d minutes, its file has another number", n)
		}
		if n := number(t, readFile(t, ".github/workflows/ci.yml"), `timeout-minutes: ([0-9]+)`); n*60 < seconds+600 {
			t.Errorf("the workflow stops after %d minutes, the stages take %d s: want ten minutes more", n, seconds)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		var limits []int
		for _, file := range []string{"size_test.go", "gen/examples/size_test.go"} {
			if text, err := os.ReadFile(file); err == nil {
				limits = append(limits, constants(string(text), "mostAssembly")...)
				limits = append(limits, constants(string(text), "mostExamples")...)
			}
		}
		if len(limits) == 0 {
			t.Fatal("no constant mostAssembly in size_test.go")
		}
		for _, n := range byteCounts(contributing) { // it may leave the number to the test
			if !slices.Contains(limits, n) {
				t.Errorf("CONTRIBUTING.md says %d bytes, the tests of sizes have %d", n, limits)
			}
		}
	})
	t.Run("passes", func(t *testing.T) {
		target := emit.Target{}
		backends := []string{
			passNames(amd64.Backend{}.Passes(target)), passNames(ptx.Backend{}.Passes(target)), passNames(llvm.Backend{}.Passes(target)),
		}
		n := 0
		for page, text := range pages(t) {
			for _, list := range passList.FindAllString(text, -1) {
				n++
				if list = strings.Join(strings.Fields(strings.ReplaceAll(list, " and ", ", ")), " "); !slices.Contains(backends, list) {
					t.Errorf("%s lists passes %s; backends have %q", page, list, backends)
				}
			}
		}
		if n < 2 {
			t.Errorf("%d pages list passes of a backend, want design.md and follow.md", n)
		}
	})
	t.Run("go", func(t *testing.T) {
		want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "go.mod"))[1]
		for page, text := range pages(t) {
			for _, m := range goVersion.FindAllStringSubmatch(text, -1) {
				if m[1] != want {
					t.Errorf("%s says that you need Go %s, go.mod says %s", page, m[1], want)
				}
			}
		}
	})
}

var (
	pageStage = regexp.MustCompile("[Ss]tage `([a-z0-9]+)` of `?\\.ci/run")
	passList  = regexp.MustCompile(`\bfold(,\s+[a-z]+){2,}(\s+and\s+[a-z]+)?`)
	goVersion = regexp.MustCompile(`(?:[Nn]eed|takes|requires) Go (\d+\.\d+)`)
)

// TestContradictionsNoticed gives the parts of TestContradictions what they read, and what they should make of it.
func TestContradictionsNoticed(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"stages of a script", scriptStages("# stages=(x)\nstages=(demo test\n  fuzz)\n"), []string{"demo", "test", "fuzz"}},
		{"stages of a table", tableStages("| `x` | y |\n\n| stage | what |\n|---|---|\n| `demo` | `a` |\n| `e2e` | b |\n\n| `z` | |\n"), []string{"demo", "e2e"}},
		{"bytes", byteCounts("at most 6,500,000 bytes, of 12 files, and 900\nbytes more than 7.4 MB"), []int{6_500_000, 900, 7_400_000}},
		{"constants", constants("const mostAssembly = 11_300_000\nconst other = 3", "mostAssembly"), []int{11_300_000}},
		{"passes", passList.FindString("Passes are data: fold, addr,\n  dce and hoist. Then"), "fold, addr,\n  dce and hoist"},
		{"no passes", passList.FindString("we fold, and addr"), ""},
		{"names of passes", passNames([]emit.Pass{{Name: "fold"}, {Name: "dce"}}), "fold, dce"},
		{"a stage", pageStage.FindStringSubmatch("(stage `gonum` of `.ci/run`)"), []string{"stage `gonum` of `.ci/run", "gonum"}},
		{"a version", goVersion.FindStringSubmatch("You need Go 1.26. On"), []string{"need Go 1.26", "1.26"}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.what, d)
		}
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages returns what people read, by file, but for results, which tell what was.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"README.md": readFile(t, "README.md"), "CONTRIBUTING.md": readFile(t, "CONTRIBUTING.md")}
	err := fs.WalkDir(os.DirFS("."), "docs", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "results" || d.Name() == "rationale"):
			return fs.SkipDir
		case path.Ext(file) == ".md":
			all[file] = readFile(t, file)
		}
		return nil
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	return all
}

// scriptStages returns the stages of .ci/run in their order.
func scriptStages(script string) []string {
	m := regexp.MustCompile(`(?m)^stages=\(([^)]*)\)`).FindStringSubmatch(script)
	if m == nil {
		return nil
	}
	return strings.Fields(m[1])
}

// tableStages returns the first column of the table of stages.
func tableStages(text string) (stages []string) {
	_, table, _ := strings.Cut(text, "| stage |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9]+)` \\|").FindAllStringSubmatch(table, -1) {
		stages = append(stages, m[1])
	}
	return stages
}

// byteCounts returns what a text says of bytes, as in 6,500,000 bytes or 6.5 MB.
func byteCounts(text string) (bytes []int) {
	for _, m := range regexp.MustCompile(`\b(\d[\d,]*(?:\.\d+)?)\s+(bytes|MB)\b`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			continue
		}
		if m[2] == "MB" {
			n *= 1e6
		}
		bytes = append(bytes, int(math.Round(n)))
	}
	return bytes
}

// constants returns the values of constants of a name in Go source.
func constants(source, name string) (values []int) {
	for _, m := range regexp.MustCompile(`\b`+name+`\s*=\s*([0-9_]+)`).FindAllStringSubmatch(source, -1) {
		if n, err := strconv.Atoi(strings.ReplaceAll(m[1], "_", "")); err == nil {
			values = append(values, n)
		}
	}
	return values
}

// number returns what stands where a pattern's group is.
func number(t *testing.T, text, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func passNames(passes []emit.Pass) string {
	var names []string
	for _, p := range passes {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
