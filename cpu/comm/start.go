package comm

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Needs are what the ranks of a job must have alike before they begin.
type Needs struct {
	// Mixed lets the machines of the ranks differ. All ranks then use the best instruction
	// set that all of them have, so every rank rounds alike. Without it such a cluster is
	// refused: its slowest machine would hold up all others, and results would depend on
	// where a rank runs.
	Mixed bool

	// Facts are the caller's: the dimensions of a problem, the name of a file.
	Facts []Fact
}

// A Job is what a rank learns when it starts.
type Job struct {
	ISA     string // that kernels use which are asked for none
	Threads int    // that this rank should use: see Processors.Threads
	Why     string // there are so many
	Hosts   int    // how many machines the ranks are on
}

// Start compares what must be the same on all ranks. That is the version of the program,
// the instruction set that kernels use, the processor or the machine file that the
// planner reads, and the caller's facts. All ranks call it, first of all: with Mixed,
// before the first kernel. The error is that of [Agree], the same on all ranks.
//
// Start changes nothing but the instruction set: see [run.SetISA]. The threads are for
// [run.Options], or [run.SetThreads] where a rank is a process.
func Start(c *Comm, n Needs) (Job, error) {
	me, err := self(n.Mixed)
	job, err := start(c, n, me, err)
	return job, c.wrap("Start", err)
}

// An identity is what a rank says of itself.
type identity struct {
	program, machine   string
	isas               []string // that it may use, best first
	host, process, cpu string   // where it runs: names, and the processors allowed; "" if nobody knows them
	most               int      // GOMAXPROCS
	getenv             func(string) string
	setISA             func(string) error
}

// self is this rank. Its machine is not read in a mixed cluster, where it may be anything.
func self(mixed bool) (me identity, err error) {
	me = identity{
		program: program(), process: strconv.Itoa(os.Getpid()), cpu: allowed(),
		most: runtime.GOMAXPROCS(0), getenv: os.Getenv, setISA: run.SetISA,
	}
	if me.host, err = os.Hostname(); err != nil {
		me.host = "localhost"
	}
	isa, _, err := run.AskedISA()
	if me.isas = run.ISAs(); isa != "" {
		me.isas = []string{isa}
	}
	if err == nil && !mixed {
		me.machine, err = machineText()
	}
	return me, err
}

// machineText is what the planner reads: the file of TILESMITH_MACHINE, or the data for
// the processor.
func machineText() (text string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	m := machine.This()
	if os.Getenv("TILESMITH_MACHINE") == "" {
		return m.CPU.String(), nil
	}
	h := fnv.New64a()
	h.Write([]byte(m.Text()))
	return fmt.Sprintf("%s, a file with the hash %x", m.CPU, h.Sum64()), nil
}

// start is Start for a rank that is me, or cannot tell what it is.
func start(c *Comm, n Needs, me identity, err error) (job Job, _ error) {
	facts := []Fact{NewFact("a mixed cluster", n.Mixed), {"the program", me.program}}
	if !n.Mixed && err == nil {
		facts = append(facts, Fact{"the instruction set", me.isas[0]}, Fact{"the machine", me.machine})
	}
	if err := Agree(c, err, append(facts, n.Facts...)...); err != nil {
		return job, err
	}
	job.ISA = me.isas[0]
	if n.Mixed {
		if job.ISA, err = c.commonISA(me); err != nil {
			return job, err
		}
	}
	return job, job.count(c, me)
}

// commonISA makes all ranks use the best instruction set that each of them may.
func (c *Comm) commonISA(me identity) (string, error) {
	all, err := tell(c, []byte(strings.Join(me.isas, " ")))
	if err != nil {
		return "", err
	}
	common := strings.Fields(string(all[0]))
	for _, b := range all {
		has := strings.Fields(string(b))
		common = slices.DeleteFunc(common, func(isa string) bool { return !slices.Contains(has, isa) })
	}
	if len(common) == 0 {
		return "", Agree(c, errors.New("no instruction set is common to all ranks; this one may use "+strings.Join(me.isas, ", ")))
	}
	return common[0], Agree(c, me.setISA(common[0]))
}

// count tells which ranks run where.
func (job *Job) count(c *Comm, me identity) error {
	where := func(host, cpu, process string) []byte { return []byte(host + "\n" + cpu + "\n" + process) }
	all, err := tell(c, where(me.host, me.cpu, me.process))
	if err != nil {
		return err
	}
	p := Processors{Most: me.most, Getenv: me.getenv}
	hosts, processes := map[string]bool{}, map[string]bool{}
	for _, b := range all {
		s := string(b)
		host, _, _ := strings.Cut(s, "\n")
		hosts[host] = true
		if s == string(where(me.host, me.cpu, me.process)) {
			p.Ranks++
		}
		if strings.HasPrefix(s, string(where(me.host, me.cpu, ""))) && me.cpu != "" {
			processes[s] = true
		}
	}
	p.Sharing = len(processes)
	job.Hosts = len(hosts)
	job.Threads, job.Why = p.Threads()
	return nil
}
