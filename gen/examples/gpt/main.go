package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpt:", err)
		os.Exit(1)
	}
}

// command does what args say. The text of the model goes to out, all else to log. When ctx ends, training
// stops after a step, and what it came to is kept.
func command(ctx context.Context, args []string, out, log io.Writer) error {
	o, err := parse(args, log)
	if err != nil {
		return err
	}
	if o.narrow {
		return do(ctx, o, transformer.BFloat16, out, log)
	}
	return do(ctx, o, transformer.Float32, out, log)
}

func do[S dtype.Elem](ctx context.Context, o *options, k *transformer.Kernels[S, float32], out, log io.Writer) (err error) {
	var m *Model[S, float32]
	var pairs BPE
	if o.trains() {
		m, pairs, err = train(ctx, o, k, log)
	} else {
		var f *os.File
		if f, err = os.Open(o.weights); err != nil {
			return err
		}
		defer f.Close()
		if m, pairs, err = load(f, k); err != nil {
			err = fmt.Errorf("%s: %w", o.weights, err)
		}
	}
	if err != nil || o.say == 0 {
		return err
	}
	return generate(o, m, pairs, out, log)
}

// train makes a model of text.
func train[S dtype.Elem](ctx context.Context, o *options, k *transformer.Kernels[S, float32], log io.Writer) (*Model[S, float32], BPE, error) {
	if o.text == nil {
		files, err := documentation()
		if err != nil {
			return nil, nil, err
		}
		o.text = files
	}
	text, err := read(o.text)
	if err != nil {
		return nil, nil, err
	}
	pairs := trainBPE(text, o.shape.Tokens)
	o.shape.Tokens = pairs.Tokens()
	tokens := pairs.Encode(text)
	m, err := NewModel(k, o.shape, o.plan.Seed)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(log, "%d bytes of text are %d tokens of %d; the model has %d numbers\n", len(text), len(tokens), pairs.Tokens(), m.Numbers())
	bits := float64(len(tokens)) / float64(max(len(text), 1)) / math.Ln2 // a byte, of nats a token
	curve, err := Train(ctx, m, tokens, o.plan, func(p Point) {
		fmt.Fprintf(log, "%5.0f s, step %d: loss %.3f, of other text %.3f (%.2f bits a byte); %.0f tokens/s\n", p.Seconds, p.Step, p.Loss, p.Validation, p.Validation*bits, 1e9/p.PerToken)
	})
	if o.svg != "" && len(curve) > 0 {
		title := fmt.Sprintf("%d numbers, %d tokens: nats a token of text learned from grey, of other text blue", m.Numbers(), len(tokens))
		err = errors.Join(err, outfile.Write(o.svg, func(w io.Writer) error { return draw(w, title, curve) }))
	}
	if o.weights != "" && err == nil {
		err = outfile.Write(o.weights, func(w io.Writer) error { return save(w, m, pairs) })
	}
	return m, pairs, err
}

// generate goes on with the prompt.
func generate[S dtype.Elem](o *options, m *Model[S, float32], pairs BPE, out, log io.Writer) error {
	s := NewGenerator(m, o.plan.Seed)
	logits, err := s.Feed(pairs.Encode(o.prompt))
	if err != nil {
		return err
	}
	fmt.Fprint(out, o.prompt)
	start := time.Now()
	for range o.say {
		next := s.Sample(logits, o.temperature, o.top)
		if _, err := fmt.Fprint(out, pairs.Decode([]int32{next})); err != nil {
			return err
		}
		if logits, err = s.Feed([]int32{next}); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	fmt.Fprintf(log, "%.0f tokens/s\n", float64(o.say)/time.Since(start).Seconds())
	return nil
}
