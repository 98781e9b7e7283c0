package main

import (
	"os"
	"testing"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

const dataDir = "../../../../shared/data"

// cora reads the citations of Cora, where they are.
func cora(t testing.TB) *data.Set {
	t.Helper()
	if _, err := os.Stat(dataDir); err != nil {
		t.Skip("there is no ../shared/data beside the repository")
	}
	s, err := data.Read(dataDir+"/cora.mtx", dataDir+"/cora-features.mtx", dataDir+"/cora-labels.mtx")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCora: a network that is published with an accuracy on Cora comes near it with one seed. docs/howto-gnn.md has
// the means of twenty.
func TestCora(t *testing.T) {
	s := cora(t)
	for _, c := range []struct {
		model  string
		epochs int // enough, and fewer than published
		rate   float64
		least  float64
	}{{"gcn", 120, .01, .795}, {"sage", 30, .01, .77}, {"sage-max", 30, .01, .65}} {
		if c.model != "gcn" && !level.Long() {
			continue
		}
		m, err := find(c.model)
		if err != nil {
			t.Fatal(err)
		}
		m.Epochs, m.Rate = c.epochs, c.rate
		tr, err := NewTrainer[float32](m, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		tr.Keep()
		got := tr.Score(s.Test)
		t.Logf("%s: %.1f %% in %d epochs, the best of which is %d", m.Name, 100*got.Accuracy, len(tr.State.Curve), tr.State.BestEpoch)
		if got.Accuracy < c.least {
			t.Errorf("%s gets %.1f %% of the papers right, want %.1f %% at least", m.Name, 100*got.Accuracy, 100*c.least)
		}
	}
}

// TestPlanted: a network that tells kinds of edges apart learns what one that does not cannot.
func TestPlanted(t *testing.T) {
	s, err := data.Planted(100, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model       string
		least, most float64
	}{{"rgcn", .95, 1}, {"gcn", 0, .8}} {
		m, err := find(c.model)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := NewTrainer[float32](m, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		tr.Keep()
		got := tr.Score(s.Test).Accuracy
		t.Logf("%s: %.1f %%", c.model, 100*got)
		if got < c.least || got > c.most {
			t.Errorf("%s gets %.1f %% of the nodes right, want %.0f to %.0f %%", c.model, 100*got, 100*c.least, 100*c.most)
		}
	}
}

// TestPruned: a network whose layers have a part of their weights only learns points that no plane divides.
func TestPruned(t *testing.T) {
	var patterns []sparse.Matrix[float64]
	for range 2 {
		p, err := sample.Pruned[float64](256, 256, .9, 1)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	s, err := data.Points(600, patterns, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := find("mlp")
	if err != nil {
		t.Fatal(err)
	}
	m.Epochs = 40
	tr, err := NewTrainer[float32](m, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	tr.Keep()
	got := tr.Score(s.Test).Accuracy
	t.Logf("%.1f %%", 100*got)
	if got < .5 {
		t.Errorf("the network gets %.1f %% of the points right, want 50 %% at least", 100*got)
	}
}
