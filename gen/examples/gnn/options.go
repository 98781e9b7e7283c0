package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
	"github.com/tilesmith/tilesmith/internal/outfile"
)

// options is what the command is asked for.
type options struct {
	model                   Model
	graph, features, labels string // files
	planted                 bool
	patterns                []string // files
	seed                    uint64
	seeded                  bool // by -seed
	runs, threads           int
	checkpoint, svg, log    string // files, or "" for none
	resume                  bool
	grid                    []axis // none: there is one model
}

// most bounds numbers that memory or time goes with.
const most = 1 << 20

// parse reads the command's arguments; what is wrong with them, and help, goes to log.
func parse(args []string, log io.Writer) (*options, error) {
	var o options
	f := flag.NewFlagSet("gnn", flag.ContinueOnError)
	f.SetOutput(log)
	folder := f.String("data", "", "folder of NAME.mtx, NAME-features.mtx and NAME-labels.mtx")
	name := f.String("name", "cora", "NAME of the files in the folder")
	f.StringVar(&o.graph, "graph", "", "file of the graph, instead of that of the folder")
	f.StringVar(&o.features, "features", "", "file of the features of nodes, instead of that of the folder")
	f.StringVar(&o.labels, "labels", "", "file of classes and parts (1 train, 2 validation, 3 test), instead of that of the folder")
	f.BoolVar(&o.planted, "planted", false, "a made-up graph of 2000 nodes whose kinds of edges tell classes, instead of files")
	f.Func("patterns", "files, with commas between, of where the weights of the pruned layers of mlp are; it learns made-up points", func(list string) error {
		o.patterns = strings.Split(list, ",")
		return nil
	})
	model := f.String("model", "gcn", "gcn, gat, sage, sage-max, rgcn or mlp")
	f.Uint64Var(&o.seed, "seed", 1, "of first weights and masks")
	f.IntVar(&o.runs, "runs", 1, "how many networks to train, each with the next seed")
	f.IntVar(&o.threads, "threads", 0, "goroutines of a product; 0: as many as there are processors")
	f.StringVar(&o.checkpoint, "checkpoint", "", "file that training is saved in at the end, or where it is interrupted")
	f.BoolVar(&o.resume, "resume", false, "go on from the checkpoint")
	f.StringVar(&o.svg, "svg", "", "file of a drawing of loss and accuracy")
	f.StringVar(&o.log, "log", "", "file of loss and accuracy, a line of JSON for each epoch")
	var given []choice
	for _, n := range numbers {
		f.Func(n.name, n.what, func(text string) error {
			given = append(given, choice{n.name, text})
			return new(Model).set(n.name, text)
		})
	}
	f.Func("grid", "instead of a test: all combinations of some numbers, as 'hidden=64,128 drop=.3,.5', each with -runs seeds, and what validation says", func(text string) (err error) {
		o.grid, err = parseGrid(text)
		return err
	})
	f.Usage = func() {
		fmt.Fprintln(log, "gnn trains a network on a graph. What is not given of a model is as it is published.")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	f.Visit(func(x *flag.Flag) { o.seeded = o.seeded || x.Name == "seed" })
	var err error
	if o.model, err = find(*model); err != nil {
		return nil, err
	}
	for _, c := range given {
		if err := o.model.set(c.name, c.value); err != nil {
			return nil, err
		}
		if (c.name == "batch" || c.name == "fanout") && !o.model.samples() {
			return nil, fmt.Errorf("-batch and -fanout are of sage and sage-max, which learn from samples: %s does not", o.model.Name)
		}
	}
	if *folder != "" {
		for _, file := range []struct {
			name   *string
			suffix string
		}{{&o.graph, ".mtx"}, {&o.features, "-features.mtx"}, {&o.labels, "-labels.mtx"}} {
			if *file.name == "" {
				*file.name = filepath.Join(*folder, *name+file.suffix)
			}
		}
	}
	return &o, o.check(f.NArg())
}

// check refuses what makes no sense.
func (o *options) check(left int) error {
	files := o.graph != "" && o.features != "" && o.labels != ""
	switch {
	case left > 0:
		return errors.New("there are arguments without a flag: see -help")
	case (o.model.Name == "mlp") != (len(o.patterns) > 0):
		return errors.New("-patterns are of the pruned layers of -model mlp: want both or none")
	case len(o.patterns) > 0 && (o.planted || o.graph != ""):
		return errors.New("with -patterns there are made-up points to learn: want no files and no -planted")
	case !o.planted && !files && len(o.patterns) == 0:
		return errors.New("nothing to learn from: want -data, or all of -graph, -features and -labels, or -planted")
	case o.planted && (o.graph != "" || o.features != "" || o.labels != ""):
		return errors.New("-planted makes up what the files have: want one or the other")
	case o.runs < 1 || o.runs > most || o.threads < 0:
		return fmt.Errorf("want -runs from 1 to %d and no negative -threads", most)
	case o.runs > 1 && (o.checkpoint != "" || o.svg != "" || o.log != ""):
		return errors.New("-checkpoint, -svg and -log are of one run: want them without -runs")
	case o.resume && o.checkpoint == "":
		return errors.New("-resume goes on from a -checkpoint: want both")
	case len(o.grid) > 0 && (o.checkpoint != "" || o.svg != "" || o.log != ""):
		return errors.New("-checkpoint, -svg and -log are of one run: want them without -grid")
	}
	for _, m := range append(combinations(o.model, o.grid), o.model) {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

// read returns the set to learn from.
func (o *options) read() (*data.Set, error) {
	if len(o.patterns) > 0 {
		patterns, err := data.Patterns(o.patterns...)
		if err != nil {
			return nil, err
		}
		return data.Points(1500, patterns, 1)
	}
	if o.planted {
		return data.Planted(500, 5, 1)
	}
	return data.Read(o.graph, o.features, o.labels)
}

// writable refuses files that save could not write, before hours of training are lost.
func (o *options) writable() error {
	for _, name := range []string{o.checkpoint, o.svg, o.log} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return fmt.Errorf("%s cannot be written: it is a folder", name)
		}
	}
	return nil
}

// resumed makes t what its checkpoint has.
func (o *options) resumed(t *Trainer[float32]) error {
	if err := t.Load(o.checkpoint); err != nil {
		return err
	}
	if o.seeded && o.seed != t.State.Seed {
		return fmt.Errorf("%s: the checkpoint is of seed %d, -seed says %d: leave -seed out, or begin without -resume", o.checkpoint, t.State.Seed, o.seed)
	}
	return nil
}

// save writes the files that were asked for.
func (o *options) save(t *Trainer[float32]) error {
	var failed []error
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{o.checkpoint, t.Save}, {o.svg, t.draw}, {o.log, t.lines}} {
		if file.name != "" {
			failed = append(failed, outfile.Write(file.name, file.write))
		}
	}
	return errors.Join(failed...)
}
