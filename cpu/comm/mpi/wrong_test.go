package mpi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	tasks["start"] = func() error {
		c, err := options().Init()
		if err != nil {
			return fmt.Errorf("%w (%v, %v)", err, errors.Is(err, ErrNoMPI), errors.Is(err, ErrMismatch))
		}
		fmt.Fprintf(Stdout(c), "rank %d of %d\n", c.Rank(), c.Size())
		if _, err := Init(); err == nil || !strings.Contains(err.Error(), "was started before") {
			return fmt.Errorf("started twice: %v", err)
		}
		return c.Close()
	}
	tasks["left"] = func() error {
		t, err := options().start(os.Getenv)
		if err != nil {
			return err
		}
		if _, err := t.Irecv(0, 5, make([]byte, 8)); err != nil {
			return err
		}
		return t.Close()
	}
}

// TestNoLibrary gives files that are none.
func TestNoLibrary(t *testing.T) {
	if noLoader != "" {
		if _, err := Init(); !errors.Is(err, ErrNoMPI) || !strings.Contains(err.Error(), "goroutine ranks") {
			t.Errorf("Init: %v", err)
		}
		return
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "libnone.so") // 5000 zeros
	if err := os.WriteFile(text, make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"/nowhere/libmpi.so": "no MPI library: install Open MPI or MPICH, or name its file in TILESMITH_MPI_LIB. Tried:\n\t/nowhere/libmpi.so: ",
		dir:                  "no MPI library: install",
		text:                 "invalid ELF header",
		"libm.so.6":          "libm.so.6 has none of its functions",
	} {
		r := alone(t, "start", variable+"="+file)
		if !r.failed || !strings.Contains(r.errs, want) || !strings.Contains(r.errs, "(true, false)") {
			t.Errorf("%s: printed, and not %q:\n%s", file, want, r.errs)
		}
	}
}

// TestSingleton: without a launcher there is one rank.
func TestSingleton(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		var env []string
		switch i.name {
		case "MPI-5 ABI":
			env = i.env
		case "MPICH":
			env = []string{variable + "=" + firstOf(t, sonames["MPICH"])}
		}
		if r := alone(t, "start", env...).ok(t); r.out != "rank 0 of 1\n" {
			t.Errorf("printed %q", r.out)
		}
		if r := alone(t, "left", env...); !r.failed || !strings.Contains(r.errs, "rank 0 of 1 closes a group with 1 messages that were begun and not waited for; the last is a receive of 8 bytes from rank 0 with tag 5") {
			t.Errorf("closed with a message left: %s", r.errs)
		}
	})
}

func firstOf(t *testing.T, files []string) string {
	t.Helper()
	for _, f := range files {
		if _, err := dlopen(f); err == nil {
			return f
		}
	}
	t.Skipf("the linker finds none of %v", files)
	return ""
}

// TestMismatch starts jobs with the launcher of one MPI and the library of another.
func TestMismatch(t *testing.T) {
	have, _ := installations()
	if len(have) < 2 {
		t.Skip("there are no two MPIs here whose launcher and library could be mixed")
	}
	files := map[string]string{"MPI-5 ABI": filepath.Join(os.Getenv(mpi5), "lib", "libmpi_abi.so.1")}
	for _, family := range []string{"Open MPI", "MPICH"} {
		for _, f := range sonames[family] {
			if _, err := dlopen(f); err == nil && files[family] == "" {
				files[family] = f
			}
		}
	}
	for _, launcher := range have {
		for _, library := range have {
			if launcher.name == library.name || files[library.name] == "" || launcher.name != "Open MPI" && library.name != "Open MPI" {
				continue // Hydra starts both of the last two
			}
			t.Run(launcher.name+" starts "+library.name, func(t *testing.T) {
				r := launcher.run(t, 2, "start", variable+"="+files[library.name])
				for _, want := range []string{"started this process as rank", "of 2 (", "but the library is " + files[library.name], "(false, true)"} {
					if !r.failed || !strings.Contains(r.errs, want) {
						t.Errorf("printed, and not %q:\n%s%s", want, r.out, r.errs)
					}
				}
			})
		}
	}
}

// TestLaunch reads environments.
func TestLaunch(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string // launcher, rank, size, first file to try
	}{
		{nil, " 0 0 libmpi.so.40"},
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "PMIX_RANK": "3"}, "Open MPI's mpirun 3 4 libmpi.so.40"},
		{map[string]string{"PMI_SIZE": "8", "PMI_RANK": "1"}, "a launcher of MPICH's family (mpiexec.hydra, srun --mpi=pmi2) 1 8 libmpich.so.12"},
		{map[string]string{"PMIX_RANK": "5", "SLURM_STEP_NUM_TASKS": "6"}, "a PMIx launcher (srun --mpi=pmix, prterun) 5 6 libmpi.so.40"},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "6", "SLURM_PROCID": "2"}, "srun 2 6 libmpi.so.40"},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, " 0 0 libmpi.so.40"},
		{map[string]string{"SLURM_NTASKS": "6", "SLURM_PROCID": "0"}, " 0 0 libmpi.so.40"}, // the script itself
	} {
		l := findLaunch(func(name string) string { return c.env[name] })
		got := fmt.Sprint(l.name, " ", l.rank, " ", l.size, " ", candidates("", l.families)[0])
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: -want +got\n%s", c.env, diff)
		}
	}
}

// TestCheck: a world that is not the launcher's is refused, with both names.
func TestCheck(t *testing.T) {
	l := &library{file: "libmpich.so.12", version: "MPICH Version: 4.0.2", abi: mpich()}
	for _, c := range []struct {
		k          launch
		rank, size int
		ok         bool
	}{
		{launch{}, 0, 1, true},
		{launch{name: "x", rank: 1, size: 4}, 1, 4, true},
		{launch{name: "x", rank: 1, size: 4}, 0, 1, false},
		{launch{name: "x", rank: 0, size: 4}, 0, 2, false},
		{launch{name: "x", rank: 2}, 0, 1, false},
		{launch{name: "x", rank: 2}, 2, 3, true},
		{launch{name: "x", rank: 0}, 0, 1, true},
	} {
		if err := c.k.check(l, c.rank, c.size); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrMismatch) {
			t.Errorf("%+v with rank %d of %d: %v", c.k, c.rank, c.size, err)
		}
	}
	err := launch{name: launchers[0].name, rank: 1, size: 4, sizeName: "OMPI_COMM_WORLD_SIZE"}.refuse(l)
	if want := "mpi: launcher and library are of different MPIs: Open MPI's mpirun started this process as rank 1 of 4 (OMPI_COMM_WORLD_SIZE), but the library is libmpich.so.12 (MPICH Version: 4.0.2), and a library of MPICH's family cannot join it: start the program with that library's own mpirun, or name the launcher's library in TILESMITH_MPI_LIB"; err == nil || err.Error() != want {
		t.Errorf("refused with %v", err)
	}
}
