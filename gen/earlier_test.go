package gen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// aSet is what a spec file makes, and earlierSet what an earlier version made for it.
var (
	aSet = []File{madeBy("spec.go", "p_gen.go", "func Dense() {}\n"), {"p_gen_amd64.go", []byte("// " + Header("spec.go") + "\n\npackage p\n")},
		{"p_gen_amd64.s", []byte("// " + Header("spec.go") + "\n")}, madeBy("spec.go", "p_gen_other.go", ""), madeBy("spec.go", "p_gen_test.go", "func TestDense() {}\n"),
		subFile("p_gen.go", "package gpu\n"), subFile("dense_sm80.ptx", "2")}
	earlierSet = []File{madeBy("spec.go", "dense.go", "func Dense() {}\n"), madeBy("spec.go", "dense_fn.go", ""), madeBy("spec.go", "dense_amd64.go", ""), {"dense_avx2_amd64.s", []byte("// " + Header("spec.go") + "\n")},
		madeBy("spec.go", "dense_noasm.go", ""), madeBy("spec.go", "dense_test.go", "func TestDense() {}\n"), subFile("dense.go", "package gpu\n"), subFile("dense_sm80.ptx", "1")}
)

// lay puts files into a folder, which has a spec file and a file of the user's.
func lay(t *testing.T, files ...File) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range append([]File{{"spec.go", []byte(specWith(denseSpec))}, {"hand.go", []byte("package p\n")}}, files...) {
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(f.Name)), 0o777))
		put(t, dir, f.Name, string(f.Data))
	}
	return dir
}

// whole describes a folder with that below it.
func whole(t *testing.T, dir string) string {
	t.Helper()
	s := snapshot(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "gpu")); err == nil {
		s += snapshot(t, filepath.Join(dir, "gpu"))
	}
	return s
}

// TestEarlier replaces the files of an earlier version, and says so once.
func TestEarlier(t *testing.T) {
	fresh := lay(t)
	must(t, Write(fresh, aSet))
	dir := lay(t, earlierSet...)
	if err := Check(dir, aSet); !errors.As(err, new(*StaleError)) || !strings.Contains(err.Error(), "p_gen.go is missing") {
		t.Errorf("compared before the first run: %v", err)
	}
	did, err := Update(dir, aSet)
	if want := "wrote 7 files, removed 7; a spec file has one set of files now, which replaces 7 that an earlier version wrote"; err != nil || did.String() != want {
		t.Errorf("%v, %v, want %s", did, err, want)
	}
	if have, want := whole(t, dir), whole(t, fresh); have != want {
		t.Errorf("there is\n%s\nwant\n%s", have, want)
	}
	if did, err := Update(dir, aSet); err != nil || did.String() != "wrote 0 files, 7 are unchanged" {
		t.Errorf("again: %v, %v", did, err)
	}
	must(t, Check(dir, aSet))
}

// TestCutOff runs again after a run that was cut off at any place, with what earlier versions left or none of
// it, and after any one file was deleted: the set is whole.
func TestCutOff(t *testing.T) {
	fresh := lay(t)
	must(t, Write(fresh, aSet))
	want := whole(t, fresh)
	cases := map[string][]File{}
	for n := range aSet {
		cases[fmt.Sprintf("%d files written", n)] = aSet[:n]
		cases[fmt.Sprintf("%d files written beside earlier ones", n)] = append(earlierSet[:len(earlierSet):len(earlierSet)], aSet[:n]...)
		cases[fmt.Sprintf("%d earlier files removed", n)] = append(aSet[:len(aSet):len(aSet)], earlierSet[n:len(earlierSet)-1]...)
		cases["without "+aSet[n].Name] = append(aSet[:n:n], aSet[n+1:]...)
		cases["an empty line in "+aSet[n].Name] = append(aSet[:n:n], File{aSet[n].Name, append(aSet[n].Data[:len(aSet[n].Data):len(aSet[n].Data)], '\n')})
	}
	for what, files := range cases {
		dir := lay(t, files...)
		if err := Write(dir, aSet); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if have := whole(t, dir); have != want {
			t.Errorf("%s: there is\n%s\nwant\n%s", what, have, want)
		}
	}
}

// TestKilled removes temporary files of a run that was killed long ago, and no others.
func TestKilled(t *testing.T) {
	dir := lay(t, aSet...)
	for name, age := range map[string]time.Duration{".tilesmith-0123abcd": 2 * time.Hour, "gpu/.tilesmith-0123abce": 2 * time.Hour, ".tilesmith-new00000": time.Minute, ".tilesmith-other": 2 * time.Hour} {
		put(t, dir, name, string(aSet[0].Data))
		then := time.Now().Add(-age)
		must(t, os.Chtimes(filepath.Join(dir, name), then, then))
	}
	put(t, dir, ".tilesmith-ofothers", "text")
	put(t, dir, ".tilesmith-8letters", "mine")
	must(t, Write(dir, aSet))
	want := ".tilesmith-8letters .tilesmith-new00000 .tilesmith-ofothers .tilesmith-other gpu "
	if have := strings.Join(entries(t, dir), " "); !strings.HasPrefix(have, want) {
		t.Errorf("there is %s", have)
	}
	if have := strings.Join(entries(t, filepath.Join(dir, "gpu")), " "); have != "dense_sm80.ptx p_gen.go" {
		t.Errorf("in the folder for GPUs there is %s", have)
	}
}

// TestTwoCutOff runs two spec files, of which the first was cut off; each completes its own.
func TestTwoCutOff(t *testing.T) {
	a := []File{madeBy("a_spec.go", "a_gen.go", "func A() {}\n"), madeBy("a_spec.go", "a_gen_other.go", "")}
	b := []File{madeBy("b_spec.go", "b_gen.go", "func B() {}\n"), madeBy("b_spec.go", "b_gen_other.go", "")}
	specs := []File{{"a_spec.go", []byte(specWith(strings.Replace(denseSpec, "Dense", "A", 1)))}, {"b_spec.go", []byte(specWith(strings.Replace(denseSpec, "Dense", "B", 1)))}}
	fresh := lay(t, append(append(specs, a...), b...)...)
	for n := range 2 {
		dir := lay(t, append(specs[:2:2], a[:n]...)...)
		must(t, Write(dir, b))
		must(t, Write(dir, a))
		must(t, Check(dir, b))
		if have, want := whole(t, dir), whole(t, fresh); have != want {
			t.Errorf("there is\n%s\nwant\n%s", have, want)
		}
	}
	// Files of a spec file that is gone go with the run of another.
	must(t, os.Remove(filepath.Join(fresh, "a_spec.go")))
	did, err := Update(fresh, b)
	if have := strings.Join(entries(t, fresh), " "); err != nil || did.String() != "wrote 0 files, 2 are unchanged, removed 2" || have != "b_gen.go b_gen_other.go b_spec.go hand.go spec.go" {
		t.Errorf("%v, %v: there is %s", did, err, have)
	}
}
