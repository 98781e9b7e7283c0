package mpi

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// A request is a send or a receive that was begun. Its buffer is pinned until it is
// done, and its group holds it until then, for a program may forget it.
type request struct {
	t          *transport
	handle     uintptr
	receive    bool
	peer, tag  int
	bytes      int
	pins       runtime.Pinner
	state      atomic.Int32
	status     comm.Status
	err        error
	next, prev *request
}

// States of a request.
const (
	pending int32 = iota
	asked         // a call of Some has it
	told
)

func (r *request) Status() (comm.Status, error) { return r.status, r.err }

func (r *request) String() string {
	if r.receive {
		return fmt.Sprintf("receive of %d bytes from rank %d with tag %d", r.bytes, r.peer, r.tag)
	}
	return fmt.Sprintf("send of %d bytes to rank %d with tag %d", r.bytes, r.peer, r.tag)
}

func (t *transport) Isend(dst, tag int, b []byte) (comm.Request, error) {
	return t.begin(mpiIsend, &request{t: t, peer: dst, tag: tag, bytes: len(b)}, number(int32(dst)), b)
}

func (t *transport) Irecv(src, tag int, b []byte) (comm.Request, error) {
	return t.begin(mpiIrecv, &request{t: t, receive: true, peer: src, tag: tag, bytes: len(b)}, t.source(src), b)
}

func (t *transport) begin(f entry, r *request, peer uintptr, b []byte) (comm.Request, error) {
	if t.closed.Load() {
		return nil, errClosed
	}
	kind, err := t.lib.typeOf(len(b))
	if err != nil {
		return nil, err
	}
	if len(b) > 0 {
		r.pins.Pin(unsafe.SliceData(b))
	}
	code := t.lib.try(nil, f, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(kind.count), kind.handle,
		peer, number(int32(r.tag)), t.handle, uintptr(unsafe.Pointer(&r.handle)))
	kind.free(t.lib)
	if code != 0 {
		r.pins.Unpin()
		what := "send"
		if r.receive {
			what = "receive"
		}
		return nil, t.failed(what, r.peer, r.tag, r.bytes, t.lib.fault(f, code))
	}
	if !r.receive {
		t.lib.ledger.sent[t.global(r.peer)].Add(1)
	}
	t.mu.Lock()
	if t.begun != nil {
		t.begun.prev = r
	}
	r.next, t.begun = t.begun, r
	t.mu.Unlock()
	return r, nil
}

// finish takes what the library says of a request that is done.
func (r *request) finish(s *status, fault int32) {
	r.pins.Unpin()
	t := r.t
	t.mu.Lock()
	if r.prev == nil {
		t.begun = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.next, r.prev = nil, nil
	t.mu.Unlock()
	switch {
	case fault != 0 && r.receive:
		r.err = t.unreceivable(r.peer, r.tag, r.bytes, t.lib.fault(mpiIrecv, fault))
	case fault != 0:
		r.err = t.failed("send", r.peer, r.tag, r.bytes, t.lib.fault(mpiIsend, fault))
	case r.receive:
		t.lib.ledger.received.Add(1)
		r.status, r.err = t.received(s)
	}
	r.state.Store(told)
}

// Some is MPI_Testsome, or MPI_Waitsome.
func (t *transport) Some(requests []comm.Request, wait bool, done []int) ([]int, error) {
	a := batches.Get().(*batch)
	defer batches.Put(a)
	a.which, a.handles = a.which[:0], a.handles[:0]
	for i, q := range requests {
		if q == nil {
			continue
		}
		r, ok := q.(*request)
		switch {
		case !ok || r.t.lib != t.lib:
			a.release(requests)
			return done, fmt.Errorf("mpi: request %d of %d is of another transport", i, len(requests))
		case r.state.CompareAndSwap(pending, asked):
			a.which = append(a.which, i)
			a.handles = append(a.handles, r.handle)
		case r.state.Load() == asked:
			a.release(requests)
			return done, fmt.Errorf("mpi: request %d of %d, a %s, is waited for twice at once", i, len(requests), r)
		}
	}
	defer a.release(requests)
	if len(a.which) == 0 {
		return done, nil
	}
	n, err := a.ask(t.lib, wait)
	for i := range n {
		at := a.which[a.indices[i]]
		requests[at].(*request).finish(a.status(t.lib.abi, i))
		done = append(done, at)
	}
	return done, err
}

// release says that no call has the requests any more that it did not finish.
func (a *batch) release(requests []comm.Request) {
	for _, i := range a.which {
		requests[i].(*request).state.CompareAndSwap(asked, pending)
	}
	a.which = a.which[:0]
}
