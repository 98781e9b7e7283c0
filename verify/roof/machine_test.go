package roof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestMachine asks for no more than that what is measured is a machine, and that what is
// not measured is the data's: how fast it is is the machine's business.
func TestMachine(t *testing.T) {
	m, data := machine.Data(), machine.Data()
	// Caches small enough for a test.
	m.Caches[machine.L1].Size, m.Caches[machine.L2].Size, m.Caches[machine.L3].Size = 16<<10, 64<<10, 256<<10
	for i := range m.Caches {
		m.Caches[i].Read, m.Caches[i].Write, m.Caches[i].Latency, m.Caches[i].Misses = 0, 0, 0, 0
	}
	m.Clock, m.Stream, m.Together, m.Pages.Walk = 0, 0, 0, 0
	measure(m, 100*time.Microsecond, func(string) bool { return true })
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	var isas []string
	for i := range m.Units {
		u, d := &m.Units[i], data.Of(m.Units[i].ISA)
		isas = append(isas, u.ISA)
		if u.Issue != d.Issue || u.Gather != d.Gather || u.Vector != d.Vector {
			t.Errorf("%+v, want of %+v what is not measured", u, d)
		}
	}
	want := slices.DeleteFunc(run.ISAs(), func(isa string) bool { return isaset.Plain(isa) != isa })
	if !slices.Equal(isas, want) {
		t.Errorf("units of %v, want %v", isas, want)
	}
	if l := m.Caches[machine.L2]; l.Size != 64<<10 || l.Ways != data.Caches[machine.L2].Ways || m.Pages.Far != data.Pages.Far || m.Tail != data.Tail {
		t.Errorf("%+v, want of %+v what is not measured", m, data)
	}
	// Half is a core's at least, and the whole at most.
	if n := m.Caches[machine.L3].Size; n < 128<<10 || n > 512<<10 {
		t.Errorf("a core has %d bytes of L3, which has twice 256 KiB", n)
	}
}

func TestMachineSource(t *testing.T) {
	m := Machine(100 * time.Millisecond)
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if want := "measured on " + time.Now().Format("2006"); !strings.HasPrefix(m.Source, want) || !strings.Contains(m.Source, Kept) {
		t.Errorf("source %q", m.Source)
	}
	if _, err := machine.Parse("m", []byte(m.Text())); err != nil {
		t.Error(err)
	}
}

// TestShare: of what is read half as near and half as far, half is near.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		rate, near, far float64
		want            int
	}{
		{100, 100, 20, 1 << 20},            // all
		{1 / 0.03, 100, 20, 1 << 19},       // 0.01 and 0.05 s a byte
		{20, 100, 20, 1 << 18},             // none, but a quarter was measured with
		{500, 100, 20, 1 << 20},            // no more than all
		{20, 20, 20, 1 << 19},              // no telling
		{1 / 0.02, 100, 20, 3 * (1 << 18)}, // three quarters
	} {
		if got := share(1<<20, c.rate, c.near, c.far); got < c.want-2 || got > c.want+2 {
			t.Errorf("at %v between %v and %v: %d, want %d", c.rate, c.near, c.far, got, c.want)
		}
	}
}

// TestChain: a walk visits every line of its order once, and returns.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		what  string
		c     *chain
		lines int
		step  int // bytes between places of lines
	}{
		{"less than a window", newChain(16<<10, 4096), 256, 64},
		{"a window", newChain(near*4096, 4096), near * 64, 64},
		{"three windows", newChain(3*near*4096, 4096), 3 * near * 32, 128},
		{"pages", newPages(100, 4096), 100, 64},
	} {
		if len(c.c.order) != c.lines {
			t.Errorf("%s: %d lines, want %d", c.what, len(c.c.order), c.lines)
		}
		seen := map[uint32]bool{}
		at := c.c.order[0]
		for range c.lines {
			if seen[at] || at*4%uint32(c.step) != 0 {
				t.Errorf("%s: word %d is visited twice, or no line begins there", c.what, at)
			}
			seen[at] = true
			at = c.c.next[at]
		}
		if at != c.c.order[0] || len(seen) != c.lines {
			t.Errorf("%s: after %d lines the walk is at %d, not at its beginning", c.what, len(seen), at)
		}
	}
	// Windows are visited one after the other, a page of pages once.
	for i, word := range newChain(3*near*4096, 4096).order {
		if want := i / (near * 32); int(word)*4/(near*4096) != want {
			t.Fatalf("line %d lies in window %d, want %d", i, int(word)*4/(near*4096), want)
		}
	}
	pages := map[uint32]bool{}
	for _, word := range newPages(100, 4096).order {
		pages[word*4/4096] = true
	}
	if len(pages) != 100 {
		t.Errorf("%d pages are visited, want 100", len(pages))
	}
	c := newChain(3*near*4096, 4096)
	if latency, apiece := c.measure(time.Millisecond); !(latency > 0 && latency < 1) || !(apiece > 0 && apiece < 1) {
		t.Errorf("%v s, %v s a line", latency, apiece)
	}
}

// TestMachineUntil ends a measurement after its second step: what it has is new, and the
// rest is from data.
func TestMachineUntil(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var steps []string
	m, err := MachineUntil(ctx, 60*time.Microsecond, func(done, total int, what string) {
		if steps = append(steps, what); done == 2 {
			stop(enough)
		}
		if done != len(steps)-1 || total <= done {
			t.Errorf("step %d is %d of %d", len(steps), done, total)
		}
	})
	data := machine.Data()
	if err != enough || len(steps) != 3 || steps[0] != "measuring the clock" {
		t.Errorf("%v after %q", err, steps)
	}
	if m.Clock == data.Clock || m.Caches[machine.L1].Latency == data.Caches[machine.L1].Latency {
		t.Error("what was measured is not there")
	}
	if m.Caches[machine.L3].Read != data.Caches[machine.L3].Read || m.Pages.Walk != data.Pages.Walk || m.Source != data.Source {
		t.Error("what was not measured is not from data")
	}
}
