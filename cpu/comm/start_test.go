package comm

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThreads(t *testing.T) {
	for _, c := range []struct {
		what           string
		most, ranks, k int
		env            string // NAME=VALUE ...
		want           int
		why            string
	}{
		{"a process alone", 8, 1, 1, "", 8, "GOMAXPROCS is 8, and 1 processes"},
		{"nothing known", 8, 0, 0, "", 8, "GOMAXPROCS is 8"},
		{"goroutine ranks", 8, 3, 1, "", 2, "for 3 ranks"},
		{"more goroutine ranks than processors", 2, 9, 1, "", 1, "for 9 ranks"},
		{"ours", 8, 4, 4, "TILESMITH_THREADS=5 SLURM_CPUS_PER_TASK=2", 5, "TILESMITH_THREADS is 5"},
		{"ours is no number", 8, 1, 1, "TILESMITH_THREADS=many", 8, ""},
		{"Go's", 3, 1, 4, "GOMAXPROCS=3", 3, "GOMAXPROCS is 3"},
		{"Go's, for goroutine ranks", 4, 2, 1, "GOMAXPROCS=4", 2, "GOMAXPROCS is 4, for 2"},
		{"Slurm, bound", 6, 1, 1, "SLURM_CPUS_PER_TASK=6 SLURM_NTASKS_PER_NODE=4", 6, "SLURM_CPUS_PER_TASK"},
		{"Slurm, not bound", 64, 1, 8, "SLURM_CPUS_PER_TASK=6", 6, ""},
		{"Slurm says more than there are", 4, 1, 1, "SLURM_CPUS_PER_TASK=6", 4, ""},
		{"Slurm without processors of a task", 16, 1, 0, "SLURM_NTASKS_PER_NODE=4", 4, "SLURM_NTASKS_PER_NODE"},
		{"Slurm's lists", 16, 1, 0, "SLURM_STEP_TASKS_PER_NODE=4(x2),8,1(x3) SLURM_NODEID=2", 2, "SLURM_STEP_TASKS_PER_NODE"},
		{"their first", 16, 1, 0, "SLURM_STEP_TASKS_PER_NODE=4(x2),8 SLURM_NODEID=1", 4, ""},
		{"their last", 16, 1, 0, "SLURM_STEP_TASKS_PER_NODE=4(x2),8 SLURM_NODEID=9", 16, ""},
		{"lists that are none", 16, 1, 0, "SLURM_STEP_TASKS_PER_NODE=4(xx SLURM_NODEID=0", 16, ""},
		{"a list without a place in it", 16, 1, 0, "SLURM_STEP_TASKS_PER_NODE=4", 16, ""},
		{"Open MPI, not bound", 8, 1, 4, "OMPI_COMM_WORLD_LOCAL_SIZE=4", 2, "4 processes"},
		{"Open MPI, bound", 2, 1, 1, "OMPI_COMM_WORLD_LOCAL_SIZE=4", 2, "1 processes"},
		{"Open MPI, nobody knows", 8, 1, 0, "OMPI_COMM_WORLD_LOCAL_SIZE=4", 2, "OMPI_COMM_WORLD_LOCAL_SIZE"},
		{"Open MPI, one rank to a core and more", 2, 1, 8, "OMPI_COMM_WORLD_LOCAL_SIZE=8", 1, ""},
		{"MPICH, nobody knows", 9, 1, 0, "MPI_LOCALNRANKS=2", 4, "MPI_LOCALNRANKS"},
		{"a number that is none", 9, 1, 0, "MPI_LOCALNRANKS=-2", 9, ""},
	} {
		env := map[string]string{}
		for s := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(s, "=")
			env[name] = value
		}
		p := Processors{Most: c.most, Ranks: c.ranks, Sharing: c.k, Getenv: func(s string) string { return env[s] }}
		if n, why := p.Threads(); n != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %d threads since %s, want %d since %s", c.what, n, why, c.want, c.why)
		}
	}
	if n, _ := (Processors{Most: 3}).Threads(); n != 3 {
		t.Errorf("without an environment %d threads, want 3", n)
	}
}

func TestStart(t *testing.T) {
	alike := func(r int) identity {
		return identity{program: "p v1", machine: "zen", isas: []string{"avx512", "avx2", "go"}, host: fmt.Sprint("node", r/2), process: fmt.Sprint(r), cpu: "0 1", most: 2}
	}
	odd := errors.New("TILESMITH_MACHINE: odd.txt:1: no header")
	late := errors.New("it comes too late")
	for _, c := range []struct {
		what  string
		mixed bool
		as    func(r int) (identity, error)
		want  string // the error, or the job of rank 3 of 4
	}{
		{"all alike", false, func(r int) (identity, error) { return alike(r), nil }, "{avx512 1 GOMAXPROCS is 2, and 2 processes have these processors 2}"},
		{"all alike, may be mixed", true, func(r int) (identity, error) { return alike(r), nil }, "{avx512 1 GOMAXPROCS is 2, and 2 processes have these processors 2}"},
		{"bound", false, func(r int) (identity, error) {
			me := alike(r)
			me.cpu = fmt.Sprint(r % 2)
			return me, nil
		}, "{avx512 2 GOMAXPROCS is 2, and 1 processes have these processors 2}"},
		{"goroutines", false, func(r int) (identity, error) {
			me := alike(0)
			me.most = 9
			return me, nil
		}, "{avx512 2 GOMAXPROCS is 9, and 1 processes have these processors, for 4 ranks 1}"},
		{"another program", false, func(r int) (identity, error) {
			me := alike(r)
			if r == 2 {
				me.program = "p v2"
			}
			return me, nil
		}, "the ranks disagree about the program: ranks 0-1, 3 p v1, but rank 2 p v2"},
		{"another program, may be mixed", true, func(r int) (identity, error) {
			me := alike(r)
			if r == 2 {
				me.program = "p v2"
			}
			return me, nil
		}, "the ranks disagree about the program: ranks 0-1, 3 p v1, but rank 2 p v2"},
		{"another machine", false, func(r int) (identity, error) {
			me := alike(r)
			if r == 0 {
				me.isas, me.machine = []string{"avx2", "go"}, "haswell"
			}
			return me, nil
		}, "the ranks disagree about the instruction set: ranks 1-3 avx512, but rank 0 avx2; the ranks disagree about the machine: ranks 1-3 zen, but rank 0 haswell"},
		{"another machine, may be mixed", true, func(r int) (identity, error) {
			me := alike(r)
			if r == 1 {
				me.isas, me.machine = []string{"avx2", "go"}, "haswell"
			}
			return me, nil
		}, "{avx2 1 GOMAXPROCS is 2, and 2 processes have these processors 2}"},
		{"nothing common", true, func(r int) (identity, error) {
			me := alike(r)
			me.isas = me.isas[r/3 : r/3+1]
			return me, nil
		}, "ranks 0-2: no instruction set is common to all ranks; this one may use avx512; rank 3: no instruction set is common to all ranks; this one may use avx2"},
		{"a kernel before", true, func(r int) (identity, error) {
			me := alike(r)
			if r == 3 {
				me.setISA = func(string) error { return late }
			}
			return me, nil
		}, "rank 3: it comes too late"},
		{"only one may be mixed", false, nil, "the ranks disagree about a mixed cluster: ranks 1-3 false, but rank 0 true; the ranks disagree about the instruction set: ranks 1-3 avx512, but rank 0 nothing; the ranks disagree about the machine: ranks 1-3 zen, but rank 0 nothing"},
		{"a machine file that is none", false, func(r int) (identity, error) {
			if r == 3 {
				return alike(r), odd
			}
			return alike(r), nil
		}, "rank 3: TILESMITH_MACHINE: odd.txt:1: no header"},
	} {
		err := Run(4, func(x *Comm) error {
			as, mixed := c.as, c.mixed
			if as == nil {
				as = func(r int) (identity, error) { return alike(r), nil }
				mixed = x.Rank() == 0
			}
			me, err := as(x.Rank())
			set := ""
			if me.setISA == nil {
				me.setISA = func(isa string) error { set = isa; return nil }
			}
			job, err := start(x, Needs{Mixed: mixed, Facts: []Fact{{"rows", "4"}}}, me, err)
			have := fmt.Sprint(job)
			if err != nil {
				have = err.Error()
			} else if x.Rank() < 3 {
				return nil
			}
			if diff := cmp.Diff(c.want, have); diff != "" {
				return errors.New(diff)
			}
			if err == nil && mixed != (set == job.ISA) {
				return fmt.Errorf("the instruction set is set to %q", set)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestStartHere starts ranks that are what they are.
func TestStartHere(t *testing.T) {
	err := Run(3, func(c *Comm) error {
		job, err := Start(c, Needs{Facts: []Fact{NewFact("columns", 7)}})
		if err != nil {
			return err
		}
		if job.ISA == "" || job.Threads < 1 || job.Hosts != 1 {
			return fmt.Errorf("%+v", job)
		}
		_, err = Start(c, Needs{Facts: []Fact{NewFact("columns", c.Rank())}})
		if err == nil || !strings.Contains(err.Error(), "the ranks disagree about columns: rank 0 0, but rank 1 1, but rank 2 2") {
			return fmt.Errorf("error %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestProgram(t *testing.T) {
	build := func(change func(*debug.BuildInfo)) *debug.BuildInfo {
		b := &debug.BuildInfo{GoVersion: "go1.26", Path: "a/b", Main: debug.Module{Path: "a", Version: "(devel)"},
			Deps:     []*debug.Module{{Path: "x", Version: "v1", Sum: "h1:1"}},
			Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "amd64"}, {Key: "-tags", Value: "noasm"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}}
		change(b)
		return b
	}
	first := build(func(*debug.BuildInfo) {})
	if !strings.HasPrefix(describeBuild(first), "a/b (devel) (go1.26, build ") || !clean(first) {
		t.Errorf("%s, clean %v", describeBuild(first), clean(first))
	}
	for what, c := range map[string]struct {
		change      func(*debug.BuildInfo)
		same, clean bool
	}{
		"go":           {func(b *debug.BuildInfo) { b.GoVersion = "go1.27" }, false, true},
		"a dependency": {func(b *debug.BuildInfo) { b.Deps[0].Sum = "h1:2" }, false, true},
		"a replaced dependency": {func(b *debug.BuildInfo) {
			b.Deps[0].Replace = &debug.Module{Path: "y"}
		}, false, true},
		"tags":            {func(b *debug.BuildInfo) { b.Settings[1].Value = "" }, false, true},
		"a revision":      {func(b *debug.BuildInfo) { b.Settings[2].Value = "abd" }, false, true},
		"changed files":   {func(b *debug.BuildInfo) { b.Settings[3].Value = "true" }, false, false},
		"no revision":     {func(b *debug.BuildInfo) { b.Settings[2].Value = "" }, false, false},
		"of a module":     {func(b *debug.BuildInfo) { b.Settings, b.Main.Sum = b.Settings[:2], "h1:3" }, false, true},
		"an architecture": {func(b *debug.BuildInfo) { b.Settings[0].Value = "arm64" }, true, true},
	} {
		b := build(c.change)
		if same := describeBuild(b) == describeBuild(first); same != c.same || clean(b) != c.clean {
			t.Errorf("%s: the same %v, clean %v; want %v, %v", what, same, clean(b), c.same, c.clean)
		}
	}
	if !strings.HasPrefix(executable(), "executable ") {
		t.Errorf("%s", executable())
	}
}
