package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// options is what the command is asked for.
type options struct {
	text         []string // files and folders
	plan         Plan
	shape        Shape
	narrow       bool
	weights, svg string // files, or "" for none
	prompt       string
	say, top     int
	temperature  float64
}

// parse reads the command's arguments; what is wrong with them, and help, goes to log.
func parse(args []string, log io.Writer) (*options, error) {
	var o options
	f := flag.NewFlagSet("gpt", flag.ContinueOnError)
	f.SetOutput(log)
	f.Func("text", "files, and folders of .md and .txt files, with commas between, to learn from; the documentation of Tilesmith if there are none", func(list string) error {
		o.text = strings.Split(list, ",")
		return nil
	})
	minutes := f.Float64("minutes", 2, "how long to train; 0: not at all, what -weights has is enough")
	f.IntVar(&o.plan.Steps, "steps", 0, "how many steps to train, instead of -minutes: the same numbers every time")
	f.IntVar(&o.plan.Batch, "batch", 16, "sequences a step")
	f.Float64Var(&o.plan.Rate, "rate", 4e-3, "how fast to learn")
	f.Uint64Var(&o.plan.Seed, "seed", 1, "of weights, places in the text, and what is said")
	f.IntVar(&o.plan.Threads, "threads", 0, "goroutines of a step; 0: as many as there are processors")
	f.IntVar(&o.shape.Tokens, "tokens", 512, "how many tokens to know, 256 or more")
	f.IntVar(&o.shape.Length, "length", 128, "how many tokens to see")
	f.IntVar(&o.shape.Layers, "layers", 4, "blocks")
	f.IntVar(&o.shape.Width, "width", 128, "numbers of a token")
	f.IntVar(&o.shape.Heads, "heads", 4, "heads of attention")
	f.Float64Var(&o.shape.Drop, "drop", .05, "probability with which training drops a number")
	f.BoolVar(&o.narrow, "bf16", false, "multiply bfloat16")
	f.StringVar(&o.weights, "weights", "", "file of the model: it is written after training, and read if there is none")
	f.StringVar(&o.svg, "svg", "", "file of a drawing of the loss")
	f.StringVar(&o.prompt, "prompt", "\n# ", "what the model goes on with")
	f.IntVar(&o.say, "say", 300, "how many tokens it says")
	f.Float64Var(&o.temperature, "temperature", .8, "0: always the most likely token; 1: as likely as the model says")
	f.IntVar(&o.top, "top", 40, "tokens to choose from")
	f.Usage = func() {
		fmt.Fprintln(log, "gpt trains a small language model on text, and has it go on with a prompt.")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.shape.Hidden = 4 * o.shape.Width
	o.plan.Time = time.Duration(*minutes * float64(time.Minute))
	switch {
	case f.NArg() > 0:
		return nil, errors.New("there are arguments without a flag: see -help")
	case !(*minutes >= 0 && *minutes < 1e6) || o.plan.Steps < 0:
		return nil, fmt.Errorf("cannot train for %v minutes or %d steps", *minutes, o.plan.Steps)
	case !o.trains() && o.weights == "":
		return nil, errors.New("with -minutes 0 there is nothing to ask: want -weights of a model that was trained")
	case o.plan.Batch < 1 || o.plan.Batch > mostTokens || !(o.plan.Rate > 0 && o.plan.Rate < 1) || o.plan.Threads < 0:
		return nil, fmt.Errorf("want a -batch from 1 to %d, a -rate between 0 and 1 and no negative -threads", mostTokens)
	case o.shape.Tokens < 256:
		return nil, fmt.Errorf("%d tokens do not hold all bytes; want 256 or more", o.shape.Tokens)
	case o.say < 0 || o.top < 1 || !(o.temperature >= 0 && o.temperature < 1e6):
		return nil, errors.New("want no negative -say or -temperature and a -top of 1 or more")
	case o.prompt == "":
		return nil, errors.New("the model goes on with a -prompt, which may not be empty")
	}
	if err := o.shape.check(); err != nil {
		return nil, err
	}
	for _, name := range []string{o.weights, o.svg} {
		if info, err := os.Stat(filepath.Dir(name)); o.trains() && name != "" && (err != nil || !info.IsDir()) {
			return nil, fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
		}
	}
	return &o, nil
}

func (o *options) trains() bool { return o.plan.Steps > 0 || o.plan.Time > 0 }
