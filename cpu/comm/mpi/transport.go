package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// transport is a communicator of MPI.
type transport struct {
	lib        *library
	handle     uintptr
	rank, size int
	world      bool // the first one, which ends MPI
	closed     atomic.Bool
	members    []int32 // of the group, by their numbers in the world; nil for the world
	notices    int     // that it received, see last.go

	mu    sync.Mutex
	begun *request // those that are not done, in a list, for the collector and for Close
}

// over reports whether the group is closed, or MPI has ended.
func (t *transport) over() bool { return t.closed.Load() || t.lib.ended.Load() }

func (t *transport) Rank() int { return t.rank }
func (t *transport) Size() int { return t.size }

// A status is the memory of an MPI_Status of any family, and of the length that it says.
type status struct {
	words  [8]int32
	length int64
}

var statuses = sync.Pool{New: func() any { return new(status) }}

// number makes an argument of an int of C.
func number(n int32) uintptr { return uintptr(uint32(n)) }

// source is a rank, or MPI_ANY_SOURCE.
func (t *transport) source(src int) uintptr {
	if src == comm.AnySource {
		return number(t.lib.abi.anySource)
	}
	return number(int32(src))
}

var errClosed = fmt.Errorf("mpi: %w", comm.ErrClosed)

// Send is MPI_Send. If no call may wait in the library, it is MPI_Isend.
func (t *transport) Send(dst, tag int, b []byte) error {
	if t.over() {
		return errClosed
	}
	if t.lib.asks || int64(len(b)) > t.lib.limit {
		r, err := t.Isend(dst, tag, b)
		if err != nil {
			return err
		}
		_, err = t.wait(r)
		return err
	}
	code := quick(t.lib.fn[mpiSend], uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), t.lib.abi.bytes,
		number(int32(dst)), number(int32(tag)), t.handle, 0)
	if code != 0 {
		return t.failed("send", dst, tag, len(b), t.lib.fault(mpiSend, code))
	}
	t.lib.ledger.sent[t.global(dst)].Add(1)
	return nil
}

// Prompt reports whether a message is so short that every library sends it at once, as
// all do some kilobytes unless they are told otherwise.
func (t *transport) Prompt(bytes int) bool { return bytes <= 256 }

// Recv is MPI_Recv, or MPI_Irecv where Send is MPI_Isend.
func (t *transport) Recv(src, tag int, b []byte) (comm.Status, error) {
	if t.over() {
		return comm.Status{}, errClosed
	}
	if t.lib.asks || int64(len(b)) > t.lib.limit {
		r, err := t.Irecv(src, tag, b)
		if err != nil {
			return comm.Status{}, err
		}
		return t.wait(r)
	}
	s := statuses.Get().(*status)
	defer statuses.Put(s)
	code := quick(t.lib.fn[mpiRecv], uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), t.lib.abi.bytes,
		t.source(src), number(int32(tag)), t.handle, uintptr(unsafe.Pointer(s)))
	if code != 0 {
		return comm.Status{}, t.unreceivable(src, tag, len(b), t.lib.fault(mpiRecv, code))
	}
	t.lib.ledger.received.Add(1)
	return t.received(s)
}

// wait waits for one request.
func (t *transport) wait(r comm.Request) (comm.Status, error) {
	if _, err := t.Some([]comm.Request{r}, true, nil); err != nil {
		return comm.Status{}, err
	}
	return r.Status()
}

// received reads a status that the library has written.
func (t *transport) received(s *status) (comm.Status, error) {
	at, kind := t.lib.abi.status, t.lib.abi.bytes
	var code int32
	if t.lib.served {
		code = t.lib.try(nil, mpiGetElements, uintptr(unsafe.Pointer(s)), kind, uintptr(unsafe.Pointer(&s.length)))
	} else {
		code = quick(t.lib.fn[mpiGetElements], uintptr(unsafe.Pointer(s)), kind, uintptr(unsafe.Pointer(&s.length)), 0, 0, 0, 0)
	}
	if code != 0 {
		return comm.Status{}, t.lib.fault(mpiGetElements, code)
	}
	return comm.Status{Source: int(s.words[at.source]), Tag: int(s.words[at.tag]), Bytes: int(s.length)}, nil
}

// unreceivable is failed for a receive. A message that is too long was taken.
func (t *transport) unreceivable(src, tag, n int, err *Error) error {
	if int32(err.Class) == t.lib.abi.truncated {
		t.lib.ledger.received.Add(1)
	}
	return t.failed("receive", src, tag, n, err)
}

// failed says of which message an error is.
func (t *transport) failed(what string, peer, tag, n int, err *Error) error {
	from := "to"
	if what == "receive" {
		from = "from"
	}
	who := fmt.Sprintf("rank %d", peer)
	if peer == comm.AnySource {
		who = "any rank"
	}
	if int32(err.Class) == t.lib.abi.truncated {
		return fmt.Errorf("a message %s %s %s is longer than the buffer of %d bytes: %w", from, who, withTag(tag), n, err)
	}
	return fmt.Errorf("%s of %d bytes %s %s %s: %w", what, n, from, who, withTag(tag), err)
}

// withTag is "with tag 7" or "of AllReduce".
func withTag(tag int) string {
	if tag > comm.MaxUserTag {
		return "of " + comm.TagName(tag)
	}
	return "with " + comm.TagName(tag)
}

// Probe is MPI_Probe.
func (t *transport) Probe(src, tag int) (comm.Status, error) {
	if t.over() {
		return comm.Status{}, errClosed
	}
	s := statuses.Get().(*status)
	defer statuses.Put(s)
	if t.lib.asks {
		var found int32
		if code := t.lib.try(&found, mpiIprobe, t.source(src), number(int32(tag)), t.handle, uintptr(unsafe.Pointer(&found)), uintptr(unsafe.Pointer(s))); code != 0 {
			return comm.Status{}, t.lib.fault(mpiIprobe, code)
		}
	} else if err := t.lib.do(mpiProbe, t.source(src), number(int32(tag)), t.handle, uintptr(unsafe.Pointer(s))); err != nil {
		return comm.Status{}, err
	}
	return t.received(s)
}

// gather waits until all ranks are about to make a call that waits for all in the
// library. If one thread makes all calls, no other goroutine's call is made then.
func (t *transport) gather() error {
	if !t.lib.asks {
		return nil
	}
	return t.Barrier()
}

// describe asks for errors instead of the end of the job, and who this rank is.
func (t *transport) describe() error {
	var rank, size int32
	err := errors.Join(
		t.lib.do(mpiCommSetErrhandler, t.handle, t.lib.abi.errorsReturn),
		t.lib.do(mpiCommRank, t.handle, uintptr(unsafe.Pointer(&rank))),
		t.lib.do(mpiCommSize, t.handle, uintptr(unsafe.Pointer(&size))))
	t.rank, t.size = int(rank), int(size)
	return err
}

// lastWords is how long a job may take to end.
const lastWords = 2 * time.Second

// Abort is MPI_Abort. If that does not end this process, its end does, which the
// launcher notices.
func (t *transport) Abort(err error) {
	who := fmt.Sprintf("rank %d: ", t.rank)
	if e := (*comm.DisagreeError)(nil); errors.As(err, &e) {
		who = "" // it says itself which ranks it is about
	}
	fmt.Fprintln(os.Stderr, who+strings.TrimPrefix(fmt.Sprint(err), who))
	if t.lib.ended.Load() {
		os.Exit(1) // which the launcher notices
	}
	time.AfterFunc(lastWords, func() { os.Exit(1) })
	t.lib.do(mpiAbort, t.handle, 1)
	time.Sleep(2 * lastWords)
}

// Close is MPI_Comm_free, and MPI_Finalize for the world, after all ranks have come.
func (t *transport) Close() error {
	if t.over() {
		return errClosed
	}
	if n, last := t.left(); n > 0 {
		return fmt.Errorf("mpi: rank %d of %d closes a group with %d messages that were begun and not waited for; the last is a %s", t.rank, t.size, n, last)
	}
	var err, left error
	if t.world {
		var announced bool
		if announced, err = t.last(); err == nil {
			left = t.unreceived(announced)
		}
	} else {
		err = t.gather()
	}
	t.closed.Store(true)
	t.lib.ledger.drop(t)
	if err == nil {
		err = t.lib.do(mpiCommFree, uintptr(unsafe.Pointer(&t.handle)))
	}
	if t.world {
		t.lib.ended.Store(true)
		if code := t.lib.main.call(t.lib.fn[mpiFinalize], nil, nil); code != 0 && err == nil {
			err = &Error{Call: names[mpiFinalize], Code: int(code), Text: fmt.Sprintf("error %d", code)}
		}
		t.lib.main.end()
		t.lib.hydra.farewell()
	}
	return errors.Join(left, err)
}

// left counts the messages that are not done, and returns the last that was begun.
func (t *transport) left() (n int, last *request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := t.begun; r != nil; r = r.next {
		n++
	}
	return n, t.begun
}
