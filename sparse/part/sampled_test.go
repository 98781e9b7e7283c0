package part

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
)

// batchVolume is what batches of a send, counted by entries.
func batchVolume(a sparse.Matrix[float64], p Partition, b *Batches, batches int) (sent int) {
	in := make([]bool, a.Rows())
	for range batches {
		batch := b.Next()
		for _, v := range batch {
			in[v] = true
		}
		type copy struct{ j, to int }
		seen := map[copy]bool{}
		for _, i := range batch {
			for j := range a.Row(int(i)) {
				if c := (copy{j, p.Of(int(i))}); in[j] && p.Of(j) != c.to && !seen[c] {
					seen[c] = true
					sent++
				}
			}
		}
		for _, v := range batch {
			in[v] = false
		}
	}
	return sent
}

// Km1 of the model is what its own batches send, to the row.
func TestSampledCountsBatches(t *testing.T) {
	a := rmat(t)
	h := must[*Hypergraph](t)(Sampled(a, Model{}, Sampling{Batches: 50, Size: 400, Seed: 3}))
	p := must[Partition](t)(Random(h, 5, 1))
	if got, want := Measure(h, p).KM1, batchVolume(a, p, NewBatches(a.Rows(), 400, 3), 50); got != int64(want) {
		t.Errorf("km1 %d, the batches send %d", got, want)
	}
	seen := map[string]bool{}
	for j := range h.Nets() {
		net := h.Net(j)
		slices.Sort(net)
		if text := fmt.Sprint(net); seen[text] {
			t.Fatalf("net %d has the pins of another", j)
		} else {
			seen[text] = true
		}
	}
}

// On batches that neither model has seen the stochastic one sends less.
func TestSampledBeatsPlain(t *testing.T) {
	a := rmat(t)
	if level.Of(true, false, false) {
		t.Skip("divides large hypergraphs")
	}
	const k, size = 4, 200
	batches := level.Of(300, 300, 1000)
	plain := must[Partition](t)(Make(must[*Hypergraph](t)(ColumnNet(a, Model{Weighing: Rows})), k, Options{}))
	stochastic := must[Partition](t)(Make(must[*Hypergraph](t)(Sampled(a, Model{Weighing: Rows}, Sampling{Batches: batches, Size: size, Seed: 1})), k, Options{}))
	was := batchVolume(a, plain, NewBatches(a.Rows(), size, 2), batches)
	is := batchVolume(a, stochastic, NewBatches(a.Rows(), size, 2), batches)
	t.Logf("rows sent by a batch: %.2f by the plain model, %.2f by the stochastic one", float64(was)/float64(batches), float64(is)/float64(batches))
	if is >= was {
		t.Errorf("%d rows sent by the stochastic model, %d by the plain one", is, was)
	}
}

func TestSampledErrors(t *testing.T) {
	a := grid(t, 3)
	wide := pattern(t, 2, 3, []int32{0}, []int32{0})
	for _, c := range []struct {
		err  error
		kind error
	}{
		{second(Sampled(wide, Model{Ownership: Free}, Sampling{Batches: 1, Size: 1})), sparse.ErrShape},
		{second(Sampled(a, Model{}, Sampling{Batches: 0, Size: 1})), sparse.ErrSize},
		{second(Sampled(a, Model{}, Sampling{Batches: 1, Size: 10})), sparse.ErrSize},
		{second(Sampled(a, Model{Costs: slices.Repeat([]int32{1 << 27}, 9)}, Sampling{Batches: 100, Size: 9})), sparse.ErrSize},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%v, want an error of kind %q", c.err, c.kind)
		}
	}
}
