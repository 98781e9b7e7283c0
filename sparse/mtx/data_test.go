package mtx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// dataDir returns the folder of real files, which lies beside the repository, or ""
// and why there is none.
func dataDir() (dir, missing string) {
	dir, err := os.Getwd()
	for err == nil {
		if _, no := os.Stat(filepath.Join(dir, "go.mod")); no == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", "no go.mod above this package, so ../shared/data cannot be found beside the repository"
		}
		dir = up
	}
	dir = filepath.Join(dir, "..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		return "", "there is no folder ../shared/data with Matrix Market files beside the repository"
	}
	return dir, ""
}

// dataFiles returns the .mtx files of the data folder that match pattern, and skips
// the test where there is no folder.
func dataFiles(t testing.TB, pattern string) []string {
	t.Helper()
	dir, missing := dataDir()
	if missing != "" {
		t.Skip(missing)
	}
	files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

// TestData reads every real file, writes it, and reads that back.
func TestData(t *testing.T) {
	for _, f := range dataFiles(t, "*.mtx") {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Name: filepath.Base(f)}
		h, list, err := collect(text, o)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(list) != h.Entries {
			t.Errorf("%s: %d visits for %d entries", o.Name, len(list), h.Entries)
		}
		again := roundTrip(t, h, list)
		if o.Name == "lp_afiro.mtx" && h.Rows != 27 {
			t.Errorf("%s has %d rows, want 27", o.Name, h.Rows)
		}
		diagonal := 0
		for _, e := range list {
			if e.i == e.j {
				diagonal++
			}
		}
		o.Expand = true
		_, full, err := collect(again, o)
		want := h.Entries
		if h.Symmetry != General {
			want = 2*h.Entries - diagonal
		}
		if err != nil || len(full) != want {
			t.Errorf("%s, expanded: %d visits, %v, want %d", o.Name, len(full), err, want)
		}
		t.Logf("%-18s %dx%d %v %v, %d entries, %d expanded", o.Name, h.Rows, h.Cols, h.Field, h.Symmetry, h.Entries, len(full))
	}
}

// TestMalformedData: what LAGraph keeps as wrong is refused, on the line that is wrong.
func TestMalformedData(t *testing.T) {
	lines := map[string]int{"mangled1.mtx": 1, "mangled2.mtx": 1, "mangled3.mtx": 1, "mangled4.mtx": 1, "mangled5.mtx": 1,
		"mangled6.mtx": 1, "mangled7.mtx": 2, "mangled8.mtx": 4, "mangled_bool.mtx": 10, "mangled_format.mtx": 1, "mangled_skew.mtx": 2}
	for _, f := range dataFiles(t, "malformed/*.mtx") {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Name: filepath.Base(f)}
		_, _, err = collect(text, o)
		e, ok := err.(*Error) //nolint:errorlint // it is not wrapped
		if !ok || lines[o.Name] != 0 && e.Line != lines[o.Name] {
			t.Errorf("%s: %v, want an error on line %d", o.Name, err, lines[o.Name])
		}
		t.Log(err)
	}
}

// collect reads text into a list.
func collect(text []byte, o Options) (h Header, list []entry, err error) {
	h, err = ReadComplex(bytes.NewReader(text), o, func(i, j int, v complex128) error {
		list = append(list, entry{i, j, real(v), imag(v)})
		return nil
	})
	return h, list, err
}
