package comm

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// goroutine returns the number of the running goroutine, as stacks show it.
func goroutine() uint64 {
	var buf [64]byte
	return parseStack(string(buf[:runtime.Stack(buf[:], false)])).id
}

// A stack is what a dump says of one goroutine.
type stack struct {
	id, parent uint64 // the parent may be gone; 0 for none
	state      string // "running", "chan receive"
	text       string
}

// parseStack reads
//
//	goroutine 7 [chan receive, 2 minutes]:
//	...
//	created by main.main in goroutine 1
func parseStack(text string) (s stack) {
	s.text = text
	head, _, _ := strings.Cut(text, "\n")
	number, rest, _ := strings.Cut(strings.TrimPrefix(head, "goroutine "), " ")
	s.id, _ = strconv.ParseUint(number, 10, 64)
	if at := strings.Index(rest, "["); at >= 0 {
		s.state, _, _ = strings.Cut(strings.TrimRight(rest[at+1:], "]:"), ",")
		s.state = strings.TrimSuffix(s.state, " (scan)")
	}
	if at := strings.LastIndex(text, "\ncreated by "); at >= 0 {
		line, _, _ := strings.Cut(text[at+1:], "\n")
		if _, n, ok := strings.Cut(line, " in goroutine "); ok {
			s.parent, _ = strconv.ParseUint(n, 10, 64)
		}
	}
	return s
}

// stacks returns all goroutines at one moment; this one, which only looks, has no state.
func stacks() (list []stack, ok bool) {
	for n := 1 << 16; n <= 1<<28; n *= 2 {
		buf := make([]byte, n)
		if got := runtime.Stack(buf, true); got < n {
			for i, text := range strings.Split(string(bytes.TrimSpace(buf[:got])), "\n\n") {
				list = append(list, parseStack(text))
				if i == 0 {
					list[0].state = ""
				}
			}
			return list, true
		}
	}
	return nil, false
}

// standstill reports whether the goroutines with these numbers, and all that they
// started, wait for messages or for the end of another goroutine, so that no message will
// ever come. A goroutine may still send if it computes, sleeps, reads a file, or waits on
// a channel, which anybody might write to.
func standstill(own map[uint64]bool) bool {
	list, ok := stacks()
	return ok && still(list, own)
}

// still is standstill for goroutines as they were at one moment. One whose parent has
// ended might be anybody's. If there is such a goroutine, or one of ours waits for the end
// of others, which might not be ours, then nobody in the whole process may be doing
// anything.
func still(list []stack, own map[uint64]bool) bool {
	parent := map[uint64]uint64{}
	for _, s := range list {
		parent[s.id] = s.parent
	}
	active, doubt := false, false
	for _, s := range list {
		awake := s.awake()
		active = active || awake
		if !awake && s.waitsForMessages() {
			continue
		}
		id, ours, known := s.id, false, true
		for id != 0 && known && !ours {
			ours = own[id]
			id, known = parent[id]
		}
		switch {
		case ours && s.state == "sync.WaitGroup.Wait":
			doubt = true
		case ours:
			return false
		case !known && s.parent != 0:
			doubt = true
		}
	}
	return !doubt || !active
}

// awake reports whether a goroutine does something, or will without another's help. Goroutines that wait for
// signals or write a profile of the process do not count: neither sends messages.
func (s *stack) awake() bool {
	switch s.state {
	case "running", "runnable", "sleep", "syscall", "IO wait":
		return !strings.Contains(s.text, "os/signal.signal_recv") && !strings.Contains(s.text, "runtime/pprof.profileWriter")
	}
	return false
}

// waitsForMessages reports whether a goroutine waits for a message, for one to be sent, or
// for the ranks of a run inside another.
func (s *stack) waitsForMessages() bool {
	return strings.Contains(s.text, "/comm.(*waiter).sleep(") || strings.Contains(s.text, "/comm.(*port).idle(") || strings.Contains(s.text, "/comm.(*world).watch(")
}
