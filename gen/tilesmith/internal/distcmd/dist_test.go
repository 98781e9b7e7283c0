package distcmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// gridFile is the file of a matrix whose parts need little of each other.
func gridFile(t *testing.T) string {
	t.Helper()
	m, err := sample.Banded[float64](576, 3)
	if err != nil {
		t.Fatal(err)
	}
	return clitest.MatrixFile(t, m)
}

func distOut(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := dispatch(append([]string{"dist"}, args...), &out); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

// TestDistPlan: what a run sends is what the plan says, and the plan says it in all forms.
func TestDistPlan(t *testing.T) {
	file := gridFile(t)
	var plan distReport
	if err := json.Unmarshal([]byte(distOut(t, "plan", file, "--ranks", "4", "--features", "16", "--type", "f64", "--json")), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Methods) != 4 || plan.Choice == "" || plan.Ranks != 4 {
		t.Fatalf("%+v", plan)
	}
	table := distOut(t, "plan", file, "--ranks", "4", "--features", "16")
	rows, err := csv.NewReader(strings.NewReader(distOut(t, "plan", file, "--ranks", "4", "--features", "16", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Errorf("%d rows of CSV: %v", len(rows), err)
	}
	for _, x := range plan.Methods {
		if !strings.Contains(table, x.Name) {
			t.Errorf("%s is not in the table\n%s", x.Name, table)
		}
		if x.Name == "all-gather" {
			continue
		}
		var run distRunReport
		if err := json.Unmarshal([]byte(distOut(t, "run", file, "--ranks", "4", "--features", "16", "--type", "f64", "--method", x.Name, "--runs", "2", "--json")), &run); err != nil {
			t.Fatal(err)
		}
		if run.Bytes != x.Bytes || run.Messages != x.Messages || run.Method != x.Name || len(run.PerRank) != 4 {
			t.Errorf("%s: %d bytes in %d messages were sent, the plan has %d in %d", x.Name, run.Bytes, run.Messages, x.Bytes, x.Messages)
		}
	}
}

// TestDistFiles writes parts and runs them.
func TestDistFiles(t *testing.T) {
	file, dir := gridFile(t), t.TempDir()
	prefix, owners, svg := filepath.Join(dir, "p"), filepath.Join(dir, "owners"), filepath.Join(dir, "p.svg")
	distOut(t, "plan", file, "--ranks", "3", "--write", prefix, "--owners", owners, "--svg", svg, "--method", "hypergraph")
	if out := distOut(t, "run", "--parts", prefix, "--ranks", "3", "--features", "8"); !strings.Contains(out, "every row is right") {
		t.Error(out)
	}
	for name, want := range map[string]string{owners: "\n2\n", svg: "<svg"} {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := dispatch([]string{"dist", "run", "--parts", prefix, "--ranks", "2"}, io.Discard); err == nil || !strings.Contains(err.Error(), "p.1-of-2.part") {
		t.Errorf("parts for three on two ranks: %v", err)
	}
	if err := os.Truncate(filepath.Join(dir, "p.1-of-3.part"), 100); err != nil {
		t.Fatal(err)
	}
	if err := dispatch([]string{"dist", "run", "--parts", prefix, "--ranks", "3"}, io.Discard); err == nil || !strings.Contains(err.Error(), "rank 1") {
		t.Errorf("a truncated part: %v", err)
	}
}

// TestDistRefuses: a wrong line says what is right.
func TestDistRefuses(t *testing.T) {
	file := clitest.Sampled(t)
	for line, want := range map[string]string{
		"":                                "command of dist is missing",
		"pln":                             "did you mean plan or run?",
		"plan":                            "takes one file",
		"run":                             "takes one file, or --parts PREFIX",
		"run F --parts x":                 "takes one file, or --parts PREFIX",
		"plan F --ranks 0":                "--ranks 0; from 1",
		"plan F --measure --machine this": "--measure times this matrix here",
		"run --parts x --measure":         "the parts of --parts are divided",
		"plan F --latency -1us":           "--latency -1µs; from 0 to 1s",
		"plan F --eps NaN":                "--eps NaN; above 0",
		"plan F --method all-gather":      "rows, hypergraph or cover",
		"run F --ranks 100000":            "to 1024 where ranks are goroutines",
		"run --parts x --method rows":     "the parts say who owns what",
		"plan F --features 9999999":       "--features 9999999; from 1 to",
		"run F --type bf16":               "--type bf16; f32 or f64",
		"run F --chunks 0":                "--chunks 0; from 1 to 4096",
	} {
		args := []string{"dist"}
		for _, w := range strings.Fields(line) {
			args = append(args, strings.ReplaceAll(w, "F", file))
		}
		if strings.Contains(line, "--") { // F stands for the file alone
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], file+"ILE", "FILE")
			}
		}
		if err := dispatch(args, io.Discard); err == nil || cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: exit code %d, %v; want %q", line, cli.ExitCode(err), err, want)
		}
	}
}

// TestDistSame: the same call divides alike, however many threads there are, and predicts alike.
func TestDistSame(t *testing.T) {
	file := filepath.Join("..", "..", "..", "shared", "data", "cora.mtx")
	if _, err := os.Stat(file); err != nil {
		file = gridFile(t)
	}
	var plan string
	var run distRunReport
	for i, threads := range []int{1, 2, 4, 4, 4} {
		before := runtime.GOMAXPROCS(threads)
		now := distOut(t, "plan", file, "--ranks", "3", "--features", "16", "--json")
		var r distRunReport
		err := json.Unmarshal([]byte(distOut(t, "run", file, "--ranks", "3", "--features", "16", "--method", "hypergraph", "--runs", "1", "--json")), &r)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			plan, run = now, r
			continue
		}
		if now != plan {
			t.Errorf("with %d threads another plan:\n%s\n%s", threads, now, plan)
		}
		if diff := cmp.Diff(run.PerRank, r.PerRank); diff != "" || r.Bytes != run.Bytes {
			t.Errorf("with %d threads %d bytes, before %d\n%s", threads, r.Bytes, run.Bytes, diff)
		}
	}
	distOut(t, "plan", file, "--ranks", "3", "--features", "16", "--measure")
	distOut(t, "plan", file, "--ranks", "3", "--features", "16", "--machine", "AMD Zen 2")
}

// TestDistNothing: matrices without entries, rows or columns are spread over any number of ranks.
func TestDistNothing(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {5, 5}} {
		m, err := sparse.NewBuilder[float64](size[0], size[1]).Matrix()
		if err != nil {
			t.Fatal(err)
		}
		file := clitest.MatrixFile(t, m)
		for _, ranks := range []string{"1", "3", "8"} {
			var plan distReport
			if err := json.Unmarshal([]byte(distOut(t, "plan", file, "--ranks", ranks, "--features", "3", "--json")), &plan); err != nil {
				t.Fatal(err)
			}
			if out := distOut(t, "plan", file, "--ranks", ranks); strings.Contains(out, "NaN") {
				t.Errorf("%d x %d on %s ranks:\n%s", size[0], size[1], ranks, out)
			}
			for _, x := range plan.Methods[1:] {
				if x.Bytes != 0 || x.Messages != 0 {
					t.Errorf("%d x %d on %s ranks, %s: %d bytes in %d messages", size[0], size[1], ranks, x.Name, x.Bytes, x.Messages)
				}
				args := []string{"--ranks", ranks, "--features", "3", "--method", x.Name}
				prefix := filepath.Join(t.TempDir(), "p")
				distOut(t, append([]string{"plan", file, "--measure", "--write", prefix}, args...)...)
				distOut(t, "run", "--parts", prefix, "--ranks", ranks, "--features", "3", "--runs", "1")
				if out := distOut(t, append([]string{"run", file, "--runs", "1"}, args...)...); !strings.Contains(out, "every row is right") {
					t.Error(out)
				}
			}
		}
	}
}

// TestDistPrefixes: an error says once which ranks have it, and which file.
func TestDistPrefixes(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "p")
	for want, args := range map[string][]string{
		"parts.Open: rank 0: " + missing + ".0-of-2.part: byte 0: it cannot be opened: ": {"run", "--parts", missing},
		"open " + missing + ": ":                 {"run", missing},
		"the name of the matrix file is empty;":  {"run", ""},
		"the name of the matrix file is empty; ": {"plan", ""},
	} {
		err := dispatch(append([]string{"dist"}, args...), io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", args, err, want)
		}
	}
}

// TestDistMPI runs the command as the processes of a job, where there is a launcher.
func TestDistMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	file, found := gridFile(t), false
	for _, launch := range []string{"mpirun.openmpi --oversubscribe", "mpirun.mpich"} {
		words := strings.Fields(launch)
		path, err := exec.LookPath(words[0])
		if err != nil {
			continue
		}
		found = true
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) (string, error) {
			cmd := exec.CommandContext(t.Context(), path, append(append(words[1:len(words):len(words)], "-n", "3", self, "dist", "run", file, "--features", "8", "--runs", "2"), args...)...)
			cmd.Env = append(os.Environ(), clitest.EnvCommand+"=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=1")
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := run(); strings.Contains(out, "with -tags nodl") {
			t.Skip("this build loads no libraries")
		} else if err != nil || strings.Count(out, "every row is right") != 1 || !strings.Contains(out, "3 ranks, processes on 1 machine,") {
			t.Errorf("%s: %v\n%s", launch, err, out)
		}
		if out, err := run("--ranks", "2"); err == nil || !strings.Contains(out, "mpirun -n says how many processes") {
			t.Errorf("%s: %v\n%s", launch, err, out)
		}
	}
	if !found {
		t.Skip("neither mpirun.openmpi nor mpirun.mpich is installed")
	}
}

// TestDistNotFinite: infinities of the matrix, and sums that float32 has no number for, are no
// errors of a product.
func TestDistNotFinite(t *testing.T) {
	b := sparse.NewBuilder[float64](4, 4)
	for i, v := range []float64{math.Inf(1), math.NaN(), 1e300, 1} {
		b.Add(i, i, v)
		b.Add(i, (i+1)%4, v)
	}
	for range 2 { // and as large as float32 goes, twice
		b.Add(3, 2, math.MaxFloat32)
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	file := clitest.MatrixFile(t, m)
	for _, typ := range []string{"f32", "f64"} {
		distOut(t, "run", file, "--ranks", "2", "--features", "5", "--type", typ, "--runs", "1")
	}
}

func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, Command()) }

func TestMain(m *testing.M) { clitest.Main(m, Command()) }
