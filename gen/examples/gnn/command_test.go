package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/outfile"
)

// trained returns a trainer of little after so many epochs.
func trained(t *testing.T, m Model, epochs int) *Trainer[float32] {
	t.Helper()
	m = slim(m)
	m.Epochs, m.Patience = epochs, epochs
	tr, err := NewTrainer[float32](m, little(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestResume: training that stops and goes on from a file comes to the bits of training that does not stop, as it does
// with another number of threads.
func TestResume(t *testing.T) {
	for _, m := range models {
		t.Run("model="+m.Name, func(t *testing.T) {
			entire := trained(t, m, 30)
			file := filepath.Join(t.TempDir(), "checkpoint")
			if err := outfile.Write(file, trained(t, m, 11).Save); err != nil {
				t.Fatal(err)
			}
			defer run.SetThreads(0)
			run.SetThreads(3)
			again, err := NewTrainer[float32](entire.Model, entire.Set, 99)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Load(file); err != nil {
				t.Fatal(err)
			}
			if err := again.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(entire.State, again.State); d != "" {
				t.Errorf("(-entire +resumed)\n%s", d)
			}
			entire.Keep()
			again.Keep()
			if w, a := entire.Score(entire.Set.Test), again.Score(entire.Set.Test); w != a {
				t.Errorf("of the nodes to test, %+v, resumed %+v", w, a)
			}
		})
	}
}

// TestLoadRefused: what is no checkpoint of this network says so, and changes nothing.
func TestLoadRefused(t *testing.T) {
	gcn, err := find("gcn")
	if err != nil {
		t.Fatal(err)
	}
	var good, other, wider bytes.Buffer
	sage, wide := models[2], gcn
	tr := trained(t, gcn, 3)
	if err := errors.Join(tr.Save(&good), trained(t, sage, 3).Save(&other)); err != nil {
		t.Fatal(err)
	}
	wide.Rate *= 2
	if err := trained(t, wide, 3).Save(&wider); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good.Bytes())
	flipped[len(flipped)/2] ^= 4
	elsewhere := trained(t, gcn, 0)
	elsewhere.Set.Labels[0] ^= 1
	for _, c := range []struct {
		what string
		text []byte
		of   *Trainer[float32]
		want string
	}{
		{"nothing", nil, tr, "not a whole checkpoint"},
		{"another file", bytes.Repeat([]byte("%%MatrixMarket\n"), 9), tr, "not a whole checkpoint"},
		{"a part", good.Bytes()[:good.Len()/2], tr, "not a whole checkpoint"},
		{"a bit that changed", flipped, tr, "not a whole checkpoint"},
		{"another model", other.Bytes(), tr, "of another model: {Name:sage"},
		{"another rate", wider.Bytes(), tr, "of another model: {Name:gcn"},
		{"another set", good.Bytes(), elsewhere, "of another graph"},
	} {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after bytes.Buffer
		if err := c.of.Save(&before); err != nil {
			t.Fatal(err)
		}
		if err := c.of.Load(file); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want an error with %q and the file", c.what, err, c.want)
		}
		if err := c.of.Save(&after); err != nil || !bytes.Equal(before.Bytes(), after.Bytes()) {
			t.Errorf("%s changed the trainer: %v", c.what, err)
		}
	}
}

// stopper is a log that ends a context when a text is written to it.
type stopper struct {
	at   string
	stop func()
}

func (s stopper) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.at) {
		s.stop()
	}
	return len(p), nil
}

// TestInterrupt: the command keeps the best when it is interrupted, and comes to the same when it goes on.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"-planted", "-model", "rgcn", "-epochs", "40", "-log", file("log"), "-svg", file("svg")}
	var whole, part, rest strings.Builder
	if err := command(t.Context(), args, &whole, io.Discard, false); err != nil {
		t.Fatal(err)
	}
	uninterrupted, err := os.ReadFile(file("log"))
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "-checkpoint", file("checkpoint"))
	ctx, stop := context.WithCancel(t.Context())
	if err := command(ctx, args, &part, stopper{"epoch 12 of", stop}, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(part.String(), "was interrupted after epoch 12 ") {
		t.Errorf("interrupted, the command says %q", part.String())
	}
	if err := command(t.Context(), append(args, "-resume"), &rest, io.Discard, true); err != nil {
		t.Fatal(err)
	}
	err = command(t.Context(), append(args, "-resume", "-seed", "7"), io.Discard, io.Discard, false)
	if err == nil || !strings.Contains(err.Error(), "of seed 1, -seed says 7") {
		t.Errorf("with another seed it goes on: %v", err)
	}
	without := func(s string) string { // the time
		before, after, _ := strings.Cut(s, " in ")
		_, after, _ = strings.Cut(after, " s,")
		return before + after
	}
	if d := cmp.Diff(without(whole.String()), without(rest.String())); d != "" {
		t.Errorf("(-whole +resumed)\n%s", d)
	}
	resumed, err := os.ReadFile(file("log"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(uninterrupted), string(resumed)); d != "" {
		t.Errorf("the curve (-whole +resumed)\n%s", d)
	}
	drawing(t, file("svg"), 40)
	epoch := 0
	for lines := bufio.NewScanner(bytes.NewReader(resumed)); lines.Scan(); {
		var p Point
		epoch++
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil || p.Epoch != epoch || !(p.Train.Loss > 0) {
			t.Errorf("line %d is %s: %v", epoch, lines.Text(), err)
		}
	}
	if epoch != 40 {
		t.Errorf("%d epochs, want 40", epoch)
	}
}

// drawing wants an SVG of four curves of so many points.
func drawing(t *testing.T, file string, points int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var svg struct {
		XMLName xml.Name `xml:"svg"`
		Lines   []struct {
			Points string `xml:"points,attr"`
		} `xml:"polyline"`
	}
	if err := xml.Unmarshal(text, &svg); err != nil || len(svg.Lines) != 4 {
		t.Fatalf("%d curves, want 4: %v", len(svg.Lines), err)
	}
	for n, l := range svg.Lines {
		if got := len(strings.Fields(l.Points)); got != points {
			t.Errorf("curve %d has %d points, want %d", n, got, points)
		}
	}
}

// TestRefused: arguments that make no sense, and numbers that get lost, are errors that say so.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "nothing to learn from"},
		{"-planted -model gnn", `no model "gnn"; there are gcn gat sage sage-max rgcn mlp`},
		{"-planted -model mlp", "want both or none"},
		{"-planted -model mlp -patterns x", "want no files and no -planted"},
		{"-model mlp -patterns /nowhere/x", "nowhere"},
		{"-planted x", "arguments without a flag"},
		{"-planted -graph x.mtx", "want one or the other"},
		{"-data /nowhere", "cora.mtx"},
		{"-planted -hidden 0", "-hidden"},
		{"-planted -epochs 99999999", "-epochs"},
		{"-planted -drop 1", "-drop"},
		{"-planted -fanout 2,3", "gcn does not"},
		{"-planted -model sage -fanout 2", "two whole numbers"},
		{"-planted -model sage -fanout 2,-1", "-fanout of two numbers from 0"},
		{"-planted -grid hidden", "whole number"},
		{"-planted -grid heads=3", `no number "heads"`},
		{"-planted -grid drop=.5,1", "-drop of at least 0"},
		{"-planted -grid epochs=" + strings.Repeat("1,", 1000) + "1", "more than 1000"},
		{"-planted -grid drop=.5 -log x", "without -grid"},
		{"-planted -model sage -batch 0", "-batch from 1"},
		{"-planted -rate NaN", "-rate"},
		{"-planted -runs 2 -svg x", "of one run"},
		{"-planted -resume", "want both"},
		{"-planted -resume -checkpoint /nowhere/x", "nowhere"},
		{"-planted -epochs 1000000 -svg /nowhere/x", "there is no folder"},
		{"-planted -epochs 1000000 -log .", "it is a folder"},
		{"-planted -rate 1e30", "try a rate below 1e+30"},
	} {
		err := command(t.Context(), strings.Fields(c.args), io.Discard, io.Discard, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.args, err, c.want)
		}
	}
}

// TestLost: training whose numbers get lost stops, says where, and leaves an earlier checkpoint as it is.
func TestLost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	for _, model := range []string{"gcn", "sage", "rgcn"} {
		if err := os.WriteFile(file, []byte("earlier"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"-planted", "-model", model, "-rate", "1e36", "-decay", "1", "-checkpoint", file}
		err := command(t.Context(), args, io.Discard, io.Discard, false)
		if err == nil || !strings.Contains(err.Error(), "epoch ") || !strings.Contains(err.Error(), " is NaN, ") {
			t.Errorf("%s: %v, want an error with the epoch", model, err)
		}
		if text, err := os.ReadFile(file); string(text) != "earlier" {
			t.Errorf("%s: the checkpoint is now %.20q: %v", model, text, err)
		}
	}
}

// TestRuns: more than one network, each of its own seed, and what they come to together.
func TestRuns(t *testing.T) {
	var out strings.Builder
	if err := command(t.Context(), []string{"-planted", "-model", "rgcn", "-runs", "2", "-epochs", "30"}, &out, io.Discard, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rgcn, seed 1: ", "rgcn, seed 2: ", "% of 2 seeds\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

// TestGrid: all combinations are trained, the best is last, and nothing is said of the nodes to test.
func TestGrid(t *testing.T) {
	var out strings.Builder
	args := []string{"-planted", "-model", "sage-max", "-epochs", "3", "-grid", "hidden=2,16 fanout=1:1,3:2", "-runs", "2"}
	if err := command(t.Context(), args, &out, io.Discard, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(lines)
	for n, want := range []string{"hidden=16 fanout=[1 1]: validation ", "hidden=16 fanout=[3 2]", "hidden=2 fanout=[1 1]", "hidden=2 fanout=[3 2]"} {
		if len(lines) != 4 || !strings.Contains(lines[n], want) {
			t.Errorf("%q, want a line with %q", lines, want)
		}
	}
	last := 0.0
	for line := range strings.Lines(out.String()) {
		_, after, _ := strings.Cut(line, "validation ")
		accuracy, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
		if err != nil || accuracy < last {
			t.Errorf("%v after %v in %q: %v", accuracy, last, out.String(), err)
		}
		last = accuracy
	}
}
