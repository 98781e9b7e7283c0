package machine

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// This returns the machine that the program runs on. It comes from the file that
// TILESMITH_MACHINE names, or else from the data for its processor, or else from the
// rule for unknown ones. Sizes and ways of caches are this machine's where it says them;
// [Machine.Sizes] says where they are from. Everything is read on the first call. A file
// that [Read] refuses is a panic with its sentence. Do not change the machine.
func This() *Machine { return this() }

var this = sync.OnceValue(func() *Machine {
	if file := os.Getenv("TILESMITH_MACHINE"); file != "" {
		m, err := Read(file)
		if err != nil {
			panic(fmt.Sprintf("tilesmith: TILESMITH_MACHINE: %v", err))
		}
		return m
	}
	return Data()
})

// ThisCPU returns the processor that the program runs on.
func ThisCPU() CPU { return thisCPU() }

var thisCPU = sync.OnceValue(hostCPU)

// Data returns what [This] does without a file, anew.
func Data() *Machine {
	first, fast := fastCores()
	h := host{cpu: thisCPU(), arch: runtime.GOARCH, cpus: runtime.NumCPU(), has: has, sysfs: sysfs(first)}
	if fast > 0 {
		h.cpus = min(h.cpus, fast)
	}
	h.system, h.odd = readCaches(func(name string) ([]byte, error) { return contents(h.sysfs + "/" + name) })
	h.other, h.by = hostCaches()
	return h.machine()
}

// has reports whether this machine has an instruction set.
func has(isa string) bool {
	i := isaset.ByName(isa)
	return isa == goISA || i != nil && i.GOARCH == runtime.GOARCH && i.Has()
}

// host is what a machine says of itself.
type host struct {
	cpu    CPU
	arch   string // GOARCH
	cpus   int    // that the program may use and that are fast, of hyperthreads each
	has    func(isa string) bool
	sysfs  string  // where Linux describes the caches of a fast core
	system []cache // caches by sysfs
	odd    string  // what of sysfs cannot be believed
	other  []cache // caches by something else
	by     string  // what that is: "CPUID", "sysctl", or "" for nothing
}

// machine puts data and caches together.
func (h host) machine() *Machine {
	m, ok := For(h.cpu)
	most := 0
	if ok {
		most = m.Caches[L3].Size
	} else {
		m = unknown(h.cpu, h.arch, h.has)
	}
	m.CPU = h.cpu
	m.Units = slices.DeleteFunc(m.Units, func(u Units) bool { return !h.has(u.ISA) })
	typical := m.Caches
	list, from := h.system, h.sysfs
	if len(list) == 0 {
		list, from = h.other, h.by
	}
	switch {
	case len(list) > 0:
		m.setCaches(list, from, most, h.arch == "arm64")
	case h.odd != "":
		m.Sizes = "typical values, since " + h.odd + " in " + h.sysfs
	case h.by != "":
		m.Sizes = "typical values, since there is no " + h.sysfs + " and no word of " + h.by
	default:
		m.Sizes = "typical values, since there is no " + h.sysfs
	}
	if f := m.check(); f != nil {
		m.Caches = typical
		m.Sizes = "typical values, since by " + from + " " + f.Error()
	}
	threads := 1
	for _, c := range list {
		if c.level == 1 && c.sharers <= h.cpus {
			threads = c.sharers
		}
	}
	m.Cores = max(1, h.cpus/threads)
	m.Together = max(m.Caches[Memory].Read, min(m.Together, float64(m.Cores)*m.Caches[Memory].Read))
	return m
}

// setCaches takes over what the machine says of its caches. A core is assumed to have
// half of an L3, since others use their part, neighbours on a virtual machine's host
// among them. It has no more than the most that data say, if that is not 0. verify/roof
// found 20 of 32 MiB on a Zen 5, and the L3 of an Intel server is that of all its cores. In
// clusters, cores may have an L2 together, and each is taken to have its part.
func (m *Machine) setCaches(list []cache, from string, most int, clusters bool) {
	var said []string
	threads := 1
	missing := []string{"L1", "L2", "L3"}
	for _, c := range list {
		if c.level < 1 || c.level > 3 {
			continue
		}
		name := fmt.Sprintf("L%d", c.level)
		said = append(said, name+" "+bytesText(c.size))
		missing = slices.DeleteFunc(missing, func(s string) bool { return s == name })
		l := &m.Caches[c.level-1]
		l.Size = c.size
		if c.ways > 0 {
			l.Ways = c.ways
		}
		switch {
		case c.level == 1:
			threads = c.sharers
		case c.level == 3:
			l.Size /= 2
			if most > 0 {
				l.Size = min(l.Size, most)
			}
		case clusters && c.sharers > threads:
			l.Size = l.Size / c.sharers * threads
		}
		if l.Size < c.size {
			said[len(said)-1] += ", of which a core is taken to have " + bytesText(l.Size)
		}
	}
	m.Sizes = strings.Join(said, ", ") + ", by " + from
	if len(missing) > 0 {
		m.Sizes += "; typical values for " + strings.Join(missing, " and ") + ", of which it says nothing"
	}
}

func bytesText(n int) string {
	if n >= 1<<20 && n%(1<<18) == 0 {
		return fmt.Sprintf("%g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%g KiB", float64(n)/(1<<10))
}
