package sweep

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// A Config is a session as a command line says it: plain data, so that it can be handed
// to another process.
type Config struct {
	Verify  bool     `json:"verify"`            // check only, with whole suites
	Package string   `json:"package,omitempty"` // that the kernels are of
	Kernels string   `json:"kernels,omitempty"` // a regular expression for names
	Types   []string `json:"types,omitempty"`
	ISAs    []string `json:"isas,omitempty"`
	Shapes  string   `json:"shapes,omitempty"`
	Ops     string   `json:"ops,omitempty"`
	Threads []int    `json:"threads,omitempty"`
	Peers   []string `json:"peers,omitempty"` // names; "all" for whatever there is
	// Time is what the runs of one function at one point take together, about.
	Time  time.Duration `json:"time,omitempty"`
	Runs  int           `json:"runs,omitempty"` // at least, of each function at a point
	Quick bool          `json:"quick,omitempty"`
	Long  bool          `json:"long,omitempty"`
}

// most of what a command line may ask for.
const (
	mostThreads = 1024
	leastTime   = time.Millisecond
	mostTime    = time.Minute
)

// Session returns the session for the kernels that c selects. The error names the flag
// that is wrong.
func (c *Config) Session(kernels []Kernel) (*Session, error) {
	s := &Session{Grid: Grid{Quick: c.Quick}, ISAs: c.ISAs, Threads: c.Threads, Time: c.Time, Runs: c.Runs}
	var err error
	if c.Shapes != "" {
		if s.Grid.Shapes, err = ParseShapes(c.Shapes); err != nil {
			return nil, fmt.Errorf("--shapes: %w", err)
		}
	}
	if c.Ops != "" {
		if s.Grid.Ops, err = ParseOps(c.Ops); err != nil {
			return nil, fmt.Errorf("--ops: %w", err)
		}
	}
	if slices.Equal(c.ISAs, []string{"all"}) {
		s.ISAs, s.All = nil, true
	}
	for _, isa := range s.ISAs {
		if !slices.Contains(run.ISAs(), isa) {
			return nil, fmt.Errorf("--isa %s: this machine has %s", isa, strings.Join(run.ISAs(), ", "))
		}
	}
	for _, t := range c.Threads {
		if t < 1 || t > mostThreads {
			return nil, fmt.Errorf("--threads %d: from 1 to %d; this machine has %d cores", t, mostThreads, runtime.NumCPU())
		}
	}
	if c.Time != 0 && (c.Time < leastTime || c.Time > mostTime) {
		return nil, fmt.Errorf("--time %v: from %v to %v", c.Time, leastTime, mostTime)
	}
	s.Kernels, err = c.choose(kernels)
	return s, err
}

// choose returns the kernels that c names.
func (c *Config) choose(kernels []Kernel) ([]Kernel, error) {
	re, err := regexp.Compile(c.Kernels)
	if err != nil {
		return nil, fmt.Errorf("--kernels: %w", err)
	}
	var some []Kernel
	var names, types []string
	for _, k := range kernels {
		first, _, _ := strings.Cut(k.Types, ",")
		if names = append(names, k.Name); !re.MatchString(k.Name) {
			continue
		}
		if types = append(types, k.Types); c.Types == nil || slices.Contains(c.Types, k.Types) || slices.Contains(c.Types, first) {
			some = append(some, k)
		}
	}
	switch {
	case len(types) == 0 && len(kernels) > 0:
		return nil, fmt.Errorf("--kernels %s: no kernel has such a name; there are %s", c.Kernels, list(names))
	case len(some) == 0 && len(kernels) > 0:
		return nil, fmt.Errorf("--types %s: no kernel has these; there are %s", strings.Join(c.Types, ","), list(types))
	}
	return some, nil
}

// list joins names, each once.
func list(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
