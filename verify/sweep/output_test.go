package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/verify/page"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleResults are those of a machine that is not there.
func sampleResults() (*Machine, []Result) {
	m := &Machine{
		CPU: "Sample CPU <9> | 3 GHz", Family: "26", Model: "2", Cores: 2, Caches: Caches{48 << 10, 1 << 20, 32 << 20}, ISAs: []string{"avx512", "go"},
		Go: "go1.26", OS: "linux", Arch: "amd64",
		Ceilings: []Ceiling{{"avx512", "f32", 1, 260, "FMA"}, {"avx512", "f64", 1, 130, "FMA"}},
		Levels:   []Level{{"L1", 48 << 10, 520, 260, 520}, {"memory", 0, 40, 30, 35}},
		Peers:    []Peer{{Name: "openblas", Version: "OpenBLAS\n0.3.21", ISA: "sse2", Note: "it runs sse2 code, start with X=Y"}, {Name: "mkl", Version: "MKL 2026", Note: "it took this CPU for another"}},
	}
	at := func(op string, m, n, k int) Point {
		return Point{Workload{Op: op, M: m, N: n, K: k}, "avx512", 1}
	}
	result := func(types string, p Point, sec, gflops, ceiling, predicted float64, peers ...PeerResult) Result {
		return Result{
			Kernel: "MatMul", Package: "example.com/shop", Family: "Gemm", Types: types, Point: p,
			Seconds: sec, Samples: []float64{sec * .9, sec, sec * 1.1, sec}, Calls: 40, Spread: .01, GFLOPS: gflops, Ceiling: ceiling, Share: gflops / ceiling,
			Bytes: 1e5, Intensity: 21.3, Bound: ceiling, Binding: "FMA", Predicted: predicted, Because: "fma", Peers: peers,
		}
	}
	peer := func(name string, sec, gflops, ratio float64) PeerResult {
		return PeerResult{Name: name, ISA: "sse2", Seconds: sec, Samples: []float64{sec, sec}, Calls: 20, GFLOPS: gflops, Ratio: ratio}
	}
	wrong := Result{Kernel: "MatMul", Package: "example.com/shop", Family: "Gemm", Types: "f64", Point: at("TT", 3, 4, 5), Mismatch: "element (1, 2): have 3,\nwant 4"}
	skipped := Result{Kernel: "SpMM", Package: "example.com/shop", Family: "SpMM", Types: "f32", Point: Point{Workload{Matrix: "rmat", M: 8, N: 32, K: 8}, "avx512", 1}, Skipped: "ell8: row 0 has 9 entries"}
	return m, []Result{
		result("f32", at("NN", 128, 128, 128), 18e-6, 233, 260, 239, peer("openblas", 36e-6, 116.5, 2), PeerResult{Name: "mkl", Error: "element (0, 0)"}),
		result("f32", at("NT", 8, 2048, 2048), 558e-6, 120.2, 260, 130, peer("openblas", 558e-5, 12.02, 10)),
		result("f64", at("NN", 128, 128, 128), 35e-6, 119.8, 130, 121),
		wrong, skipped,
	}
}

func golden(t *testing.T, name string, have []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, have, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(have)); d != "" {
		t.Errorf("%s (- as it should be, + as it is; go test -update writes it):\n%s", file, d)
	}
}

func TestBench(t *testing.T) {
	m, results := sampleResults()
	var b bytes.Buffer
	w := &Bench{W: &b, Count: 2}
	for range 2 { // the second package has no head of its own
		if err := w.Machine(m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range results {
		if err := w.Result(&results[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(results); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench.txt", cutProcs(b.Bytes()))
}

// cutProcs takes GOMAXPROCS off the names of benchmarks: it is that of this machine.
func cutProcs(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if i := bytes.Index(line, []byte("/threads=1-")); i >= 0 {
			i += len("/threads=1-")
			j := i
			for j < len(line) && line[j] >= '0' && line[j] <= '9' {
				j++
			}
			line = append(append(bytes.Clone(line[:i]), 'P'), line[j:]...)
		}
		out = append(out, line...)
	}
	return out
}

// TestPeerISA: a library's benchmark lines name the instruction set of its code, not ours.
func TestPeerISA(t *testing.T) {
	m, results := sampleResults()
	var b bytes.Buffer
	w := &Bench{W: &b}
	if err := w.Machine(m); err != nil {
		t.Fatal(err)
	}
	if err := w.Result(&results[0]); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		for lib, isa := range map[string]string{"tilesmith": "avx512", "openblas": "sse2", "mkl": "unknown"} {
			if strings.Contains(line, "/lib="+lib+"/") && !strings.Contains(line, "/isa="+isa+"/") {
				t.Errorf("%s is not labelled %s: %s", lib, isa, line)
			}
		}
	}
	if !strings.Contains(b.String(), "# peer: openblas: OpenBLAS 0.3.21, sse2 code\n") {
		t.Errorf("nothing says what openblas runs:\n%s", &b)
	}
}

// TestTable: for a reader, with units, what is wrong and what to know; colours are the
// caller's.
func TestTable(t *testing.T) {
	m, results := sampleResults()
	var plain, coloured bytes.Buffer
	for b, style := range map[*bytes.Buffer]func(Style, string) string{&plain: nil, &coloured: func(s Style, text string) string { return "<" + string(s) + ">" + text + "</>" }} {
		w := &Table{W: b, Style: style}
		if err := w.Machine(m); err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if err := w.Result(&results[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(results); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "table.txt", plain.Bytes())
	if bare := regexp.MustCompile(`<(head|good|minor|wrong)>|</>`).ReplaceAllString(coloured.String(), ""); bare != plain.String() {
		t.Errorf("without colours it is another table:\n%s", cmp.Diff(plain.String(), bare))
	}
	for _, want := range []string{"<head>", "<good>", "<minor>", "<wrong>"} {
		if !strings.Contains(coloured.String(), want) {
			t.Errorf("nothing is %s", want)
		}
	}
}

// TestCSV reads back what was written.
func TestCSV(t *testing.T) {
	_, results := sampleResults()
	var b bytes.Buffer
	w := &CSV{W: &b}
	for i := range results {
		if err := w.Result(&results[i]); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
	if err != nil || len(rows) != 1+5+3 {
		t.Fatalf("%d rows, %v:\n%s", len(rows), err, &b)
	}
	at := func(row int, name string) string {
		i := slices.Index(rows[0], name)
		if i < 0 {
			t.Fatalf("no column is called %s: %q", name, rows[0])
		}
		return rows[row][i]
	}
	for _, c := range []struct {
		row        int
		name, want string
	}{{1, "lib", "tilesmith"}, {1, "isa", "avx512"}, {1, "seconds", "1.8e-05"}, {1, "predicted_gflops", "239"}, {2, "lib", "openblas"}, {2, "isa", "sse2"}, {2, "times_lib", "2"},
		{3, "mismatch", "element (0, 0)"}, {7, "mismatch", "element (1, 2): have 3, want 4"}, {7, "seconds", ""}, {8, "skipped", "ell8: row 0 has 9 entries"}} {
		if have := at(c.row, c.name); have != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row, c.name, have, c.want)
		}
	}
	b.Reset()
	w = &CSV{W: &b}
	for _, v := range []Verdict{{Kernel: "X", Types: "f32", ISA: "go", Points: 3, Seconds: 1.5}, {Kernel: "Y", Failures: []string{"a, b\nc"}}, {Kernel: "Z", Skipped: "no GPU"}} {
		if err := w.Verdict(&v); err != nil {
			t.Fatal(err)
		}
	}
	if want := "package,kernel,types,isa,verdict,points,seconds,why\n,X,f32,go,ok,3,1.5,\n,Y,,,WRONG,0,,\"a, b c\"\n,Z,,,skip,0,,no GPU\n"; b.String() != want {
		t.Errorf("verdicts are\n%swant\n%s", &b, want)
	}
}

// TestNoise: page, table and benchmark lines say that the machine was not quiet, and say
// it of no quiet one.
func TestNoise(t *testing.T) {
	m, results := sampleResults()
	for _, noisy := range []bool{false, true} {
		for i := range results {
			results[i].Spread = map[bool]float64{false: .01, true: .2}[noisy]
		}
		var html, table, bench, md bytes.Buffer
		if err := page.Write(&html, Page(m, results, "", "")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join((&Table{W: &table}).End(results), (&Bench{W: &bench}).End(results), Markdown(&md, m, results, "")); err != nil {
			t.Fatal(err)
		}
		for what, b := range map[string]*bytes.Buffer{"page": &html, "table": &table, "bench": &bench, "markdown": &md} {
			if strings.Contains(b.String(), "the machine was not quiet") != noisy {
				t.Errorf("noise %v, and the %s says\n%s", noisy, what, b)
			}
		}
		if above, _, _ := strings.Cut(html.String(), "<figure>"); strings.Contains(above, `<p class="warning"`) != noisy {
			t.Error("the page does not say so above its picture")
		}
	}
}

func TestMarkdown(t *testing.T) {
	m, results := sampleResults()
	var b bytes.Buffer
	if err := Markdown(&b, m, results, "tilesmith sweep `x`"); err != nil {
		t.Fatal(err)
	}
	golden(t, "tables.md", b.Bytes())
}

// TestJSON reads back what was written, and finds no number that JSON has not.
func TestJSON(t *testing.T) {
	m, results := sampleResults()
	verdicts := []Verdict{{Kernel: "X", Types: "f32", ISA: "go", Failures: []string{"a"}, Seconds: 1}, {Kernel: "Y", Skipped: "no GPU"}}
	var b bytes.Buffer
	b.WriteString("a line of the program\n{not json\n")
	j := JSON{&b}
	if err := j.Machine(m); err != nil {
		t.Fatal(err)
	}
	for i := range results {
		if err := j.Result(&results[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range verdicts {
		if err := j.Verdict(&verdicts[i]); err != nil {
			t.Fatal(err)
		}
	}
	j.write(progressRecord{"progress", 1, 2, "busy"})
	text := b.String()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `{"`) && !strings.HasPrefix(line, `{"record":"machine","cpu":`) && !strings.HasPrefix(line, `{"record":"progress",`) && !strings.HasPrefix(line, `{"record":"point","kernel":`) && !strings.HasPrefix(line, `{"record":"verdict","kernel":`) {
			t.Errorf("a record begins otherwise: %s", line)
		}
	}
	var have keeper
	var other bytes.Buffer
	if err := ReadJSON(strings.NewReader(text+`{"record":"later"}`), &have, &other); err != nil {
		t.Fatal(err)
	}
	if want := "a line of the program\n{not json\n" + `{"record":"later"}`; other.String() != want {
		t.Errorf("other lines are %q, want %q", &other, want)
	}
	same := func(what string, have, want any) {
		h, _ := json.Marshal(have)
		w, _ := json.Marshal(want)
		if d := cmp.Diff(string(w), string(h)); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	same("machine", have.machine, m)
	same("results", have.results, results)
	same("verdicts", have.verdicts, verdicts)
	if have.line != "1 of 2: busy" {
		t.Errorf("what goes on is %q", have.line)
	}
	if err := ReadJSON(strings.NewReader(`{"record":"point","m":"x"}`), &have, &other); err == nil || !strings.Contains(err.Error(), `record "point"`) {
		t.Errorf("a record of another kind of number: %v", err)
	}
	// A clock that stands still gives no Inf.
	r := Result{}
	r.measured(times{seconds: [][]float64{{0, 0}}, ceilings: []float64{0}, reps: []int{1}}, &Problem{Flops: 1, Bytes: func() int { return 0 }})
	if err := j.Result(&r); err != nil || math.IsInf(r.GFLOPS, 0) {
		t.Errorf("%+v: %v", r, err)
	}
}

// keeper is a sink.
type keeper struct {
	machine  *Machine
	results  []Result
	verdicts []Verdict
	line     string
}

func (k *keeper) Progress(done, total int, what string) {
	k.line = fmt.Sprintf("%d of %d: %s", done, total, what)
}
func (k *keeper) Machine(m *Machine) error { k.machine = m; return nil }
func (k *keeper) Result(r *Result) error   { k.results = append(k.results, *r); return nil }
func (k *keeper) Verdict(v *Verdict) error { k.verdicts = append(k.verdicts, *v); return nil }

// TestPage holds that a page can be made of it, and says all there is to say.
func TestPage(t *testing.T) {
	m, results := sampleResults()
	d := Page(m, results, "20 November 2026", "tilesmith sweep")
	if len(d.Marks) != 5 || len(d.Roofs) != 2 || len(d.Slopes) != 2 || len(d.Tables) != 1 || len(d.Tables[0].Rows) != 3 || len(d.Peers) != 2 {
		t.Errorf("%+v", d)
	}
	if d.Marks[0].Series != "MatMul f32 avx512" || d.Marks[0].Label != "n=128" || d.Marks[0].Predicted != 239 || d.Marks[4].Series != "openblas f32" {
		t.Errorf("marks are %+v", d.Marks)
	}
	for _, r := range d.Tables[0].Rows {
		if len(r) != len(d.Tables[0].Header) {
			t.Errorf("%d cells below %d", len(r), len(d.Tables[0].Header))
		}
	}
	var b bytes.Buffer
	if err := page.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"WRONG, and not timed: MatMul f64", "shape, n or m x n x k", "it took this CPU for another", "Sample CPU &lt;9&gt;", "The median error of 2 predictions"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// More than a picture holds.
	for len(results) < page.MaxMarks+10 {
		results = append(results, results[0])
	}
	if err := page.Write(&b, Page(m, results, "", "")); err != nil {
		t.Error(err)
	}
}

func TestMedianError(t *testing.T) {
	_, results := sampleResults()
	// 8 x 2048 x 2048 is small; the others are 239/233 and 121/119.8.
	if e, n := MedianError(results); n != 2 || math.Abs(e-100*(239./233-1+121/119.8-1)/2) > 1e-9 {
		t.Errorf("%v %% of %d", e, n)
	}
	if e, n := MedianError(nil); e != 0 || n != 0 {
		t.Errorf("%v %% of %d", e, n)
	}
}

func TestParts(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	for _, c := range []struct {
		count int
		want  []float64
	}{{1, []float64{3}}, {0, []float64{3}}, {2, []float64{1.5, 4}}, {5, x}, {9, x}} {
		if d := cmp.Diff(c.want, parts(x, c.count)); d != "" {
			t.Errorf("%d parts: %s", c.count, d)
		}
	}
	if s := spread([]float64{4, 1, 2, 3}); s != (4.-2)/2.5 {
		t.Errorf("spread %v", s)
	}
	if median(nil) != 0 || spread(nil) != 0 || spread(x[:1]) != 0 {
		t.Error("of nothing there is nothing")
	}
}

func TestCPUInfo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpuinfo")
	if err := os.WriteFile(file, []byte("cpu family\t: 26\nmodel name\t: AMD \x1b[31mEPYC\n\nmodel name: the next\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	have := cpuInfo(file)
	if d := cmp.Diff(map[string]string{"cpu family": "26", "model name": "AMD [31mEPYC"}, have); d != "" {
		t.Error(d)
	}
	if have := cpuInfo(file + ".none"); len(have) != 0 {
		t.Error(have)
	}
	if m := thisMachine(); m.CPU == "" || m.Cores < 1 || !strings.Contains(m.String(), " cores, L1 ") {
		t.Errorf("%v", m)
	}
}
