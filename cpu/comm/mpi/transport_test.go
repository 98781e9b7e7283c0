package mpi

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// options reads those of a task from the environment.
func options() Options {
	limit, _ := strconv.ParseInt(os.Getenv("LIMIT"), 10, 64)
	return Options{OneThread: os.Getenv("ONE_THREAD") != "", limit: limit}
}

// ways are the options with which everything must be the same: one thread for all
// calls, counts so small that most messages need a type of their own.
var ways = map[string][]string{
	"threads":             nil,
	"one thread":          {"ONE_THREAD=1"},
	"small counts":        {"LIMIT=100"},
	"one of small counts": {"ONE_THREAD=1", "LIMIT=7"},
}

func init() {
	tasks["transport"] = func() error {
		t, err := options().start(os.Getenv)
		if err != nil {
			return err
		}
		for _, f := range []func(*transport) error{lengths, order8, some, anySource, probe, truncated, splits, storm, natives} {
			if err := f(t); err != nil {
				return fmt.Errorf("rank %d: %w", t.rank, err)
			}
			if err := t.Barrier(); err != nil {
				return err
			}
		}
		if t.rank == 0 {
			fmt.Printf("ok %d %s\n", t.size, t.lib.abi.family)
		}
		return t.Close()
	}
}

func TestTransport(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		for _, p := range i.sizes() {
			for way, env := range ways {
				if env != nil && (p > 2 || !long()) {
					continue // more processes than cores are slow, and two show as much
				}
				t.Run(fmt.Sprintf("p=%d/%s", p, way), func(t *testing.T) {
					r := i.run(t, p, "transport", env...).ok(t)
					if want := fmt.Sprintf("ok %d %s", p, i.name); !strings.Contains(r.out, want) {
						t.Errorf("printed %q, want %q\n%s", r.out, want, r.errs)
					}
				})
			}
		}
	})
}

// content is a message that only one sender sends.
func content(n, from, tag int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + from*31 + tag*131 + i>>8)
	}
	return b
}

func same(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return fmt.Errorf("received %d bytes %v..., want %d %v...", len(got), got[:min(8, len(got))], len(want), want[:min(8, len(want))])
	}
	return nil
}

// lengths sends round a ring messages of all lengths, to buffers that are just long
// enough or longer, blocking by turns and not.
func lengths(t *transport) error {
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	for _, n := range []int{0, 1, 7, 8, 99, 100, 101, 200, 1000, 65536, 1 << 20} {
		for _, more := range []int{0, 13} {
			b := make([]byte, n+more)
			s, err := t.Isend(next, n%comm.MaxTag, content(n, t.rank, n))
			if err != nil {
				return err
			}
			got, err := t.Recv(last, n%comm.MaxTag, b)
			if err != nil {
				return err
			}
			if want := (comm.Status{Source: last, Tag: n % comm.MaxTag, Bytes: n}); got != want {
				return fmt.Errorf("status %+v, want %+v", got, want)
			}
			if _, err := t.wait(s); err != nil {
				return err
			}
			if err := same(b[:n], content(n, last, n)); err != nil {
				return err
			}
			if err := same(b[n:], make([]byte, more)); err != nil {
				return fmt.Errorf("behind the message: %w", err)
			}
		}
	}
	if t.size == 1 {
		return nil
	}
	// Blocking on both sides, which takes an order.
	b := make([]byte, 1<<20)
	for turn := range 2 {
		if t.rank%2 == turn && t.rank+1 < t.size {
			if err := t.Send(t.rank+1, comm.MaxTag, content(len(b), t.rank, 5)); err != nil {
				return err
			}
		} else if t.rank%2 != turn && t.rank > 0 {
			if _, err := t.Recv(t.rank-1, comm.MaxTag, b); err != nil {
				return err
			}
			if err := same(b, content(len(b), t.rank-1, 5)); err != nil {
				return err
			}
		}
	}
	return nil
}

// order8 sends messages with two tags, and receives those of one tag first.
func order8(t *transport) error {
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	var sent []comm.Request
	for i := range 8 {
		r, err := t.Isend(next, i%2, []byte{byte(i)})
		if err != nil {
			return err
		}
		sent = append(sent, r)
	}
	for _, want := range []byte{1, 3, 5, 7, 0, 2, 4, 6} {
		b := make([]byte, 1)
		if _, err := t.Recv(last, int(want%2), b); err != nil || b[0] != want {
			return fmt.Errorf("received %d, want %d: %v", b[0], want, err)
		}
	}
	return all(t, sent)
}

func all(t *transport, requests []comm.Request) error {
	for n := len(requests); n > 0; {
		done, err := t.Some(requests, true, nil)
		if err != nil {
			return err
		}
		n -= len(done)
	}
	for _, r := range requests {
		if _, err := r.Status(); err != nil {
			return err
		}
	}
	return nil
}

// some looks at what Some returns, with and without waiting, for lists with nil and with
// requests that were done before.
func some(t *transport) error {
	const n = 20
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	bufs, requests := make([][]byte, n), make([]comm.Request, 0, 2*n+1)
	for i := range n {
		bufs[i] = make([]byte, 50*i)
		r, err := t.Irecv(last, i, bufs[i])
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	requests = append(requests, nil)
	if done, err := t.Some(requests, false, []int{-7}); err != nil || len(done) != 1 && t.size == 1 || done[0] != -7 {
		return fmt.Errorf("before anything was sent %v are done: %v", done, err)
	}
	if err := t.Barrier(); err != nil {
		return err
	}
	for i := range n {
		r, err := t.Isend(next, i, content(50*i, t.rank, i))
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	seen := map[int]bool{}
	for turn := 0; len(seen) < 2*n; turn++ {
		done, err := t.Some(requests, turn%2 == 0, nil)
		if err != nil {
			return err
		}
		if turn%2 == 0 && len(done) == 0 {
			return errors.New("waited for nothing")
		}
		for _, i := range done {
			if seen[i] || requests[i] == nil {
				return fmt.Errorf("%d is done twice, or never was begun", i)
			}
			seen[i] = true
		}
	}
	if done, err := t.Some(requests, true, nil); err != nil || len(done) > 0 {
		return fmt.Errorf("all done, and again %v: %v", done, err)
	}
	for i := range n {
		s, err := requests[i].Status()
		if want := (comm.Status{Source: last, Tag: i, Bytes: 50 * i}); err != nil || s != want {
			return fmt.Errorf("status %+v, want %+v: %v", s, want, err)
		}
		if err := same(bufs[i], content(50*i, last, i)); err != nil {
			return err
		}
	}
	if n, last := t.left(); n != 0 {
		return fmt.Errorf("%d are left, %s", n, last)
	}
	return nil
}

// anySource receives from all, in the order of their coming.
func anySource(t *transport) error {
	var sent []comm.Request
	for r := range t.size {
		s, err := t.Isend(r, 9, content(300+t.rank, t.rank, 9))
		if err != nil {
			return err
		}
		sent = append(sent, s)
	}
	from := map[int]bool{}
	for range t.size {
		b := make([]byte, 1000)
		s, err := t.Recv(comm.AnySource, 9, b)
		if err != nil {
			return err
		}
		if from[s.Source] || s.Bytes != 300+s.Source || s.Tag != 9 {
			return fmt.Errorf("status %+v", s)
		}
		from[s.Source] = true
		if err := same(b[:s.Bytes], content(s.Bytes, s.Source, 9)); err != nil {
			return err
		}
	}
	return all(t, sent)
}

// probe looks at a message before it makes room for it.
func probe(t *transport) error {
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	s, err := t.Isend(next, 3, content(12345, t.rank, 3))
	if err != nil {
		return err
	}
	for _, src := range []int{last, comm.AnySource} {
		got, err := t.Probe(src, 3)
		if want := (comm.Status{Source: last, Tag: 3, Bytes: 12345}); err != nil || got != want {
			return fmt.Errorf("probe of %d: %+v, want %+v: %v", src, got, want, err)
		}
	}
	b := make([]byte, 12345)
	if _, err := t.Recv(last, 3, b); err != nil {
		return err
	}
	return errors.Join(same(b, content(12345, last, 3)), all(t, []comm.Request{s}))
}

// truncated sends more than there is room for, in each way to receive. It is the
// receiver's error, and takes the message: the next one comes whole.
func truncated(t *transport) error {
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	for _, n := range []int{17, 300000} {
		for way := range 2 {
			var sent []comm.Request
			for _, m := range []int{n, 3} {
				s, err := t.Isend(next, 4, content(m, t.rank, 4))
				if err != nil {
					return err
				}
				sent = append(sent, s)
			}
			b, err := make([]byte, 16), error(nil)
			if way == 0 {
				_, err = t.Recv(last, 4, b)
			} else {
				ok, _ := t.Irecv(last, 5, b[8:])
				r, _ := t.Irecv(last, 4, b[:8])
				s, _ := t.Isend(next, 5, b[:0])
				if err := all(t, []comm.Request{s, ok}); err != nil {
					return err
				}
				_, err = t.wait(r)
			}
			if want := fmt.Sprintf("a message from rank %d with tag 4 is longer than the buffer of %d bytes: MPI_", last, 16-8*way); err == nil || !strings.HasPrefix(err.Error(), want) {
				return fmt.Errorf("the error is %q, want %q", err, want)
			}
			if e := (*Error)(nil); !errors.As(err, &e) || e.Text == "" {
				return fmt.Errorf("the error is %#v, want an Error with a text", err)
			}
			if s, err := t.Recv(last, 4, b); err != nil || s.Bytes != 3 {
				return fmt.Errorf("after it came %+v: %v", s, err)
			}
			if err := all(t, sent); err != nil {
				return err
			}
		}
	}
	return nil
}

// splits makes groups by numbers that fit into no int of C, and sends in two at once.
func splits(t *transport) error {
	const far = math.MaxInt >> 8
	g, err := t.Split(far+t.rank%2, -far*t.rank)
	if err != nil {
		return err
	}
	part := g.(*transport)
	members := (t.size + 1 - t.rank%2) / 2
	if want := members - 1 - t.rank/2; part.Size() != members || part.Rank() != want {
		return fmt.Errorf("rank %d of %d, want %d of %d", part.Rank(), part.Size(), want, members)
	}
	next, last := (part.rank+1)%part.size, (part.rank+part.size-1)%part.size
	s, err := part.Isend(next, 1, []byte{byte(part.rank)})
	if err != nil {
		return err
	}
	u, err := t.Isend((t.rank+1)%t.size, 1, []byte{byte(100 + t.rank)})
	if err != nil {
		return err
	}
	b := make([]byte, 2)
	if _, err := t.Recv((t.rank+t.size-1)%t.size, 1, b[:1]); err != nil || int(b[0]) != 100+(t.rank+t.size-1)%t.size {
		return fmt.Errorf("received %d: %v", b[0], err)
	}
	if _, err := part.Recv(last, 1, b[1:]); err != nil || int(b[1]) != last {
		return fmt.Errorf("the part received %d: %v", b[1], err)
	}
	if err := all(t, []comm.Request{s, u}); err != nil {
		return err
	}
	none, err := t.Split(-1-t.rank, 0)
	if err != nil || none != nil {
		return fmt.Errorf("of a negative color came %v, %v", none, err)
	}
	if err := part.Close(); err != nil {
		return err
	}
	if err := part.Send(0, 1, b); !errors.Is(err, errClosed) {
		return fmt.Errorf("a send after the end: %v", err)
	}
	return nil
}

// storm has goroutines that send to each other with stacks that grow and are collected,
// and with garbage all over; each has a tag.
func storm(t *transport) error {
	const goroutines, rounds = 6, 60
	next, last := (t.rank+1)%t.size, (t.rank+t.size-1)%t.size
	var wg sync.WaitGroup
	errs := make([]error, goroutines)
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				if err := deep(g*4%7, func() error {
					n := (g*1009 + i*331) % 5000
					b := make([]byte, n)
					r, err := t.Irecv(last, 100+g, b)
					if err != nil {
						return err
					}
					s, err := t.Isend(next, 100+g, content(n, t.rank, i))
					if err != nil {
						return err
					}
					if i%8 == g {
						runtime.GC()
					}
					return errors.Join(all(t, []comm.Request{s, r}), same(b, content(n, last, i)))
				}); err != nil {
					errs[g] = fmt.Errorf("goroutine %d, round %d: %w", g, i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

//go:noinline
func deep(n int, f func() error) error {
	var pad [512]byte
	pad[n] = 1
	if n == 0 {
		return f()
	}
	err := deep(n-1, f)
	runtime.KeepAlive(&pad)
	return err
}
