package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/internal/outfile"
)

// Session is what `tilesmith gpu` does: golden vectors, checks, timings, in this order.
// Results are written at once, so that a stopped session can continue.
type Session struct {
	Dir        string // for results; five files
	Resume     bool
	ChecksOnly bool
	Budget     time.Duration // of the whole; timings that do not fit are left out
	Stock      []Stock
	Device     cuda.Device
	// NewRival, if not nil, makes the library to compare with on a stream. Its error says
	// why there is none, and does not stop the session.
	NewRival func(s cuda.Stream) (*Rival, error)
	Log      io.Writer // what was done
	Table    io.Writer // the table and what it is of

	// Context ends the session: what was done is kept, for Resume. Nil: it does not end.
	Context context.Context
	// Progress is told what goes on, and how much of all is done; may be nil.
	Progress func(done, total int, what string)

	jobs func([]Stock) []job // nil: jobs
}

// ErrMismatch is what a session returns if a check failed.
var ErrMismatch = errors.New("a kernel is wrong")

// Run does the rest of the session. The error wraps [ErrMismatch] if a kernel failed a
// check; then nothing was timed.
func (x *Session) Run() error {
	began := time.Now()
	if x.Context == nil {
		x.Context = context.Background()
	}
	if x.Progress == nil {
		x.Progress = func(int, int, string) {}
	}
	info := x.Device.Info()
	s, err := x.Device.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	rival, why := x.rival(s, info)
	name := ""
	if rival != nil {
		name = rival.Name
	}
	st, err := openState(x.Dir, x.Resume, info, name)
	if err != nil {
		return err
	}
	defer st.file.Close()

	// One that is newer than the checks would speak of other kernels.
	os.Remove(filepath.Join(x.Dir, tableFile))
	checkErr := x.fragments(st, s)
	if x.Context.Err() == nil && (checkErr == nil || errors.Is(checkErr, ErrMismatch)) {
		checkErr = errors.Join(checkErr, x.checks(st, info))
	}
	if err := x.writeChecks(st); err != nil {
		return err
	}
	if x.Context.Err() != nil {
		return x.stopped(st, checkErr)
	}
	if checkErr != nil {
		return checkErr
	}
	if err := x.outputs(s); err != nil {
		return err
	}
	var table bytes.Buffer
	fmt.Fprintf(&table, "%s, compute capability %d.%d, %d SMs", info.Name, info.Major, info.Minor, info.SMs)
	if info.DriverVersion > 0 {
		fmt.Fprintf(&table, ", driver %d.%d", info.DriverVersion/1000, info.DriverVersion%1000/10)
	}
	fmt.Fprintf(&table, "\nchecks: %d passed\n", len(st.checks))
	switch {
	case info.Kind == "emu":
		fmt.Fprintln(&table, "not measured on hardware: this is the emulator, which has no clock")
	case x.ChecksOnly:
		fmt.Fprintln(&table, "not measured: only checks were asked for")
	default:
		if why != nil {
			fmt.Fprintf(&table, "nothing to compare with: %s\n", firstLine(why.Error()))
		} else {
			fmt.Fprintf(&table, "compared with %s\n", rival.Name)
		}
		if err := x.timings(&table, st, s, rival, began); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(x.Dir, tableFile), table.Bytes()); err != nil {
		return err
	}
	if _, err = x.Table.Write(table.Bytes()); err == nil && x.Context.Err() != nil {
		err = x.stopped(st, nil)
	}
	return err
}

// stopped says what is there of a session that its context has ended.
func (x *Session) stopped(st *state, err error) error {
	wrong := 0
	for _, e := range st.checks {
		if e != "" {
			wrong++
		}
	}
	text := fmt.Sprintf("%d checks are made, %d of them failed, and %d rows are timed; they are in %s, and --resume goes on", len(st.checks), wrong, len(st.rows), x.Dir)
	if err != nil && wrong > 0 {
		return fmt.Errorf("%w: %s: %w", context.Cause(x.Context), text, err)
	}
	return fmt.Errorf("%w: %s", context.Cause(x.Context), text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, " Tried:")
}

func (x *Session) rival(s cuda.Stream, info cuda.Info) (*Rival, error) {
	if x.NewRival == nil || x.ChecksOnly || info.Kind == "emu" {
		return nil, errors.New("none was asked for")
	}
	return x.NewRival(s)
}

// checks runs those that were not passed yet. On a GPU the functions are checked at
// the same time, each on a stream of its own, because the driver's compiler takes most
// of the time.
func (x *Session) checks(st *state, info cuda.Info) error {
	emulated := info.Kind == "emu"
	workers := len(x.Stock)
	if emulated {
		workers = 1
	}
	var mu sync.Mutex
	var failed []string
	var fatal error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if fatal == nil {
			fatal = err
		}
	}
	stopped := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return fatal != nil || x.Context.Err() != nil
	}
	done, total := 0, 0
	tell := func(n int, what string) {
		mu.Lock()
		done += n
		d, all := done, total
		mu.Unlock()
		x.Progress(d, all, what)
	}
	var wg sync.WaitGroup
	turn := make(chan struct{}, max(workers, 1))
	for _, k := range x.Stock {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			s, err := x.Device.NewStream()
			if err != nil {
				fail(err)
				return
			}
			defer s.Close()
			steps := k.Checks(info, !emulated)
			mu.Lock()
			total += len(steps)
			mu.Unlock()
			began, n := time.Now(), 0
			for _, step := range steps {
				if st.passed(step.Name) || stopped() {
					continue
				}
				n++
				tell(0, "checking "+step.Name)
				e := entry{Check: step.Name}
				err := step.Run(s)
				if err != nil {
					e.Error = err.Error()
					mu.Lock()
					failed = append(failed, fmt.Sprintf("%s: %v", step.Name, err))
					mu.Unlock()
				}
				tell(1, "checking "+step.Name)
				if err := st.add(e); err != nil {
					fail(err)
				}
				if errors.Is(err, cuda.ErrLaunch) && !emulated {
					fail(fmt.Errorf("%s: %w; the device is of no use after that: start again with --resume", step.Name, err))
				}
			}
			fmt.Fprintf(x.Log, "%s: %d checks, %d of them now, in %.1f s\n", k.Name, len(steps), n, time.Since(began).Seconds())
		})
	}
	wg.Wait()
	slices.Sort(failed)
	for _, f := range failed[:min(len(failed), 10)] {
		fmt.Fprintln(x.Log, "wrong:", f)
	}
	if failed != nil {
		return fmt.Errorf("%d checks failed, as %s has it: %w", len(failed), filepath.Join(x.Dir, checksFile), errors.Join(ErrMismatch, fatal))
	}
	return fatal
}

// writeChecks writes every check that was made, in order of names.
func (x *Session) writeChecks(st *state) error {
	var names []string
	for n := range st.checks {
		names = append(names, n)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		word, err := "ok   ", st.checks[n]
		if err != "" {
			word, err = "WRONG", ": "+err
		}
		fmt.Fprintf(&b, "%s %s%s\n", word, n, err)
	}
	return write(filepath.Join(x.Dir, checksFile), []byte(b.String()))
}

// fragments saves the registers of instructions, and holds them against the
// emulator: first of all, since they say why a kernel is wrong.
func (x *Session) fragments(st *state, s cuda.Stream) error {
	const name = "fragments"
	if st.passed(name) && exists(x.Dir, fragmentsFile) {
		return nil
	}
	vs, err := Fragments(s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := save(filepath.Join(x.Dir, fragmentsFile), vs); err != nil {
		return err
	}
	notes, wrong := CompareFragments(vs)
	for _, n := range notes {
		fmt.Fprintln(x.Log, "note:", n)
	}
	e := entry{Check: name}
	if wrong != nil {
		e.Error = wrong.Error()
		wrong = fmt.Errorf("%w: %w", ErrMismatch, wrong)
	}
	return errors.Join(wrong, st.add(e))
}

// outputs saves what products give, once all of them are right.
func (x *Session) outputs(s cuda.Stream) error {
	if exists(x.Dir, outputsFile) {
		return nil
	}
	var outputs []Vector
	for _, k := range x.Stock {
		vs, err := k.Outputs(s)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMismatch, err)
		}
		outputs = append(outputs, vs...)
	}
	return save(filepath.Join(x.Dir, outputsFile), outputs)
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func save(path string, vs []Vector) error {
	var b bytes.Buffer
	if err := WriteVectors(&b, vs); err != nil {
		return err
	}
	return write(path, b.Bytes())
}

func write(path string, text []byte) error {
	return outfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// timings does the rows that are left, as far as the budget goes.
func (x *Session) timings(w io.Writer, st *state, s cuda.Stream, rival *Rival, began time.Time) error {
	var rows []Timing
	left := 0
	list := jobs
	if x.jobs != nil {
		list = x.jobs
	}
	all := list(x.Stock)
	for i, j := range all {
		key := j.row().Key()
		x.Progress(i, len(all), "timing "+key)
		if r, ok := st.row(key); ok {
			rows = append(rows, r)
			continue
		}
		if x.Context.Err() != nil || x.Budget > 0 && time.Since(began) > x.Budget-10*time.Second {
			left++
			continue
		}
		at := time.Now()
		r, err := j.time(s, rival)
		if errors.Is(err, cuda.ErrMemory) {
			fmt.Fprintf(w, "left out: %s: %v\n", key, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := st.add(entry{Row: &r}); err != nil {
			return err
		}
		rows = append(rows, r)
		fmt.Fprintf(x.Log, "%s: %.1f s\n", key, time.Since(at).Seconds())
	}
	if x.Context.Err() != nil {
		fmt.Fprintf(w, "interrupted: %d rows are left out; go on with --resume\n", left)
	} else if left > 0 {
		fmt.Fprintf(w, "%d rows are left out, the time of %v was up; go on with --resume\n", left, x.Budget)
	}
	fmt.Fprintln(w)
	name := ""
	if rival != nil {
		name = rival.Name
	}
	slices.SortStableFunc(rows, func(a, b Timing) int {
		return strings.Compare(a.Kernel, b.Kernel)*4 + strings.Compare(a.Layout, b.Layout)*2 + sign(a.M*a.N*a.K-b.M*b.N*b.K)
	})
	return WriteTable(w, name, rows)
}

func sign(x int) int { return max(-1, min(1, x)) }
