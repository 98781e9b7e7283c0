package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Plan says how a model learns.
type Plan struct {
	Batch   int // sequences a step
	Rate    float64
	Steps   int           // 0: as many as there is time for
	Time    time.Duration // if there are no Steps
	Seed    uint64
	Threads int
}

// A Point is how far training had come after some steps.
type Point struct {
	Step              int
	Loss, Validation  float64 // nats a token: of the last steps, and of text that is not learned from
	Seconds, PerToken float64 // since training began; nanoseconds a token of the last steps
}

// split cuts text that is not learned from off its end.
func split(tokens []int32, length int) (learn, validate []int32, err error) {
	n := max(len(tokens)/20, length+1)
	if len(tokens) < 2*(length+1) || len(tokens)-n < length+1 {
		return nil, nil, fmt.Errorf("%d tokens of text are too few for sequences of %d; want %d or more, or a smaller -length", len(tokens), length, 2*(length+1))
	}
	return tokens[:len(tokens)-n], tokens[len(tokens)-n:], nil
}

// Train trains m on tokens until its plan is done or ctx ends, and calls show with every point of the curve, which it returns. The rate rises over the first twentieth and falls
// along a cosine. Given Steps, what comes of it depends on the seed, the shape and the instruction set alone.
func Train[S dtype.Elem, P dtype.Float](ctx context.Context, m *Model[S, P], tokens []int32, plan Plan, show func(Point)) (curve []Point, err error) {
	learn, validate, err := split(tokens, m.Length)
	if err != nil {
		return nil, err
	}
	adam := transformer.NewAdamW(m.params, 0)
	adam.WeightDecay, adam.OneMinusBeta2, adam.Clip = .01, .01, 1
	in, next := make([]int32, plan.Batch*m.Length), make([]int32, plan.Batch*m.Length)
	start := time.Now()
	last, loss, since := start, 0.0, 0
	for step := 0; ; step++ {
		done := float64(step) / float64(max(plan.Steps, 1))
		if plan.Steps == 0 {
			done = float64(time.Since(start)) / float64(max(plan.Time, 1))
		}
		if over := done >= 1 || ctx.Err() != nil; over || step > 0 && time.Since(last) > 2*time.Second {
			if since > 0 {
				p := Point{Step: step, Loss: loss / float64(since), Seconds: time.Since(start).Seconds(), PerToken: float64(time.Since(last).Nanoseconds()) / float64(since*len(in))}
				if p.Validation, err = m.validate(validate, plan); err != nil {
					return curve, err
				}
				curve = append(curve, p)
				show(p)
				if math.IsNaN(p.Loss) {
					return curve, errors.New("the loss is no number any more; take a smaller -rate")
				}
				last, loss, since = time.Now(), 0, 0
			}
			if over {
				return curve, nil
			}
		}
		places := rand.Stream{Seed: plan.Seed, Number: 1<<62 | uint64(step)}
		for i := range plan.Batch {
			at := int(places.Uint64(uint64(i)) % uint64(len(learn)-m.Length))
			copy(in[i*m.Length:][:m.Length], learn[at:])
			copy(next[i*m.Length:][:m.Length], learn[at+1:])
		}
		p := &transformer.Pass{Train: true, Seed: plan.Seed, Step: uint64(step), Threads: plan.Threads}
		now, err := m.Loss(p, in, next, m.Length)
		if err != nil {
			return curve, err
		}
		adam.LearningRate = plan.Rate * min(1, done*20+1e-3) * (.55 + .45*math.Cos(math.Pi*done))
		adam.Update(p)
		loss, since = loss+now, since+1
	}
}

// validate returns the loss of text that is not learned from: of sixteen sequences at even distances.
func (m *Model[S, P]) validate(tokens []int32, plan Plan) (float64, error) {
	const count = 16
	var in, next []int32
	for i := range count {
		at := (len(tokens) - m.Length - 1) * i / (count - 1)
		in, next = append(in, tokens[at:at+m.Length]...), append(next, tokens[at+1:at+m.Length+1]...)
	}
	return m.Loss(&transformer.Pass{Threads: plan.Threads}, in, next, m.Length)
}
