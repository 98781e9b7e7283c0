// Package bits_test keeps what kernels compute, to the last bit: the stock ones under cpu/kern, what package cpu offers
// of them, and the generated ones of the examples. testdata/bits.txt has a line for each function and instruction set.
package bits_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
)

var update = flag.Bool("update", false, "rewrite the lines of testdata/bits.txt for the instruction sets of this machine")

const (
	file = "testdata/bits.txt"
	ask  = "TILESMITH_TEST_BITS" // the instruction set of a run of this program by itself
)

var one, third, three = 1.0, 1.0 / 3, 3.0 // not constants

// TestBits compares the results of each function with those recorded, for each instruction set of the machine. A
// process has one: functions without options take what it asks for. A short run leaves out large products.
func TestBits(t *testing.T) {
	if runtime.GOARCH != "amd64" || third*three-one != 0 {
		t.Skip("this compiler joins products and sums of Go code in one rounding; recorded is what GOAMD64=v1 computes")
	}
	if isa := os.Getenv(ask); isa != "" {
		if err := run.SetISA(isa); err != nil {
			t.Fatal(err)
		}
		for name, lines := range all(t) {
			if hashes := lines(t, level.Of([]shape{}, largeShapes, largeShapes)); hashes != nil {
				fmt.Printf("bits %s %s %s\n", name, isa, strings.Join(hashes, " "))
			}
		}
		return
	}
	want := read(t)
	have := make(map[string]string)
	for _, isa := range run.ISAs() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestBits$", fmt.Sprintf("-test.short=%v", testing.Short()))
		cmd.Env = append(os.Environ(), ask+"="+isa)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", isa, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) > 3 && f[0] == "bits" {
				have[f[1]+" "+f[2]] = strings.Join(f[3:], " ")
			}
		}
	}
	if *update {
		write(t, want, have)
		return
	}
	for key, hashes := range have {
		switch old, ok := want[key]; {
		case !ok:
			t.Errorf("%s: %s has no such line; run in its folder: go test -run '^TestBits$' -update", key, file)
		case old != hashes && !(testing.Short() && strings.HasPrefix(old, hashes+" ")): // a short run leaves out large shapes
			t.Errorf("%s: the results have other bits: %s, and recorded is %s", key, hashes, old)
		}
	}
	missing := make(map[string]bool)
	for key := range want {
		if _, ok := have[key]; ok {
			continue
		}
		if _, isa, _ := strings.Cut(key, " "); slices.Contains(run.ISAs(), isa) {
			t.Errorf("%s: %s has a line for it, and there is no such function; -update removes it", key, file)
		} else if !missing[isa] {
			missing[isa] = true
			t.Logf("%s: this machine lacks it, and its lines are not compared", isa)
		}
	}
}

// read returns the recorded hashes by function and instruction set.
func read(t *testing.T) map[string]string {
	data, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) > 2 && f[0] != "#" {
			want[f[0]+" "+f[1]] = strings.Join(f[2:], " ")
		}
	}
	return want
}

// write replaces the lines of this machine's instruction sets.
func write(t *testing.T, want, have map[string]string) {
	if testing.Short() {
		t.Fatal("a short run does not compute all that is recorded")
	}
	for key, hashes := range want {
		if _, isa, _ := strings.Cut(key, " "); !slices.Contains(run.ISAs(), isa) {
			have[key] = hashes
		}
	}
	lines := []string{"# function, instruction set, hash of small results, of large ones; go test -run '^TestBits$' -update\n"}
	for key, hashes := range have {
		lines = append(lines, key+" "+hashes+"\n")
	}
	slices.Sort(lines)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
