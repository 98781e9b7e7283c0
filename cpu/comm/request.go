package comm

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// kind is what a request of goroutine ranks is.
type kind uint8

const (
	send kind = iota
	receive
	probe
	split
)

// A request is a call that may not be done yet. Whoever completes it, which is mostly the
// other rank, writes what came of it before the state says done.
type request struct {
	kind   kind
	t      *local
	peer   int // rank in the group, or AnySource
	tag    int
	b      []byte
	status Status
	err    error
	state  atomic.Pointer[waiter] // nil, who waits for it, or done
	told   bool                   // that it is done, by Some
	next   *request               // in a box
	turn   uint64                 // there
	self   [1]Request             // itself, for who waits for one
}

// done is the state of requests that are.
var done = new(waiter)

// requests are those of calls that return when they are done.
var requests = sync.Pool{New: func() any { return new(request) }}

func (r *request) set(k kind, t *local, peer, tag int, b []byte) {
	r.kind, r.t, r.peer, r.tag, r.b = k, t, peer, tag, b
}

// free gives back a request that nobody else holds any more, which one that is done is.
func (r *request) free() {
	if r.isDone() {
		*r = request{}
		requests.Put(r)
	}
}

func (r *request) Status() (Status, error) { return r.status, r.err }

func (r *request) isDone() bool { return r.state.Load() == done }

// complete makes it done. Nothing of it is touched afterwards.
func (r *request) complete() {
	if w := r.state.Swap(done); w != nil {
		w.wake()
	}
}

// fill completes a receive with a message.
func (r *request) fill(src, tag int, b []byte) {
	r.status = Status{Source: src, Tag: tag, Bytes: len(b)}
	if n := copy(r.b, b); n < len(b) {
		r.err = fmt.Errorf("a message of %d bytes from rank %d (%s) came for a buffer of %d bytes", len(b), src, tagText(tag), n)
	}
	r.complete()
}

// cancel takes back a request when the run has ended, so that nobody uses its memory
// when it returns.
func (r *request) cancel() {
	var gone bool
	switch r.kind {
	case send:
		if p := r.t.m.port; p != nil {
			gone = p.drop(r)
		}
		gone = gone || r.t.g.boxes[r.peer].dropLetter(r)
	case receive, probe:
		gone = r.t.g.boxes[r.t.rank].drop(r)
	case split:
		gone = true
	}
	if gone {
		r.err = r.t.m.w.ended()
		r.complete()
		return
	}
	for !r.isDone() { // the other rank is copying
		runtime.Gosched()
	}
}

// String says what the request waits for, with ranks of the whole run.
func (r *request) String() string {
	g := r.t.g
	who := func(rank int) string {
		if rank == AnySource {
			return "any rank"
		}
		return fmt.Sprintf("rank %d", g.members[rank].rank)
	}
	in := ""
	if len(g.members) < len(r.t.m.w.members) {
		in = fmt.Sprintf(", in a group of %d", len(g.members))
	}
	if r.kind == split {
		return "is in Split" + in
	}
	switch r.kind {
	case send:
		return fmt.Sprintf("sends %d bytes to %s (%s%s), more than the eager limit of %d, so that it waits for the receive", len(r.b), who(r.peer), tagText(r.tag), in, max(0, r.t.m.w.eager))
	case receive:
		return fmt.Sprintf("receives from %s (%s%s)", who(r.peer), tagText(r.tag), in)
	default:
		return fmt.Sprintf("probes for a message of %s (%s%s)", who(r.peer), tagText(r.tag), in)
	}
}

// tagText is "tag 7" or "of AllReduce".
func tagText(tag int) string {
	if tag > MaxUserTag {
		return "of " + TagName(tag)
	}
	return TagName(tag)
}
