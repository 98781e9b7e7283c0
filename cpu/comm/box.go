package comm

import "sync"

// A box is where messages to one rank of a group meet its receives. Of either kind the
// first that fits is taken, in the order in which they came.
type box struct {
	g       *party
	mu      sync.Mutex
	letters rows[*letter, letter]   // not received
	wants   rows[*request, request] // receives without a message
	probes  rows[*request, request]
}

// A letter is a message on its way, or in a box.
type letter struct {
	src, tag int
	b        []byte
	from     *request // the send that waits for its receive; b is its memory then
	to       *box     // of one that travels
	next     *letter
	turn     uint64
	copy     []byte // memory of b if it is not the send's, kept for the next letter
}

var letters = sync.Pool{New: func() any { return new(letter) }}

// newLetter returns a letter with a copy of b, or with b itself if a send waits.
func newLetter(src, tag int, b []byte, from *request) *letter {
	l := letters.Get().(*letter)
	l.src, l.tag, l.from = src, tag, from
	l.b = b
	if from == nil {
		l.copy = append(l.copy[:0], b...)
		l.b = l.copy
	}
	return l
}

func (l *letter) free() {
	if cap(l.copy) > 64<<10 {
		l.copy = nil
	}
	l.b, l.from, l.to, l.next = nil, nil, nil, nil
	letters.Put(l)
}

// land puts a letter that travelled into its box.
func (l *letter) land() {
	x := l.to
	x.mu.Lock()
	if r := x.wanted(l.src, l.tag); r != nil {
		x.mu.Unlock()
		l.read(r)
		return
	}
	x.add(l)
	x.mu.Unlock()
}

// read gives the letter to a receive, and ends it.
func (l *letter) read(r *request) {
	from := l.from
	r.fill(l.src, l.tag, l.b)
	l.free()
	if from != nil {
		from.complete()
	}
}

// put takes a message, and reports whether its memory may be used again. from is the send
// that waits if not, or nil if the message is to be copied.
func (x *box) put(src, tag int, b []byte, from *request) bool {
	x.mu.Lock()
	if r := x.wanted(src, tag); r != nil {
		x.mu.Unlock()
		r.fill(src, tag, b)
		return true
	}
	x.add(newLetter(src, tag, b, from))
	x.mu.Unlock()
	return from == nil
}

// wanted takes out the receive that a message is for.
func (x *box) wanted(src, tag int) *request {
	return x.wants.take(src, func(r *request) bool { return r.tag == tag && (r.peer == src || r.peer == AnySource) })
}

// add keeps a letter, and tells those who probe for it.
func (x *box) add(l *letter) {
	x.letters.push(len(x.g.members), l.src, l)
	for {
		r := x.probes.take(l.src, func(r *request) bool { return l.is(r.peer, r.tag) })
		if r == nil {
			return
		}
		r.status = Status{Source: l.src, Tag: l.tag, Bytes: len(l.b)}
		r.complete()
	}
}

func (l *letter) is(src, tag int) bool { return l.tag == tag && (src == l.src || src == AnySource) }

// post begins a receive or a probe.
func (x *box) post(r *request) {
	fits := func(l *letter) bool { return l.is(r.peer, r.tag) }
	x.mu.Lock()
	if r.kind == probe {
		if l := x.letters.find(r.peer, fits); l != nil {
			r.status = Status{Source: l.src, Tag: l.tag, Bytes: len(l.b)}
			r.complete()
		} else {
			x.probes.push(len(x.g.members), r.peer, r)
		}
		x.mu.Unlock()
		return
	}
	l := x.letters.take(r.peer, fits)
	if l == nil {
		x.wants.push(len(x.g.members), r.peer, r)
	}
	x.mu.Unlock()
	if l != nil {
		l.read(r)
	}
}

// drop takes out a receive or a probe, and reports whether it was there.
func (x *box) drop(r *request) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	same := func(q *request) bool { return q == r }
	return x.wants.take(r.peer, same) != nil || x.probes.take(r.peer, same) != nil
}

// dropLetter takes out the letter of a send, and reports whether it was there.
func (x *box) dropLetter(r *request) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.letters.take(r.t.rank, func(l *letter) bool { return l.from == r }) != nil
}
