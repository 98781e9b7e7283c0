package suite

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// content is byte i of a message, told by who sent it and which it is.
func content(src, dst, tag, serial, i int) byte {
	return byte(src*7 + dst*31 + tag*3 + serial*13 + i*(1+i>>8))
}

func message(src, dst, tag, serial, n int) []byte {
	x := make([]byte, n)
	for i := range x {
		x[i] = content(src, dst, tag, serial, i)
	}
	return x
}

// blocking sends a token round all ranks, short and long, and pairs of ranks exchange.
func blocking(s *state) {
	right, left := (s.me+1)%s.p, (s.me+s.p-1)%s.p
	for _, n := range []int{0, 1, 1001, s.long(1)} {
		if s.p > 1 {
			buf := make([]byte, n)
			send := func() error { return comm.Send(s.Comm, right, 5, message(s.me, right, 5, n, n)) }
			recv := func() error { _, err := comm.Recv(s.Comm, left, 5, buf); return err }
			first, then := recv, send
			if s.me == 0 {
				first, then = send, recv
			}
			need(first())
			need(then())
			equal(s, buf, message(left, s.me, 5, n, n), "a message of %d bytes round the ring", n)
		}
		buf := make([]byte, n)
		st := got(comm.Sendrecv(s.Comm, right, comm.MaxUserTag, message(s.me, right, 1, n, n), left, comm.MaxUserTag, buf))
		s.expect(st == comm.Status{Source: left, Tag: comm.MaxUserTag, Bytes: n}, "Sendrecv of %d bytes: %+v", n, st)
		equal(s, buf, message(left, s.me, 1, n, n), "Sendrecv of %d bytes", n)
	}
}

// wildcards lets rank 0 take messages of anybody, one sender's in their order.
func wildcards(s *state) {
	const each, tag = 20, 77
	if s.me > 0 {
		for k := range each {
			if s.own.IntN(4) == 0 {
				time.Sleep(time.Duration(s.own.IntN(100)) * time.Microsecond)
			}
			need(comm.Send(s.Comm, 0, tag, message(s.me, 0, tag, k, 1+k*k*s.me)))
		}
		return
	}
	next := make([]int, s.p)
	buf := make([]byte, 1+each*each*s.p)
	for range each * (s.p - 1) {
		st := got(comm.Recv(s.Comm, comm.AnySource, tag, buf))
		k := next[st.Source]
		next[st.Source]++
		equal(s, buf[:st.Bytes], message(st.Source, 0, tag, k, 1+k*k*st.Source), "message %d of rank %d", k, st.Source)
		s.expect(st.Tag == tag, "its tag is %d, want %d", st.Tag, tag)
	}
}

// someCase checks that Some tells every request once, and what it does with nil ones,
// ones that were done before, and none.
func someCase(s *state) {
	const each = 9
	var all []comm.Request
	var bufs [][]byte
	for k := range each {
		for d := range s.p {
			r := (s.me + d) % s.p
			buf := make([]byte, 100*k*k*k)
			req := got(comm.Irecv(s.Comm, r, k, buf))
			all, bufs = append(all, req, nil), append(bufs, buf, nil)
		}
	}
	done := got(s.Some(all, false, nil))
	s.expect(len(done) == 0 || s.p > 1, "requests %v are done before anything was sent", done)
	for _, i := range done {
		all[i] = nil // may be: others were quick
	}
	for d := range s.p {
		r := (s.me + s.p - d) % s.p
		for k := range each {
			req := got(comm.Isend(s.Comm, r, k, message(s.me, r, k, 0, 100*k*k*k)))
			all = append(all, req)
		}
	}
	told := make([]bool, len(all))
	for {
		done := got(s.Some(all, s.own.IntN(3) > 0, []int{-1}))
		s.expect(done[0] == -1, "Some changed what was in done before")
		for _, i := range done[1:] {
			s.expect(all[i] != nil && !told[i], "request %d is told twice", i)
			told[i] = true
		}
		if len(done) == 1 && !slices.ContainsFunc(all, func(r comm.Request) bool {
			return r != nil && !told[slices.Index(all, r)]
		}) {
			break
		}
	}
	if done, err := s.Some(all, true, nil); err != nil || len(done) > 0 {
		s.expect(false, "Some of requests that were done: %v, %v; want nothing at once", done, err)
	}
	if done, err := s.Some(nil, true, nil); err != nil || len(done) > 0 {
		s.expect(false, "Some of no requests: %v, %v; want nothing at once", done, err)
	}
	for i, buf := range bufs {
		if buf == nil {
			continue
		}
		k, r := i/2/s.p, (s.me+i/2%s.p)%s.p
		equal(s, buf, message(r, s.me, k, 0, 100*k*k*k), "message %d of rank %d", k, r)
		if all[i] != nil {
			st, err := all[i].Status()
			s.expect(err == nil && st == comm.Status{Source: r, Tag: k, Bytes: len(buf)}, "its status is %+v, %v", st, err)
		}
	}
}

// probe learns lengths before it receives.
func probe(s *state) {
	right, left := (s.me+1)%s.p, (s.me+s.p-1)%s.p
	for k := range 6 {
		x := make([]int32, k*k*k*200+s.me)
		for i := range x {
			x[i] = int32(i * s.me)
		}
		send := got(comm.Isend(s.Comm, right, 4, x))
		src := left
		if k%2 == 1 {
			src = comm.AnySource // only one sends this tag
		}
		st := got(s.Probe(src, 4))
		n, whole := comm.Len[int32](st)
		s.expect(whole && n == k*k*k*200+left && st.Source == left && st.Tag == 4, "Probe says %+v", st)
		again := got(s.Probe(left, 4))
		s.expect(again == st, "Probe says %+v, then %+v", st, again)
		y := make([]int32, n)
		got(comm.Recv(s.Comm, st.Source, 4, y))
		need(s.Wait(send))
		for i := range y {
			s.expect(y[i] == int32(i*left), "element %d is %d, want %d", i, y[i], i*left)
		}
	}
}

// lengths receives messages into longer and shorter memory.
func lengths(s *state) {
	right, left := (s.me+1)%s.p, (s.me+s.p-1)%s.p
	for _, n := range []int{10, s.long(8)} {
		var sends []comm.Request
		for range 3 {
			r := got(comm.Isend(s.Comm, right, 9, numbers[float64](s.me, n)))
			sends = append(sends, r)
		}
		x := make([]float64, n+5)
		x[n] = -1
		st := got(comm.Recv(s.Comm, left, 9, x))
		s.expect(st.Bytes == 8*n && x[n] == -1, "a message of %d bytes for more: %+v, then %v", 8*n, st, x[n])
		equal(s, x[:n], numbers[float64](left, n), "a message for longer memory")
		_, err := comm.Recv(s.Comm, left, 9, x[:n-1])
		s.expect(err != nil, "a message of %d elements for memory of %d was no error", n, n-1)
		clear(x)
		got(comm.Recv(s.Comm, left, 9, x))
		equal(s, x[:n], numbers[float64](left, n), "the message after one that was too long")
		need(s.Wait(sends...))
	}
}

// exchange goes to the neighbours on a ring and across it, with lengths that differ.
func exchange(s *state) {
	length := func(a, b, scale int) int { return (a*5 + b*3) % 4 * scale }
	for _, scale := range []int{1, 1000, s.long(4) / 3} {
		var peers []int
		for _, d := range []int{0, 1, s.p - 1, s.p / 2, s.p - s.p/2} {
			if r := (s.me + d) % s.p; !slices.Contains(peers, r) {
				peers = append(peers, r)
			}
		}
		var send, recv, want [][]float32
		for _, r := range peers {
			send = append(send, numbers[float32](s.me*s.p+r, length(s.me, r, scale)))
			recv = append(recv, make([]float32, length(r, s.me, scale)))
			want = append(want, numbers[float32](r*s.p+s.me, length(r, s.me, scale)))
		}
		need(comm.Exchange(s.Comm, 3, peers, send, recv))
		for i, r := range peers {
			equal(s, recv[i], want[i], "from rank %d", r)
		}
	}
}

// oneself sends to this rank, which counts as nothing.
func oneself(s *state) {
	defer s.Phase(s.Phase("to oneself"))
	was := s.Total("to oneself")
	for _, n := range []int{0, 3, s.long(1)} {
		buf := make([]byte, n)
		r := got(comm.Irecv(s.Comm, s.me, 2, buf))
		need(comm.Send(s.Comm, s.me, 2, message(s.me, s.me, 2, 0, n)))
		need(s.Wait(r))
		equal(s, buf, message(s.me, s.me, 2, 0, n), "a message of %d bytes to oneself", n)
	}
	s.expect(s.Total("to oneself") == was, "messages to oneself count: %+v after %+v", s.Total("to oneself"), was)
}

// A letter of a random schedule.
type letter struct{ src, dst, tag, serial, n int }

// schedules sends random messages that all ranks know, each posting its own in a random
// order, and finds the counters exact.
func schedules(s *state) {
	rounds := 5
	if s.Long {
		rounds = 50
	}
	defer s.Phase(s.Phase("schedule"))
	for range rounds {
		var plan []letter
		serial := map[[3]int]int{}
		for range 30 * s.p {
			l := letter{src: s.same.IntN(s.p), dst: s.same.IntN(s.p), tag: s.same.IntN(3) * (comm.MaxUserTag / 2)}
			l.n = [...]int{0, 1, s.same.IntN(100), s.same.IntN(5000), s.same.IntN(70000)}[s.same.IntN(5)]
			key := [3]int{l.src, l.dst, l.tag}
			l.serial = serial[key]
			serial[key]++
			plan = append(plan, l)
		}
		s.follow(plan)
	}
}

// follow sends and receives a plan. Messages from one rank to another with one tag keep
// their order on both sides; all else is shuffled.
func (s *state) follow(plan []letter) {
	was := s.Total("schedule")
	want := was
	var acts []letter // src is -1 for what this rank receives
	for _, l := range plan {
		if l.src == s.me {
			acts = append(acts, l)
		}
		if l.dst == s.me {
			m := l
			m.serial += 1 << 20 // to tell it from a message to oneself
			acts = append(acts, m)
		}
		if l.src != l.dst {
			if l.src == s.me {
				want.Sent++
				want.BytesSent += int64(l.n)
			}
			if l.dst == s.me {
				want.Received++
				want.BytesReceived += int64(l.n)
			}
		}
	}
	shuffle(s.own, acts)
	var all []comm.Request
	var bufs [][]byte
	var from []letter
	for _, l := range acts {
		var r comm.Request
		var buf []byte
		if l.serial >= 1<<20 {
			l.serial -= 1 << 20
			buf = make([]byte, l.n)
			r = got(comm.Irecv(s.Comm, l.src, l.tag, buf))
		} else {
			r = got(comm.Isend(s.Comm, l.dst, l.tag, message(l.src, l.dst, l.tag, l.serial, l.n)))
		}
		all, bufs, from = append(all, r), append(bufs, buf), append(from, l)
		if s.own.IntN(8) == 0 {
			got(s.Some(all, false, nil))
		}
	}
	need(s.Wait(all...))
	for i, buf := range bufs {
		if l := from[i]; buf != nil {
			equal(s, buf, message(l.src, l.dst, l.tag, l.serial, l.n), "%+v", l)
		}
	}
	s.expect(s.Total("schedule") == want, "counted %+v, want %+v", s.Total("schedule"), want)
}

// shuffle mixes acts, but for the order of those that go the same way with one tag.
func shuffle(rnd *rand.Rand, acts []letter) {
	type way struct {
		src, dst, tag int
		in            bool
	}
	of := func(l letter) way { return way{l.src, l.dst, l.tag, l.serial >= 1<<20} }
	queues := map[way][]letter{}
	for _, l := range acts {
		queues[of(l)] = append(queues[of(l)], l)
	}
	rnd.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for i, l := range acts {
		k := of(l)
		acts[i] = queues[k][0]
		queues[k] = queues[k][1:]
	}
}
