package distcmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/formats"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A distJob is one run, of which processes have a copy each and goroutines one together.
type distJob[T dtype.Float] struct {
	con  *cli.Console
	file string
	o    distRunFlags

	whole      sparse.Matrix[T]
	rows, cols []int32 // the owners
	cover      bool
	method     string
	divided    bool
}

// read reads and divides the matrix.
func (j *distJob[T]) read() (err error) {
	if j.whole, err = formats.ReadMatrix[T](j.file, j.o.maxDim, j.con.Log); err != nil {
		return err
	}
	if err := formats.Fits(j.whole, j.o.features); err != nil {
		return fmt.Errorf("%s: %w", j.file, err)
	}
	found, err := methods(j.whole, &j.o.distFlags)
	if err != nil {
		return err
	}
	x := chosen(found, j.o.method)
	j.rows, j.cols, j.cover, j.method, j.divided = x.Plan.Rows, x.Plan.Cols, x.Plan.Cover, x.Name, true
	return nil
}

// part returns the rank's part. Among processes, rank 0 divides the matrix, and the
// others read it and learn who owns what.
func (j *distJob[T]) part(c *comm.Comm) (p parts.Part[T], cover bool, err error) {
	if j.o.parts != "" {
		p, err = parts.Open[T](c, j.o.parts)
		return p, j.o.method == "cover", err
	}
	if !j.divided {
		if err := j.share(c); err != nil {
			return p, false, err
		}
	}
	p, err = parts.Divide(j.whole, c.Rank(), c.Size(), j.rows, j.cols)
	return p, j.cover, comm.Agree(c, err)
}

// share has rank 0 of some processes divide the matrix, and tells the others.
func (j *distJob[T]) share(c *comm.Comm) error {
	var err error
	j.o.ranks = c.Size()
	if c.Rank() == 0 {
		err = j.read()
	} else if j.whole, err = formats.ReadMatrix[T](j.file, j.o.maxDim, j.con.Log); err == nil {
		m, n := j.whole.Dims()
		j.rows, j.cols = make([]int32, m), make([]int32, n)
	}
	m, n := j.whole.Dims()
	if err := comm.Agree(c, err, comm.NewFact("the matrix of "+filepath.Base(j.file), fmt.Sprintf("%d x %d with %d entries", m, n, j.whole.NNZ()))); err != nil {
		return err
	}
	if j.cols == nil {
		j.cols = j.rows
	}
	word := []int32{0}
	if j.cover {
		word[0] = 1
	}
	for _, x := range [][]int32{j.rows, j.cols, word} {
		if err := comm.Broadcast(c, 0, x); err != nil {
			return err
		}
	}
	j.cover = word[0] == 1
	return nil
}

// rank is what every rank does.
func (j *distJob[T]) rank(c *comm.Comm) error {
	started, err := comm.Start(c, comm.Needs{Mixed: j.o.mixed, Facts: []comm.Fact{
		comm.NewFact("--features", j.o.features), comm.NewFact("--type", j.o.element), comm.NewFact("--runs", j.o.runs)}})
	if err != nil {
		return err
	}
	threads := j.o.threads
	if threads == 0 {
		if threads = 1; j.o.processes {
			threads = started.Threads
		}
	}
	p, cover, err := j.part(c)
	if err != nil {
		return err
	}
	s, err := spmm.New(c, p, spmm.Options{Cover: cover, Chunks: j.o.chunks})
	if err != nil {
		return err
	}
	defer s.Close()
	times, mine, err := j.multiply(c, s, p, threads)
	if err != nil {
		return err
	}
	all := make([]distRank, c.Size())
	if err := gathered(c, mine, all); err != nil || c.Rank() > 0 {
		return err
	}
	rows, cols := s.Dims()
	r := distRunReport{File: filepath.Base(j.file), Rows: rows, Cols: cols, Ranks: c.Size(), Processes: j.o.processes, Hosts: started.Hosts, Threads: threads,
		ISA: started.ISA, Features: j.o.features, Type: dtype.Of[T]().String(), Method: j.method, Cover: cover,
		Seconds: times[(len(times)-1)/2], Least: times[0], PerRank: all}
	if j.o.parts != "" {
		r.File, r.Method = filepath.Base(j.o.parts), "parts"
	}
	for _, x := range all {
		r.Entries += x.Entries
		r.Bytes += x.Bytes
		r.Messages += x.Messages
	}
	j.con.Bar.Stop()
	return r.printAs(j.con.Out, j.o.form)
}

// multiply checks one product and times more. It returns what the slowest rank took,
// the shortest first, and what the rank has and sent.
func (j *distJob[T]) multiply(c *comm.Comm, s *spmm.Matrix[T], p parts.Part[T], threads int) (times []float64, mine distRank, err error) {
	m, err := s.Product(j.o.features)
	if err != nil {
		return nil, mine, err
	}
	b, y := m.B(), layout.New[T](len(s.Rows()), j.o.features)
	for i, id := range s.Cols() {
		for f := range j.o.features {
			b.Set(i, f, denseAt[T](id, f))
		}
	}
	opt := cpu.Options{Threads: threads}
	before := c.Total("")
	if err := m.Multiply(opt, y, b); err != nil {
		return nil, mine, err
	}
	sent, received, messages, _ := s.Halo()
	mine = distRank{Rank: c.Rank(), Rows: int64(len(s.Rows())), Entries: int64(s.NNZ()), Sent: int64(sent), Received: int64(received), Messages: int64(messages),
		Bytes: c.Total("").BytesSent - before.BytesSent, Overlapped: s.Overlapped(), Error: distError(p, y, j.o.features)}
	if mine.Error > 1 {
		err = fmt.Errorf("the rows of rank %d are wrong: the error is %.3g times its bound", c.Rank(), mine.Error)
	}
	if err := comm.Agree(c, err); err != nil {
		return nil, mine, err
	}
	times = make([]float64, j.o.runs)
	for i := range times {
		if err := errors.Join(c.Barrier(), j.con.Ctx.Err()); err != nil {
			return nil, mine, err
		}
		start := time.Now()
		if err := m.Multiply(opt, y, b); err != nil {
			return nil, mine, err
		}
		times[i] = time.Since(start).Seconds()
	}
	err = comm.AllReduce(c, times, comm.Max[float64]())
	slices.Sort(times)
	return times, mine, err
}

// gathered brings what every rank has to all, on rank 0.
func gathered(c *comm.Comm, mine distRank, all []distRank) error {
	whole := []int64{mine.Rows, mine.Entries, mine.Sent, mine.Received, mine.Messages, mine.Bytes}
	parts := []float64{mine.Overlapped, mine.Error}
	p := c.Size()
	wholes, others := make([]int64, len(whole)*p), make([]float64, len(parts)*p)
	err := comm.Gather(c, 0, wholes, slices.Repeat([]int{len(whole)}, p), whole)
	if err == nil {
		err = comm.Gather(c, 0, others, slices.Repeat([]int{len(parts)}, p), parts)
	}
	if err != nil || c.Rank() > 0 {
		return err
	}
	for q := range all {
		w, x := wholes[q*len(whole):], others[q*len(parts):]
		all[q] = distRank{q, w[0], w[1], w[2], w[3], w[4], w[5], x[0], x[1]}
	}
	return nil
}
