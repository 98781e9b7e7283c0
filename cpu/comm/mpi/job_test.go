package mpi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/internal/level"
)

// Each test under mpirun starts this test binary again, with the name of what its ranks
// are to do in this variable.
const taskVariable = "TILESMITH_MPI_TASK"

// tasks are what ranks do. An error ends the process with status 1.
var tasks = map[string]func() error{}

func TestMain(m *testing.M) {
	name := os.Getenv(taskVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := tasks[name](); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// mpi5 names the folder of an MPI with the interface of MPI 5, bin and lib in it, as
// pip makes one in a virtual environment: pip install mpich.
const mpi5 = "TILESMITH_MPI5"

// An installation is an MPI of this machine.
type installation struct {
	name, mpirun string
	env          []string
}

// installations returns those that are there, and a sentence for each that is not.
func installations() (have []installation, missing []string) {
	if noLoader != "" {
		return nil, []string{noLoader}
	}
	for _, k := range []struct {
		name, says string
		commands   []string
		env        []string
	}{
		{yields, "(Open MPI)", []string{"mpirun.openmpi", "mpirun"}, []string{
			"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
			"OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
			"OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl_vader_single_copy_mechanism=none",
		}},
		{"MPICH", "HYDRA", []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}, nil},
		{"MPI-5 ABI", "HYDRA", []string{filepath.Join(os.Getenv(mpi5), "bin", "mpiexec")}, []string{
			variable + "=" + filepath.Join(os.Getenv(mpi5), "lib", "libmpi_abi.so.1"),
		}},
	} {
		i := installation{name: k.name, env: k.env}
		for _, c := range k.commands {
			out, err := exec.Command(c, "--version").Output()
			if err == nil && strings.Contains(string(out), k.says) {
				i.mpirun = c
				break
			}
		}
		switch {
		case i.mpirun != "":
			have = append(have, i)
		case k.name == "MPI-5 ABI":
			missing = append(missing, mpi5+" names no folder of an MPI with libmpi_abi.so.1 (pip install mpich in a virtual environment): its binary interface was not tested")
		default:
			missing = append(missing, "no mpirun of "+k.name+" was found: it was not tested")
		}
	}
	return have, missing
}

// each runs a test for every MPI that is there, a short run for one.
func each(t *testing.T, f func(t *testing.T, i installation)) {
	have, missing := installations()
	for _, i := range have[:level.Of(min(1, len(have)), len(have), len(have))] {
		t.Run(i.name, func(t *testing.T) { f(t, i) })
	}
	for _, m := range missing {
		t.Run("missing", func(t *testing.T) { t.Skip(m) })
	}
}

// long is for what takes minutes: starting a job takes half a second.
func long() bool { return level.Long() }

// yields is the name of the one whose waiting processes let others run.
const yields = "Open MPI"

// sizes are the numbers of ranks to test with. Processes beyond the cores wait for their
// turn to wait, which with MPICH takes many minutes for eight on two.
func (i installation) sizes() []int {
	switch {
	case !long():
		return []int{2}
	case i.name == yields || runtime.NumCPU() >= 4:
		return []int{1, 2, 4, 8}
	}
	return []int{1, 2, 4}
}

// startup is what starting a job may take on a busy machine before anything ends.
const startup = 5 * time.Second

// A result is what became of a job.
type result struct {
	out, errs string
	failed    bool
	took      time.Duration
}

// run runs a task on p ranks.
func (i installation) run(t testing.TB, p int, task string, env ...string) result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return i.start(t, p, append([]string{taskVariable + "=" + task}, env...), self)
}

// start runs a program on p ranks.
func (i installation) start(t testing.TB, p int, env []string, program ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, i.mpirun, append([]string{"-n", fmt.Sprint(p)}, program...)...)
	return start(t, ctx, c, append(slices.Clone(i.env), env...))
}

// alone runs a task in a process without a launcher.
func alone(t testing.TB, task string, env ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, ctx, exec.CommandContext(ctx, self), append(env, taskVariable+"="+task))
}

func start(t testing.TB, ctx context.Context, c *exec.Cmd, env []string) result {
	t.Helper()
	var out, errs bytes.Buffer
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = append(os.Environ(), env...), &out, &errs, 5*time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	began := time.Now()
	err := c.Run()
	r := result{out: out.String(), errs: errs.String(), failed: err != nil, took: time.Since(began)}
	if ctx.Err() != nil {
		t.Fatalf("%v did not end: %v\n%s%s", c.Args, ctx.Err(), r.out, r.errs)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r
}

// ok wants a job that ended well.
func (r result) ok(t testing.TB) result {
	t.Helper()
	if r.failed {
		t.Errorf("the job failed:\n%s%s", r.out, r.errs)
	}
	return r
}
