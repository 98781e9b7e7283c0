package comm

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Run runs f on p ranks that are goroutines, and returns the first error.
func Run(p int, f func(c *Comm) error) error {
	if p < 1 {
		return fmt.Errorf("comm.Run: %d ranks; want at least 1", p)
	}
	h := newHub(p)
	errs := make([]error, p)
	var all sync.WaitGroup
	for r := range p {
		all.Go(func() { errs[r] = f(New(&local{h: h, rank: r})) })
	}
	all.Wait()
	for r, err := range errs {
		if err != nil {
			return fmt.Errorf("rank %d: %w", r, err)
		}
	}
	return nil
}

// A hub is where the ranks of one group meet.
type hub struct {
	mu    sync.Mutex
	moved sync.Cond
	boxes []box
	meet  *meeting
}

func newHub(p int) *hub {
	h := &hub{boxes: make([]box, p)}
	h.moved.L = &h.mu
	return h
}

// A box holds what is sent to one rank and not received, and the other way round.
type box struct {
	mail  []letter
	wants []*request
}

type letter struct {
	src, tag int
	b        []byte
}

type request struct {
	src, tag int
	b        []byte
	done     bool
	told     bool
	status   Status
	err      error
}

func (r *request) Status() (Status, error) { return r.status, r.err }

func (r *request) matches(l letter) bool {
	return r.tag == l.tag && (r.src == AnySource || r.src == l.src)
}

func (r *request) take(l letter) {
	r.done, r.status = true, Status{Source: l.src, Tag: l.tag, Bytes: len(l.b)}
	if n := copy(r.b, l.b); n < len(l.b) {
		r.err = fmt.Errorf("a message of %d bytes from rank %d with tag %d came for a buffer of %d bytes", len(l.b), l.src, l.tag, n)
	}
}

type local struct {
	h    *hub
	rank int
}

func (t *local) Rank() int { return t.rank }
func (t *local) Size() int { return len(t.h.boxes) }

func (t *local) Send(dst, tag int, b []byte) error {
	_, err := t.Isend(dst, tag, b)
	return err
}

func (t *local) Recv(src, tag int, b []byte) (Status, error) {
	r, err := t.Irecv(src, tag, b)
	if err != nil {
		return Status{}, err
	}
	if _, err := t.Some([]Request{r}, true, nil); err != nil {
		return Status{}, err
	}
	return r.Status()
}

func (t *local) Isend(dst, tag int, b []byte) (Request, error) {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	l := letter{src: t.rank, tag: tag, b: b}
	to := &t.h.boxes[dst]
	for i, r := range to.wants {
		if r.matches(l) {
			r.take(l)
			to.wants = append(to.wants[:i], to.wants[i+1:]...)
			t.h.moved.Broadcast()
			return &request{done: true}, nil
		}
	}
	l.b = append([]byte(nil), b...)
	to.mail = append(to.mail, l)
	t.h.moved.Broadcast()
	return &request{done: true}, nil
}

func (t *local) Irecv(src, tag int, b []byte) (Request, error) {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	r := &request{src: src, tag: tag, b: b}
	mine := &t.h.boxes[t.rank]
	for i, l := range mine.mail {
		if r.matches(l) {
			r.take(l)
			mine.mail = append(mine.mail[:i], mine.mail[i+1:]...)
			return r, nil
		}
	}
	mine.wants = append(mine.wants, r)
	return r, nil
}

func (t *local) Some(requests []Request, wait bool, done []int) ([]int, error) {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	for {
		left := false
		n := len(done)
		for i, r := range requests {
			r, _ := r.(*request)
			switch {
			case r == nil || r.told:
			case r.done:
				r.told = true
				done = append(done, i)
			default:
				left = true
			}
		}
		if len(done) > n || !wait || !left {
			return done, nil
		}
		t.h.moved.Wait()
	}
}

func (t *local) Probe(src, tag int) (Status, error) {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	for {
		for _, l := range t.h.boxes[t.rank].mail {
			if (&request{src: src, tag: tag}).matches(l) {
				return Status{Source: l.src, Tag: l.tag, Bytes: len(l.b)}, nil
			}
		}
		t.h.moved.Wait()
	}
}

// A meeting is where the ranks of a group say how they want to split.
type meeting struct {
	n          int
	color, key []int
	groups     []Transport // once all have come
}

func (t *local) Split(color, key int) (Transport, error) {
	h := t.h
	h.mu.Lock()
	defer h.mu.Unlock()
	p := len(h.boxes)
	if h.meet == nil {
		h.meet = &meeting{color: make([]int, p), key: make([]int, p), groups: make([]Transport, p)}
	}
	m := h.meet
	m.color[t.rank], m.key[t.rank] = color, key
	m.n++
	if m.n == p {
		m.split()
		h.meet = nil
		h.moved.Broadcast()
	}
	for m.n < p {
		h.moved.Wait()
	}
	return m.groups[t.rank], nil
}

func (m *meeting) split() {
	byColor := map[int][]int{}
	for r, c := range m.color {
		if c >= 0 {
			byColor[c] = append(byColor[c], r)
		}
	}
	for _, ranks := range byColor {
		slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(m.key[a], m.key[b]) })
		h := newHub(len(ranks))
		for i, r := range ranks {
			m.groups[r] = &local{h: h, rank: i}
		}
	}
}

func (t *local) Abort(err error) { panic(err) }
func (t *local) Close() error    { return nil }
