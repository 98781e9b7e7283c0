package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/nn"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Point is what an epoch came to.
type Point struct {
	Epoch      int      `json:"epoch"`      // from 1
	Train      nn.Score `json:"train"`      // in the step, with masks
	Validation nn.Score `json:"validation"` // after it, without
}

// A Trainer is a network while it learns.
type Trainer[T dtype.Float] struct {
	Model Model
	Set   *data.Set
	Net   nn.Sequential[T]
	State State[T]

	params  []*nn.Param[T]
	sampler *nn.Sampler[T] // nil if a step is on all nodes
	dlogits layout.Matrix[T]
}

// State is all that changes while a network learns: with it, training goes on to the same bits.
type State[T dtype.Float] struct {
	Seed   uint64
	Values [][]T // of each parameter, and those of the best epoch
	Best   [][]T
	Adam   *nn.Adam[T]
	Curve  []Point

	// The epoch whose values are kept, the best loss and accuracy of any, and epochs since one was reached.
	BestEpoch, Waited      int
	BestLoss, BestAccuracy float64
}

// NewTrainer returns a network that has learnt nothing. The run depends on seed, and on nothing else that is random.
func NewTrainer[T dtype.Float](m Model, s *data.Set, seed uint64) (*Trainer[T], error) {
	net, sampler, err := network[T](m, s, seed)
	if err != nil {
		return nil, err
	}
	t := &Trainer[T]{Model: m, Set: s, Net: net, params: net.Params(), sampler: sampler, dlogits: layout.New[T](s.Graph.Rows(), s.Classes)}
	t.State = State[T]{Seed: seed, Adam: nn.NewAdam(t.params, m.Rate), BestLoss: math.Inf(1)}
	for _, p := range t.params {
		t.State.Values = append(t.State.Values, p.Value.Data) // the same memory
		t.State.Best = append(t.State.Best, slices.Clone(p.Value.Data))
	}
	return t, nil
}

// Done reports whether training is over.
func (t *Trainer[T]) Done() bool {
	return len(t.State.Curve) >= t.Model.Epochs || t.State.Waited >= t.Model.Patience
}

// Run trains until it is done or ctx is, and calls each, if there is one, after every epoch.
func (t *Trainer[T]) Run(ctx context.Context, each func(Point) error) error {
	for !t.Done() && ctx.Err() == nil {
		p, err := t.Epoch()
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Epoch makes steps on all nodes that there are to learn from. It is an error if numbers are no longer finite.
func (t *Trainer[T]) Epoch() (Point, error) {
	s, epoch := &t.State, len(t.State.Curve)+1
	var train nn.Score
	for n, nodes := range t.batches(epoch) {
		pass := nn.Pass{Train: true, Seed: s.Seed, Step: uint64(len(s.Curve)*t.steps() + n + 1)}
		score := t.step(&pass, nodes)
		if !finite(score.Loss) {
			return Point{}, t.lost(epoch, "loss", score.Loss)
		}
		part := float64(len(nodes)) / float64(len(t.Set.Train))
		train.Loss += part * score.Loss
		train.Accuracy += part * score.Accuracy
	}

	p := Point{epoch, train, t.Score(t.Set.Validation)}
	if !finite(p.Validation.Loss) {
		return Point{}, t.lost(epoch, "loss of the validation", p.Validation.Loss)
	}
	s.Curve = append(s.Curve, p)
	t.judge(p)
	return p, nil
}

// steps returns how many steps an epoch has.
func (t *Trainer[T]) steps() int {
	if t.sampler == nil {
		return 1
	}
	return (len(t.Set.Train) + t.Model.Batch - 1) / t.Model.Batch
}

// batches returns the nodes of each step of an epoch, which are all nodes to learn from in some order.
func (t *Trainer[T]) batches(epoch int) [][]int {
	if t.steps() == 1 {
		return [][]int{t.Set.Train}
	}
	nodes := make([]int, len(t.Set.Train))
	// Streams of masks have numbers below 1<<62.
	nn.Shuffle(rand.Stream{Seed: t.State.Seed, Number: 1<<62 | uint64(epoch)}, nodes)
	for k, at := range nodes {
		nodes[k] = t.Set.Train[at]
	}
	return slices.Collect(slices.Chunk(nodes, t.Model.Batch))
}

// step makes a step on some nodes.
func (t *Trainer[T]) step(pass *nn.Pass, nodes []int) nn.Score {
	labels, rows := t.Set.Labels, nodes
	if t.sampler != nil { // the result has a row for each of nodes only
		t.sampler.Batch(pass, nodes)
		labels, rows = make([]int, len(nodes)), make([]int, len(nodes))
		for k, i := range nodes {
			labels[k], rows[k] = t.Set.Labels[i], k
		}
	}
	logits := t.Net.Forward(pass, layout.Matrix[T]{})
	dlogits := layout.RowMajor(t.dlogits.Data[:logits.Rows*logits.Cols], logits.Rows, logits.Cols)
	score := nn.CrossEntropy(dlogits, logits, labels, rows)
	if finite(score.Loss) {
		t.Net.Backward(dlogits)
		t.State.Adam.Update(t.params)
	}
	return score
}

// judge keeps the values of an epoch that is as good as any in both loss and accuracy, and counts those that are so
// in neither. The program of Veličković and others does the same.
func (t *Trainer[T]) judge(p Point) {
	s, v := &t.State, p.Validation
	s.Waited++
	if v.Loss <= s.BestLoss || v.Accuracy >= s.BestAccuracy {
		s.Waited = 0
	}
	if v.Loss <= s.BestLoss && v.Accuracy >= s.BestAccuracy {
		s.BestEpoch = p.Epoch
		for n, values := range s.Values {
			copy(s.Best[n], values)
		}
	}
	s.BestLoss, s.BestAccuracy = min(s.BestLoss, v.Loss), max(s.BestAccuracy, v.Accuracy)
}

// Score returns what the network is worth on some nodes, as it is now, with all neighbours.
func (t *Trainer[T]) Score(nodes []int) nn.Score {
	if t.sampler != nil {
		t.sampler.FullGraph()
	}
	return nn.CrossEntropy(layout.Matrix[T]{}, t.Net.Forward(&nn.Pass{}, layout.Matrix[T]{}), t.Set.Labels, nodes)
}

// Keep gives the network the values of the best epoch. Training does not go on from there.
func (t *Trainer[T]) Keep() {
	for n, best := range t.State.Best {
		copy(t.State.Values[n], best)
	}
}

// lost returns an error that says where numbers got lost.
func (t *Trainer[T]) lost(epoch int, what string, v float64) error {
	where := "all weights are finite, but too large"
	for _, p := range t.params {
		if slices.ContainsFunc(p.Value.Data, func(v T) bool { return !finite(float64(v)) }) {
			where = "the first parameter that is not finite is " + p.Name
			break
		}
	}
	return fmt.Errorf("epoch %d: the %s is %v, %s: try a rate below %v", epoch, what, v, where, t.Model.Rate)
}

// finite reports whether v is neither Inf nor NaN.
func finite(v float64) bool { return v-v == 0 }
