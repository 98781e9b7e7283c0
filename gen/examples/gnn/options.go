package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
)

// options is what the command is asked for.
type options struct {
	model                   Model
	graph, features, labels string // files
	planted                 bool
	patterns                []string // files
	seed                    uint64
	runs, threads           int
	checkpoint, svg, log    string // files, or "" for none
	resume                  bool
}

// most bounds numbers that memory or time goes with.
const most = 1 << 20

// parse reads the command's arguments; what is wrong with them, and help, goes to log.
func parse(args []string, log io.Writer) (*options, error) {
	var o options
	var given Model
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
	f.StringVar(&given.Name, "model", "gcn", "gcn, gat, sage, rgcn or mlp")
	f.Uint64Var(&o.seed, "seed", 1, "of first weights and masks")
	f.IntVar(&o.runs, "runs", 1, "how many networks to train, each with the next seed")
	f.IntVar(&o.threads, "threads", 0, "goroutines of a product; 0: as many as there are processors")
	f.StringVar(&o.checkpoint, "checkpoint", "", "file that training is saved in at the end, or where it is interrupted")
	f.BoolVar(&o.resume, "resume", false, "go on from the checkpoint")
	f.StringVar(&o.svg, "svg", "", "file of a drawing of loss and accuracy")
	f.StringVar(&o.log, "log", "", "file of loss and accuracy, a line of JSON for each epoch")
	f.IntVar(&given.Hidden, "hidden", 0, "numbers of a node between the layers, of each head")
	f.IntVar(&given.Epochs, "epochs", 0, "at most")
	f.IntVar(&given.Patience, "patience", 0, "epochs without a better validation before the end")
	f.Float64Var(&given.Rate, "rate", 0, "of learning")
	f.Float64Var(&given.Drop, "drop", 0, "part that a step of training drops")
	f.Float64Var(&given.Decay, "decay", 0, "of weights")
	f.Usage = func() {
		fmt.Fprintln(log, "gnn trains a network on a graph. What is not given of a model is as it is published.")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if o.model, err = find(given.Name); err != nil {
		return nil, err
	}
	f.Visit(func(g *flag.Flag) {
		switch g.Name {
		case "hidden":
			o.model.Hidden = given.Hidden
		case "epochs":
			o.model.Epochs = given.Epochs
		case "patience":
			o.model.Patience = given.Patience
		case "rate":
			o.model.Rate = given.Rate
		case "drop":
			o.model.Drop = given.Drop
		case "decay":
			o.model.Decay = given.Decay
		}
	})
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
	m := o.model
	files := o.graph != "" && o.features != "" && o.labels != ""
	switch {
	case left > 0:
		return errors.New("there are arguments without a flag: see -help")
	case (m.Name == "mlp") != (len(o.patterns) > 0):
		return errors.New("-patterns are of the pruned layers of -model mlp: want both or none")
	case len(o.patterns) > 0 && (o.planted || o.graph != ""):
		return errors.New("with -patterns there are made-up points to learn: want no files and no -planted")
	case !o.planted && !files && len(o.patterns) == 0:
		return errors.New("nothing to learn from: want -data, or all of -graph, -features and -labels, or -planted")
	case o.planted && (o.graph != "" || o.features != "" || o.labels != ""):
		return errors.New("-planted makes up what the files have: want one or the other")
	case m.Hidden < 1 || m.Hidden > most || m.Epochs < 1 || m.Epochs > most || m.Patience < 1 || o.runs < 1 || o.runs > most || o.threads < 0:
		return fmt.Errorf("want -hidden, -epochs and -runs from 1 to %d, -patience of 1 at least and no negative -threads", most)
	case !(m.Drop >= 0 && m.Drop < 1) || !(m.Rate > 0) || !finite(m.Rate) || !(m.Decay >= 0) || !finite(m.Decay):
		return errors.New("want -drop of at least 0 and less than 1, a -rate above 0 and no negative -decay")
	case o.runs > 1 && (o.checkpoint != "" || o.svg != "" || o.log != ""):
		return errors.New("-checkpoint, -svg and -log are of one run: want them without -runs")
	case o.resume && o.checkpoint == "":
		return errors.New("-resume goes on from a -checkpoint: want both")
	}
	return nil
}

// read returns what there is to learn from.
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

// save writes the files that were asked for.
func (o *options) save(t *Trainer[float32]) error {
	var failed []error
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{o.checkpoint, t.Save}, {o.svg, t.draw}, {o.log, t.lines}} {
		if file.name != "" {
			failed = append(failed, replace(file.name, file.write))
		}
	}
	return errors.Join(failed...)
}
