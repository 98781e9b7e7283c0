package comm

import (
	"fmt"
	"strings"
)

// A DeadlockError says that no rank could go on, and what each waited for.
type DeadlockError struct {
	Waits []Wait // of all ranks, in their order
}

// A Wait is what one rank waits for.
type Wait struct {
	Rank int
	For  []string // what its goroutines do, as text; none if the rank has returned
	Has  []string // messages that came and that it does not receive
}

func (e *DeadlockError) Error() string {
	const most = 32
	var b strings.Builder
	b.WriteString("deadlock: every rank that still runs waits")
	for i, w := range e.Waits {
		if i == most {
			fmt.Fprintf(&b, "\n\tand %d more ranks", len(e.Waits)-most)
			break
		}
		fmt.Fprintf(&b, "\n\trank %d ", w.Rank)
		if len(w.For) == 0 {
			b.WriteString("has returned")
		}
		b.WriteString(some(w.For, " and "))
		if len(w.Has) > 0 {
			b.WriteString("; it does not receive " + some(w.Has, ", "))
		}
	}
	return b.String()
}

// some joins the first few texts.
func some(list []string, by string) string {
	const most = 4
	if n := len(list) - most; n > 0 {
		list = append(list[:most:most], fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, by)
}

// stuck returns a number that grows with what ranks do, or -1 if one of them is seen not
// to wait.
func (w *world) stuck() (slept int) {
	if w.ended() != nil {
		return -1
	}
	own := map[uint64]bool{}
	running := false
	for _, m := range w.members {
		m.mu.Lock()
		own[m.id] = true
		idle := m.gone || len(m.waits) > 0
		running = running || !m.gone
		slept += m.slept
		m.mu.Unlock()
		if !idle {
			return -1
		}
	}
	if !running || !standstill(own) {
		return -1
	}
	return slept
}

// deadlock describes a run that is stuck.
func (w *world) deadlock() error {
	e := &DeadlockError{}
	for _, m := range w.members {
		x := Wait{Rank: m.rank}
		m.mu.Lock()
		for _, wait := range m.waits {
			for _, r := range wait.list {
				if r, _ := r.(*request); r != nil && !r.isDone() {
					x.For = append(x.For, r.String())
				}
			}
		}
		m.mu.Unlock()
		e.Waits = append(e.Waits, x)
	}
	w.letters(func(to int, text string) { e.Waits[to].Has = append(e.Waits[to].Has, text) })
	return e
}

// letters calls f for all messages that were not received.
func (w *world) letters(f func(to int, text string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.groups {
		for r, x := range g.boxes {
			x.mu.Lock()
			x.letters.all(func(l *letter) {
				f(g.members[r].rank, fmt.Sprintf("%d bytes of rank %d (%s)", len(l.b), g.members[l.src].rank, tagText(l.tag)))
			})
			x.mu.Unlock()
		}
	}
}

// unreceived is an error if messages are left when all ranks have returned, or why they are.
func (w *world) unreceived() error {
	if err := w.uncalled(); err != nil {
		return err
	}
	for _, p := range w.ports {
		p.flush()
	}
	var list []string
	w.letters(func(to int, text string) { list = append(list, fmt.Sprintf("rank %d did not receive %s", to, text)) })
	if list == nil {
		return nil
	}
	return fmt.Errorf("messages are left when all ranks have returned: %s", some(list, "; "))
}
