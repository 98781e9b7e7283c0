package comm

import (
	"fmt"
	"strconv"
	"strings"
)

// Processors are what a rank has of a machine, and what the launcher said of it.
type Processors struct {
	// Most is GOMAXPROCS, which Go takes from its variable, the affinity mask of the
	// process and the quota of its control group.
	Most int

	// Ranks is how many ranks are goroutines of this process, this one among them; 0 or 1
	// for one.
	Ranks int

	// Sharing is how many processes of the job have the same processors, this one among
	// them: a launcher that binds ranks gives each its own. With 0 nobody knows, and the
	// launcher's number of ranks on the machine counts.
	Sharing int

	Getenv func(name string) string
}

// perNode are variables with the number of ranks on this machine: those of Open MPI, the
// MPICH family (Hydra, Intel MPI), MVAPICH, Cray PALS, and Slurm.
var perNode = []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}

// Threads returns how many threads a rank should use, and a reason for people to read.
// TILESMITH_THREADS is for a rank. All else is for a process, whose ranks have equal
// parts: the variable GOMAXPROCS, SLURM_CPUS_PER_TASK, or else GOMAXPROCS divided by the
// processes that share these processors. It is at least one, and not more than Most but
// by TILESMITH_THREADS. A variable that is not a number is ignored.
func (p Processors) Threads() (n int, why string) {
	if n := p.number("TILESMITH_THREADS"); n > 0 {
		return n, fmt.Sprintf("TILESMITH_THREADS is %d", n)
	}
	n, why = p.process()
	if p.Ranks > 1 {
		n /= p.Ranks
		why += fmt.Sprintf(", for %d ranks", p.Ranks)
	}
	return max(1, n), why
}

// process is Threads for all ranks of a process.
func (p Processors) process() (n int, why string) {
	for _, name := range []string{"GOMAXPROCS", "SLURM_CPUS_PER_TASK"} {
		if n := p.number(name); n > 0 {
			return min(n, p.Most), fmt.Sprintf("%s is %d", name, n)
		}
	}
	if p.Sharing > 0 {
		return p.Most / p.Sharing, fmt.Sprintf("GOMAXPROCS is %d, and %d processes have these processors", p.Most, p.Sharing)
	}
	if n, name := p.local(); n > 0 {
		return p.Most / n, fmt.Sprintf("GOMAXPROCS is %d, and by %s ranks on this machine are %d", p.Most, name, n)
	}
	return p.Most, fmt.Sprintf("GOMAXPROCS is %d", p.Most)
}

// number is a variable that is a positive number, or 0.
func (p Processors) number(name string) int {
	if p.Getenv == nil {
		return 0
	}
	n, err := strconv.Atoi(p.Getenv(name))
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// local is the launcher's number of ranks on this machine, and the variable that has it;
// 0 if it says none.
func (p Processors) local() (n int, name string) {
	if p.Getenv == nil {
		return 0, ""
	}
	for _, name := range perNode {
		if n := p.number(name); n > 0 {
			return n, name
		}
	}
	// Slurm has the numbers of all machines, "4(x2),3", and that of this one.
	const list = "SLURM_STEP_TASKS_PER_NODE"
	node, err := strconv.Atoi(p.Getenv("SLURM_NODEID"))
	if err != nil {
		return 0, ""
	}
	for part := range strings.SplitSeq(p.Getenv(list), ",") {
		tasks, times, repeated := strings.Cut(strings.TrimSuffix(part, ")"), "(x")
		n, err := strconv.Atoi(tasks)
		k := 1
		if repeated && err == nil {
			k, err = strconv.Atoi(times)
		}
		if err != nil || n < 1 || k < 1 {
			return 0, ""
		}
		if node -= k; node < 0 {
			return n, list
		}
	}
	return 0, ""
}
