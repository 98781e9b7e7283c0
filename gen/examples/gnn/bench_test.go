package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/verify/peer/python"
)

// BenchmarkEpoch is an epoch on Cora: a step on all nodes to learn from, and a forward for the validation.
func BenchmarkEpoch(b *testing.B) {
	s := cora(b)
	for _, m := range models[:4] {
		b.Run("model="+m.Name, func(b *testing.B) {
			b.ReportAllocs()
			t := ready(b, m, s)
			for b.Loop() {
				if _, err := t.Epoch(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// ready returns a trainer after an epoch.
func ready(tb testing.TB, m Model, s *data.Set) *Trainer[float32] {
	tb.Helper()
	t, err := NewTrainer[float32](m, s, 1)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := t.Epoch(); err != nil {
		tb.Fatal(err)
	}
	return t
}

// milliseconds returns the median time of so many epochs, after some that do not count.
func milliseconds(tb testing.TB, m Model, s *data.Set, epochs int) float64 {
	t, times := ready(tb, m, s), []float64(nil)
	for n := range epochs {
		start := time.Now()
		if _, err := t.Epoch(); err != nil {
			tb.Fatal(err)
		}
		if n >= epochs/5 {
			times = append(times, time.Since(start).Seconds())
		}
	}
	slices.Sort(times)
	return 1e3 * times[len(times)/2]
}

// A torch is Python that answers testdata/pytorch.py's questions.
type torch struct{ *python.Script }

// ask returns the words of an answer.
func (p torch) ask(tb testing.TB, question ...any) []string {
	answer, err := p.Ask(question...)
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

// number is ask for the first word of an answer.
func (p torch) number(tb testing.TB, question ...any) (v float64) {
	if _, err := fmt.Sscan(p.ask(tb, question...)[0], &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// startTorch starts Python, where VIRTUAL_ENV has it with PyTorch and SciPy.
func startTorch(tb testing.TB) torch {
	tb.Helper()
	p, err := python.Start(filepath.Join("testdata", "pytorch.py"), dataDir, "cora")
	if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(p.Close)
	return torch{p}
}

// fastest returns the best way of PyTorch and its milliseconds: of the graph's products first, then of the features'.
func (p torch) fastest(tb testing.TB, model string, threads int) string {
	var features, graphs []string
	for _, way := range p.ask(tb, "ways", model) {
		f, g, _ := strings.Cut(way, "+")
		features, graphs = append(features, f), append(graphs, g)
	}
	slices.Sort(features)
	slices.Sort(graphs)
	pick := func(ways []string, as func(string) string) (best string) {
		least := math.Inf(1)
		for _, way := range slices.Compact(ways) {
			ms := p.number(tb, "time", model, as(way), threads, 6)
			fmt.Printf("  %s, %d threads, %s: %.1f ms\n", model, threads, as(way), ms)
			if ms < least {
				least, best = ms, way
			}
		}
		return best
	}
	graph := pick(graphs, func(g string) string { return "csr-both+" + g })
	return pick(features, func(f string) string { return f + "+" + graph }) + "+" + graph
}

// BenchmarkTorchTable prints the median epoch of GCN and GAT on Cora and that of PyTorch in the fastest of its ways, the same
// number of threads, in turns; how much more memory is resident while training
// than after reading the files, ours and theirs, and the most of the whole process, ours and theirs.
//
//	VIRTUAL_ENV=(where pip installed torch and scipy) go test -run '^$' -bench TorchTable -benchtime 1x ./gen/examples/gnn
//
// -bench TorchTable/gat/threads=1 is one row.
func BenchmarkTorchTable(b *testing.B) {
	s := cora(b)
	p := startTorch(b)
	fmt.Printf("\n%s; %s\n", p.Version, runtime.Version())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer run.SetThreads(0)
	for _, m := range models[:2] {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", m.Name, threads), func(b *testing.B) { torchRow(b, p, m, s, threads) })
		}
	}
}

// torchRow prints a row of the table.
func torchRow(b *testing.B, p torch, m Model, s *data.Set, threads int) {
	run.SetThreads(threads)
	runtime.GOMAXPROCS(threads)
	way := p.fastest(b, m.Name, threads)
	var ours, theirs []float64
	for range 5 {
		theirs = append(theirs, p.number(b, "time", m.Name, way, threads, 25))
		ours = append(ours, milliseconds(b, m, s, 25))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine := resident(b, m, threads, 50)
	var memory [2]float64
	for k, word := range startTorch(b).ask(b, "memory", m.Name, way, threads, 50) {
		fmt.Sscan(word, &memory[k])
	}
	fmt.Printf("| %s | %d | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | %s | %.1f | %.1f, %.1f | %.1f, %.1f |\n", m.Name, threads,
		ours[2], ours[0], ours[4], theirs[2], theirs[0], theirs[4], way, theirs[2]/ours[2], mine[0]/1024, memory[0]/1024, mine[1]/1024, memory[1]/1024)
}

// resident returns the most kB that are resident while a process of its own trains, over those before, and of the process.
func resident(tb testing.TB, m Model, threads, epochs int) (kB [2]float64) {
	c := exec.Command(os.Args[0], "-test.run", "^TestResident$", "-test.v")
	c.Env = append(os.Environ(), fmt.Sprintf("GNN_RESIDENT=%s %d %d", m.Name, threads, epochs), fmt.Sprintf("GOMAXPROCS=%d", threads))
	out, err := c.CombinedOutput()
	_, after, _ := strings.Cut(string(out), "resident kB: ")
	if _, scan := fmt.Sscan(after, &kB[0], &kB[1]); err != nil || scan != nil {
		tb.Fatalf("%v, %v: %s", err, scan, out)
	}
	return kB
}

// TestResident is what resident runs.
func TestResident(t *testing.T) {
	var name string
	var threads, epochs int
	if _, err := fmt.Sscan(os.Getenv("GNN_RESIDENT"), &name, &threads, &epochs); err != nil {
		t.Skip("a part of BenchmarkTorchTable")
	}
	m, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	m.Epochs, m.Patience = epochs, epochs
	run.SetThreads(threads)
	ready(t, m, little(t)) // loads the code that training needs
	s := cora(t)
	debug.FreeOSMemory()
	before := status(t, "VmRSS:")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // VmHWM begins again
		t.Skip(err)
	}
	tr, err := NewTrainer[float32](m, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	fmt.Println("resident kB:", status(t, "VmHWM:")-before, status(t, "VmHWM:"))
	runtime.KeepAlive(tr)
}

// status returns a number of /proc/self/status.
func status(t *testing.T, name string) (kB int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, after, _ := strings.Cut(string(text), name)
	fmt.Sscan(after, &kB)
	return kB
}
