package formats

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/sparse"
)

func formatsFor(t *testing.T, change func(*formatsFlags)) formatsFlags {
	t.Helper()
	o := formatsFlags{features: 20, threads: 1, runs: 1, element: "f32", time: true}
	change(&o)
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestFormats holds the report, for every variant and type: products of all formats
// are compared with each other on the way.
func TestFormats(t *testing.T) {
	file := clitest.Sampled(t)
	for _, isa := range run.PlainISAs() {
		for _, element := range []string{"f32", "f64"} {
			o := formatsFor(t, func(o *formatsFlags) { o.isa, o.element, o.form = isa, element, cli.FormJSON })
			var out, log bytes.Buffer
			of := formatsOf[float32]
			if element == "f64" {
				of = formatsOf[float64]
			}
			if err := of(clitest.Printing(t, &out, &log), file, o); err != nil {
				t.Fatal(isa, element, err)
			}
			var r formatsReport
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.File != "m.mtx" || r.Rows != 60 || r.Cols != 50 || r.Entries != 150 || r.Type != element || r.ISA != isa || r.Choice == "" || r.Regret == nil || log.Len() > 0 {
				t.Errorf("%s: %+v, log %q", isa, r, &log)
			}
			names := map[string]bool{}
			for _, f := range r.Formats {
				names[f.Name] = true
				if f.Untimed == "" && (f.Measured == nil || *f.Measured <= 0 || f.Converted == nil) || !(f.Predicted > 0) || f.Bytes <= 0 {
					t.Errorf("%s: %+v", isa, f)
				}
			}
			for _, name := range []string{"csr", "csc", "coo", "dcsr", "sell8_64", "dia", "bsr2"} {
				if !names[name] {
					t.Errorf("there is no %s among %v", name, names)
				}
			}
		}
	}
}

// TestFormatsTable holds what a person reads.
func TestFormatsTable(t *testing.T) {
	for _, timed := range []bool{true, false} {
		o := formatsFor(t, func(o *formatsFlags) { o.time = timed })
		var out bytes.Buffer
		if err := formatsOf[float32](clitest.Printing(t, &out, io.Discard), clitest.Sampled(t), o); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"m.mtx: 60 x 50 with 150 entries; 20 features of f32", "<- the choice", "choice: csr", "balance: by ", "why not"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, &out)
			}
		}
		if strings.Contains(out.String(), "is fastest") != timed {
			t.Errorf("timed %v, but\n%s", timed, &out)
		}
	}
}

// TestFormatsFiles reads what may be a matrix, and refuses what is none.
func TestFormatsFiles(t *testing.T) {
	dir := clitest.Folder(t, map[string]string{
		"complex.mtx": "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -4\n",
		"empty.mtx":   "%%MatrixMarket matrix coordinate real general\n3 4 0\n",
		"none.mtx":    "%%MatrixMarket matrix coordinate real general\n0 0 0\n",
		"array.mtx":   "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n",
		"short.mtx":   "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 5\n",
		"outside.mtx": "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 5 1\n",
		"huge.mtx":    "%%MatrixMarket matrix coordinate pattern general\n40000000 40000000 1\n7 7\n",
		"text.mtx":    "hello\n",
	})
	for _, c := range []struct{ file, err, log string }{
		{"complex.mtx", "", "real parts"},
		{"empty.mtx", "", ""},
		{"none.mtx", "", ""},
		{"array.mtx", "", ""},
		{"short.mtx", "short.mtx:4:1: ", ""},
		{"outside.mtx", "outside.mtx:3:3: ", ""},
		{"huge.mtx", "here that is --max-dim", ""},
		{"text.mtx", "text.mtx:1:1: ", ""},
		{"nothing.mtx", "nothing.mtx", ""},
		{".", "is a directory", ""},
	} {
		var out, log bytes.Buffer
		err := formatsOf[float32](clitest.Printing(t, &out, &log), filepath.Join(dir, c.file), formatsFor(t, func(*formatsFlags) {}))
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || out.Len() > 0) {
			t.Errorf("%s: %v, want %q", c.file, err, c.err)
		}
		if c.file == "huge.mtx" { // as large as was said
			err := formatsOf[float32](clitest.Printing(t, &out, &log), filepath.Join(dir, c.file), formatsFor(t, func(o *formatsFlags) { o.maxDim = 40000000 }))
			if err == nil || !strings.Contains(err.Error(), "fewer --features") {
				t.Errorf("%s: %v, want fewer --features", c.file, err)
			}
		}
		if err != nil && cli.ExitCode(err) != 1 {
			t.Errorf("%s: exit code %d", c.file, cli.ExitCode(err))
		}
		if !strings.Contains(log.String(), c.log) {
			t.Errorf("%s: log %q", c.file, &log)
		}
	}
}

func TestFormatsFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		why  string
	}{
		{nil, "takes one file"},
		{[]string{"a", "b"}, "takes one file"},
		{[]string{"a", "--features", "0"}, "--features 0"},
		{[]string{"a", "--features", "x"}, "it is not a whole number"},
		{[]string{"a", "--threads", "-1"}, "--threads -1"},
		{[]string{"a", "--runs", "0"}, "--runs 0"},
		{[]string{"a", "--type", "f16"}, "--type f16"},
		{[]string{"a", "--isa", "mmx"}, "--isa mmx"},
		{[]string{"a", "--nonsense"}, "unknown flag"},
	} {
		err := dispatch(append([]string{"formats"}, c.args...), io.Discard)
		if err == nil || cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), c.why) {
			t.Errorf("formats %v: exit %d, %v; want 2 and %q", c.args, cli.ExitCode(err), err, c.why)
		}
	}
}

// TestFormatsReal runs on every real matrix, without timing.
func TestFormatsReal(t *testing.T) {
	if testing.Short() {
		t.Skip("times a matrix")
	}
	for _, file := range realMatrices(t) {
		o := formatsFor(t, func(o *formatsFlags) { o.features, o.time = 128, false })
		var out bytes.Buffer
		if err := formatsOf[float32](clitest.Printing(t, &out, io.Discard), file, o); err != nil {
			t.Error(err)
		}
	}
	bad, _ := filepath.Glob("../../../../../shared/data/malformed/*.mtx")
	for _, file := range bad {
		if filepath.Base(file) == "mangled5.mtx" {
			continue // a hermitian pattern, which the standard does not have and SciPy writes and reads
		}
		err := formatsOf[float32](clitest.Printing(t, io.Discard, io.Discard), file, formatsFor(t, func(*formatsFlags) {}))
		if err == nil || !strings.Contains(err.Error(), filepath.Base(file)+":") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestFormatsStdin reads a matrix of SciPy's from the standard input.
func TestFormatsStdin(t *testing.T) {
	m, err := sparse.FromCSR(2, 3, []int{0, 2, 3}, []int{0, 2, 1}, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "a.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := sparse.WriteNPZ(file, m); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	os.Stdin = file
	var out bytes.Buffer
	if err := formatsOf[float32](clitest.Printing(t, &out, io.Discard), "-", formatsFor(t, func(o *formatsFlags) { o.time, o.form = false, cli.FormJSON })); err != nil {
		t.Fatal(err)
	}
	if have := out.String(); !strings.Contains(have, `"rows": 2`) || !strings.Contains(have, `"entries": 3`) {
		t.Errorf("%s, want 2 rows and 3 entries", have)
	}
}

func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, Command()) }
