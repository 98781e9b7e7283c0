package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// A Plan says how large a run of the command is.
type Plan struct {
	Sizes               [4]int // pixels, hidden numbers twice, classes
	Train, Test, Sample int    // pictures to learn from, to be asked about, to calibrate by
	Training            Training
	Seed                uint64
	Batches             []int // of pictures that are asked about together, to be timed
}

// usual is what the command does unless it is told otherwise.
var usual = Plan{
	Sizes: [4]int{pixels, 1024, 512, classes}, Train: 30_000, Test: 10_000, Sample: 1000,
	Training: Training{Epochs: 8, Batch: 100, Rate: 1e-3}, Seed: 1, Batches: []int{1, 32, 1000},
}

func main() {
	p := usual
	flag.IntVar(&p.Training.Epochs, "epochs", p.Training.Epochs, "how often each picture is learnt from")
	flag.IntVar(&p.Train, "train", p.Train, "how many pictures there are to learn from")
	flag.Uint64Var(&p.Seed, "seed", p.Seed, "of the pictures and the first weights")
	threads := flag.Int("threads", 0, "goroutines of a product; 0: as many as there are processors")
	flag.Parse()
	if flag.NArg() > 0 || p.Training.Epochs < 1 || p.Train < p.Sample || p.Train > 1_000_000 || *threads < 0 {
		fmt.Fprintf(os.Stderr, "network: want no arguments, at least 1 epoch, from %d to 1000000 pictures and no negative number of threads\n", p.Sample)
		os.Exit(2)
	}
	run.SetThreads(*threads)
	p.Training.Progress = func(epoch int, loss float64) { fmt.Fprintf(os.Stderr, "epoch %2d: loss %.4f\n", epoch+1, loss) }
	p.Run(os.Stdout, os.Stderr)
}

// A Report is what became of one network.
type Report struct {
	Model
	Accuracy float64         // of the pictures asked about, the part it gets right
	Same     float64         // the part of which it says what the f32 network says
	Times    []time.Duration // of a picture, by batch: the best of several runs
	Convert  time.Duration   // of a picture, in the largest batch, to the type that the first layer reads
}

// Run trains a network and runs it in each type. Results go to out, what goes on to log.
func (p Plan) Run(out, log io.Writer) []Report {
	start := time.Now()
	train, test := NewTask(p.Train, p.Seed), NewTask(p.Test, p.Seed+1)
	fmt.Fprintf(log, "drew %d pictures in %.1f s\n", p.Train+p.Test, time.Since(start).Seconds())

	start = time.Now()
	n := NewNetwork(p.Sizes, p.Seed)
	p.Training.Run(n, train, p.Seed)
	learnt := time.Since(start)
	models := []Model{NewFloat32(n), NewBFloat16(n), Quantise(n, train.Rows(0, p.Sample))}

	var reports []Report
	var first []int
	for _, m := range models {
		answers := predict(m, test)
		if first == nil {
			first = answers
		}
		r := Report{Model: m}
		for i, a := range answers {
			r.Accuracy += one(a == int(test.Labels[i])) / float64(len(answers))
			r.Same += one(a == first[i]) / float64(len(answers))
		}
		reports = append(reports, r)
	}
	for _, b := range p.Batches {
		times, converts := timeInterleaved(models, test, b)
		for i := range reports {
			reports[i].Times, reports[i].Convert = append(reports[i].Times, times[i]), converts[i]
		}
	}
	fmt.Fprintf(out, "network of %d-%d-%d-%d, trained in float32 on %d pictures %d times over, in %.1f s\n\n",
		p.Sizes[0], p.Sizes[1], p.Sizes[2], p.Sizes[3], p.Train, p.Training.Epochs, learnt.Seconds())
	table(out, reports, p.Batches)
	return reports
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// table writes the reports, one a line.
func table(out io.Writer, reports []Report, batches []int) {
	fmt.Fprint(out, "| type | accuracy | says as f32 | bytes | of f32 |")
	for _, b := range batches {
		fmt.Fprintf(out, " us a picture, %d at once | times f32 |", b)
	}
	fmt.Fprintf(out, " converting it, us |\n|---|---|---|---|---|---|")
	for range batches {
		fmt.Fprint(out, "---|---|")
	}
	fmt.Fprintln(out)
	for _, r := range reports {
		fmt.Fprintf(out, "| %s | %.2f %% | %.2f %% | %d | %.2f |", r.Name(), 100*r.Accuracy, 100*r.Same, r.Bytes(), float64(r.Bytes())/float64(reports[0].Bytes()))
		for i, d := range r.Times {
			fmt.Fprintf(out, " %.2f | %.2fx |", float64(d.Nanoseconds())/1e3, reports[0].Times[i].Seconds()/d.Seconds())
		}
		fmt.Fprintf(out, " %.2f |\n", float64(r.Convert.Nanoseconds())/1e3)
	}
}

// ask returns what a model says of each picture.
func predict(m Model, t *Task) []int {
	const together = 500
	answers, logits := make([]int, 0, len(t.Labels)), layout.New[float32](together, classes)
	for at := 0; at < len(t.Labels); at += together {
		n := min(together, len(t.Labels)-at)
		part := logits.Slice(0, n, 0, classes)
		m.Convert(t.Rows(at, at+n))
		m.Logits(run.Options{}, part)
		for i := range n {
			answers = append(answers, best(part.Data[i*classes:][:classes]))
		}
	}
	return answers
}

// timeInterleaved times the models on batches of so many pictures, and the conversion of their
// pictures. They take turns, so that other work of the machine affects all of them. Their
// answers are not checked here: ask did.
func timeInterleaved(models []Model, t *Task, batch int) (logits, converts []time.Duration) {
	const rounds = 7
	logits, converts = make([]time.Duration, len(models)), make([]time.Duration, len(models))
	out := layout.New[float32](batch, classes)
	for range rounds {
		for i, m := range models {
			at := 0
			next := func() layout.Matrix[float32] {
				at = (at + batch) % (len(t.Labels) - batch + 1)
				return t.Rows(at, at+batch)
			}
			faster(&converts[i], batch, func() { m.Convert(next()) })
			faster(&logits[i], batch, func() { m.Logits(run.Options{Threads: 1}, out) })
		}
	}
	return logits, converts
}

// faster calls f for a while, and keeps the time of one of its n pictures if that is less.
func faster(least *time.Duration, n int, f func()) {
	const atLeast = 10 * time.Millisecond
	calls, start := 0, time.Now()
	for time.Since(start) < atLeast || calls == 0 {
		f()
		calls++
	}
	if d := time.Since(start) / time.Duration(calls*n); *least == 0 || d < *least {
		*least = d
	}
}
