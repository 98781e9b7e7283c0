package mpi

import (
	"fmt"
	"strconv"
)

// A launch is what a launcher has put into the environment of each process.
type launch struct {
	name       string // "" for none
	rank, size int    // as it counts; a size of 0 is not said
	sizeName   string // the variable that says it
	families   []string
	local      int // ranks on this machine, 0 if it is not said
}

// neighbours is how many ranks of all there are on this machine.
func (k launch) neighbours(all int) int {
	if k.local > 0 {
		return k.local
	}
	return all
}

// launchers are those that are known, by the variable that only they set. A library of
// their own family understands what they tell their processes.
var launchers = []struct {
	mark, rank, size, name string
	families               []string
}{
	{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", []string{"Open MPI", "MPI-5 ABI", "MPICH"}},
	{"PMI_SIZE", "PMI_RANK", "PMI_SIZE", "a launcher of MPICH's family (mpiexec.hydra, srun --mpi=pmi2)", []string{"MPICH", "MPI-5 ABI", "Open MPI"}},
	{"PMIX_RANK", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "a PMIx launcher (srun --mpi=pmix, prterun)", []string{"Open MPI", "MPI-5 ABI", "MPICH"}},
	{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun", []string{"Open MPI", "MPI-5 ABI", "MPICH"}},
}

// findLaunch reads the environment.
func findLaunch(env func(string) string) launch {
	for _, k := range launchers {
		if env(k.mark) == "" {
			continue
		}
		l := launch{name: k.name, families: k.families, sizeName: k.size}
		l.rank, _ = strconv.Atoi(env(k.rank))
		l.size, _ = strconv.Atoi(env(k.size))
		l.local, _ = strconv.Atoi(env("MPI_LOCALNRANKS")) // Hydra's
		if k.name == "srun" && l.size < 2 {
			continue // a shell of salloc is a step of one task
		}
		return l
	}
	return launch{families: []string{"Open MPI", "MPICH", "MPI-5 ABI"}}
}

// refuse says before MPI starts what would end this process in words of the library's.
func (k launch) refuse(l *library) error {
	if k.name == launchers[0].name && k.size > 1 && madeBy(l) == "MPICH" {
		return k.mismatch(l, "a library of MPICH's family cannot join it")
	}
	return nil
}

// madeBy is the family whose launcher a library understands.
func madeBy(l *library) string {
	if l.abi.family == "MPI-5 ABI" && isMPICH(l.version) {
		return "MPICH"
	}
	return l.abi.family
}

// check compares the world of the library with that of the launcher. A library that
// does not understand the launcher is a world of one, and so is each of its processes.
func (k launch) check(l *library, rank, size int) error {
	if k.name == "" || k.size == size || k.size == 0 && (size > 1 || k.rank == 0) {
		return nil
	}
	return k.mismatch(l, fmt.Sprintf("to the library this is rank %d of %d", rank, size))
}

func (k launch) mismatch(l *library, how string) error {
	place := fmt.Sprintf("rank %d", k.rank)
	if k.size > 0 {
		place += fmt.Sprintf(" of %d (%s)", k.size, k.sizeName)
	}
	return fmt.Errorf("%w: %s started this process as %s, but the library is %s (%s), and %s: start the program with that library's own mpirun, or name the launcher's library in %s",
		ErrMismatch, k.name, place, l.file, l.version, how, variable)
}
