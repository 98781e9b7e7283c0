package comm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// Local says how ranks that are goroutines of this process send messages. The zero value
// is what [Run] uses.
//
// A message that finds its receive waiting is copied once, from x to x. A message that
// does not is copied aside if it has at most Eager bytes, and its Send returns. The Send
// of a longer one waits for the receive. MPI libraries do the same. So a program in which
// two ranks first send to each other and then receive works only until its messages grow.
// Use Sendrecv, Exchange or Isend.
//
// With a Link messages take its time, whether or not the receiver calls anything. Sleeping is precise to tens of
// microseconds and takes no core. Use this to measure the overlap of communication and
// computation.
type Local struct {
	// Eager is how many bytes a message may have that is sent before it is received. 0
	// stands for 16 KiB, and a negative number forbids it even for an empty message.
	Eager int

	Link cost.Link // a latency and a bandwidth of 0 take no time
}

// Run runs f on p ranks that are goroutines of this process: see Local.Run.
func Run(p int, f func(c *Comm) error) error { return Local{}.Run(p, f) }

// Run runs f on p ranks that are goroutines, each with its Comm, and returns when all of
// them have.
//
// The run ends when a rank returns an error, panics or calls Abort. Calls of other ranks
// then fail with an [EndedError], so that these can return. Run returns the errors of all
// ranks that have one of their own; a panic is a [PanicError] with its stack.
//
// The run also ends when nobody can go on: all ranks that still run wait for messages, and
// none of the goroutines that they started does anything else. The error is a
// [DeadlockError] that says who waits for whom. It takes a tenth of a second to be sure.
//
// When all ranks have returned without an error, a message that nobody received is an
// error. In MPI, too, a program must receive everything before MPI_Finalize. So is a
// request that nobody waited for, and a collective that only some ranks of a group called.
// The Comm is closed when f returns.
func (l Local) Run(p int, f func(c *Comm) error) error {
	switch {
	case p < 1:
		return fmt.Errorf("comm.Run: %d ranks; want at least 1", p)
	case f == nil:
		return fmt.Errorf("comm.Run: no function to run")
	}
	if err := checkLink(l.Link); err != nil {
		return fmt.Errorf("comm.Run: %w", err)
	}
	switch {
	case l.Eager == 0:
		l.Eager = 16 << 10
	case l.Eager < 0:
		l.Eager = -1
	}
	return newWorld(p, l).run(f)
}

// local is the Transport of one rank in one group of goroutines.
type local struct {
	m    *member // this rank
	g    *party
	rank int
}

// A party is the ranks of one group.
type party struct {
	members []*member
	boxes   []*box // what is sent to each
	split   splitting
	sayings sayings
}

func newParty(members []*member) *party {
	g := &party{members: members, boxes: make([]*box, len(members))}
	for i := range g.boxes {
		g.boxes[i] = &box{g: g}
	}
	members[0].w.add(g)
	return g
}

func (t *local) Rank() int { return t.rank }
func (t *local) Size() int { return len(t.g.members) }

func (t *local) Send(dst, tag int, b []byte) error {
	if err := t.m.w.ended(); err != nil {
		return err
	}
	if len(b) <= t.m.w.eager && t.m.port == nil {
		t.g.boxes[dst].put(t.rank, tag, b, nil)
		return nil
	}
	r := requests.Get().(*request)
	defer r.free()
	t.post(r, dst, tag, b)
	return t.finish(r)
}

func (t *local) Recv(src, tag int, b []byte) (Status, error) {
	return t.postAndWait(receive, src, tag, b)
}

func (t *local) Probe(src, tag int) (Status, error) { return t.postAndWait(probe, src, tag, nil) }

func (t *local) postAndWait(k kind, src, tag int, b []byte) (Status, error) {
	if err := t.m.w.ended(); err != nil {
		return Status{}, err
	}
	t.m.w.pump()
	r := requests.Get().(*request)
	defer r.free()
	r.set(k, t, src, tag, b)
	t.g.boxes[t.rank].post(r)
	if err := t.finish(r); err != nil {
		return Status{}, err
	}
	return r.Status()
}

// finish waits for one request.
func (t *local) finish(r *request) error {
	for !r.isDone() {
		if err := t.m.w.ended(); err != nil {
			r.cancel()
			return err
		}
		r.self[0] = r
		if err := t.m.wait(r.self[:]); err != nil {
			return err
		}
		t.m.w.pump()
	}
	return nil
}

func (t *local) Isend(dst, tag int, b []byte) (Request, error) {
	if err := t.m.w.ended(); err != nil {
		return nil, err
	}
	r := new(request)
	t.post(r, dst, tag, b)
	return r, nil
}

// post begins a send.
func (t *local) post(r *request, dst, tag int, b []byte) {
	r.set(send, t, dst, tag, b)
	r.status = Status{Source: t.rank, Tag: tag, Bytes: len(b)}
	from := r
	if len(b) <= t.m.w.eager {
		from = nil
	}
	done := from == nil
	if port := t.m.port; port != nil && dst != t.rank {
		l := newLetter(t.rank, tag, b, from)
		l.to = t.g.boxes[dst]
		port.send(len(b), l)
	} else if t.g.boxes[dst].put(t.rank, tag, b, from) {
		done = true
	}
	if done {
		r.complete()
	}
}

func (t *local) Irecv(src, tag int, b []byte) (Request, error) {
	if err := t.m.w.ended(); err != nil {
		return nil, err
	}
	r := new(request)
	r.set(receive, t, src, tag, b)
	t.g.boxes[t.rank].post(r)
	return r, nil
}

func (t *local) Some(requests []Request, wait bool, done []int) ([]int, error) {
	w := t.m.w
	n := len(done)
	for {
		w.pump()
		left := false
		for i, r := range requests {
			switch r, ok := r.(*request); {
			case !ok && requests[i] != nil || r != nil && r.t.m != t.m:
				return done, fmt.Errorf("request %d of %d is of another transport", i, len(requests))
			case r == nil || r.told:
			case r.isDone():
				r.told = true
				done = append(done, i)
			default:
				left = true
			}
		}
		if len(done) > n || !left {
			return done, nil
		}
		if err := w.ended(); err != nil {
			for _, r := range requests {
				if r, _ := r.(*request); r != nil && !r.told {
					r.cancel()
				}
			}
			return done, err
		}
		if !wait {
			return done, nil
		}
		if err := t.m.wait(requests); err != nil {
			return done, err
		}
	}
}

func (t *local) Abort(err error) {
	t.m.w.end(fmt.Errorf("rank %d called Abort: %w", t.m.rank, err))
}

// Close has nothing to give back: the last that holds a group lets go of it. Messages
// that nobody received are found when all ranks have returned.
func (t *local) Close() error { return nil }
