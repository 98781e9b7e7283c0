package comm

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

func TestDeadlock(t *testing.T) {
	big := make([]byte, 20000)
	for _, c := range []struct {
		what string
		p    int
		f    func(c *Comm) error
		want []Wait
	}{
		{"a ring of receives", 3, func(c *Comm) error {
			_, err := Recv(c, (c.Rank()+1)%3, 5, make([]byte, 1))
			return err
		}, []Wait{
			{0, []string{"receives from rank 1 (tag 5)"}, nil},
			{1, []string{"receives from rank 2 (tag 5)"}, nil},
			{2, []string{"receives from rank 0 (tag 5)"}, nil},
		}},
		{"long messages both ways", 2, func(c *Comm) error {
			if err := Send(c, 1-c.Rank(), 1, big[:100]); err != nil {
				return err
			}
			if err := Send(c, 1-c.Rank(), 7, big); err != nil {
				return err
			}
			_, err := Recv(c, 1-c.Rank(), 7, make([]byte, 20000))
			return err
		}, []Wait{
			{0, []string{"sends 20000 bytes to rank 1 (tag 7), more than the eager limit of 16384, so that it waits for the receive"}, []string{"100 bytes of rank 1 (tag 1)", "20000 bytes of rank 1 (tag 7)"}},
			{1, []string{"sends 20000 bytes to rank 0 (tag 7), more than the eager limit of 16384, so that it waits for the receive"}, []string{"100 bytes of rank 0 (tag 1)", "20000 bytes of rank 0 (tag 7)"}},
		}},
		{"another tag", 2, func(c *Comm) error {
			if c.Rank() == 0 {
				return Send(c, 1, 8, big[:3])
			}
			_, err := Recv(c, AnySource, 9, big)
			return err
		}, []Wait{{0, nil, nil}, {1, []string{"receives from any rank (tag 9)"}, []string{"3 bytes of rank 0 (tag 8)"}}}},
		{"a collective, and none", 2, func(c *Comm) error {
			if c.Rank() == 0 {
				return c.Barrier()
			}
			_, err := Recv(c, 0, 9, big)
			return err
		}, []Wait{
			{0, []string{"receives from rank 1 (of Barrier)"}, nil},
			{1, []string{"receives from rank 0 (tag 9)"}, []string{"0 bytes of rank 0 (of Barrier)"}},
		}},
		{"in a group, and in Split", 3, func(c *Comm) error {
			g, err := c.Split(c.Rank()%2, 0)
			if err != nil {
				return err
			}
			if g.Size() == 2 {
				_, err = g.Probe(1-g.Rank(), 2)
				return err
			}
			_, err = c.Split(0, 0)
			return err
		}, []Wait{{0, []string{"probes for a message of rank 2 (tag 2, in a group of 2)"}, nil}, {1, []string{"is in Split"}, nil}, {2, []string{"probes for a message of rank 0 (tag 2, in a group of 2)"}, nil}}},
		{"two goroutines of a rank", 1, func(c *Comm) error {
			var all sync.WaitGroup
			for tag := range 2 {
				all.Go(func() {
					time.Sleep(time.Duration(tag) * 10 * time.Millisecond)
					Recv(c, 0, tag, big)
				})
			}
			all.Wait()
			return nil
		}, []Wait{{0, []string{"receives from rank 0 (tag 0)", "receives from rank 0 (tag 1)"}, nil}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			if err := (Local{Link: cost.Link{Latency: 1e-3}}).Run(c.p, c.f); !errors.As(err, new(*DeadlockError)) {
				t.Errorf("with a latency: error %v, want a DeadlockError", err)
			}
			err := Run(c.p, c.f)
			var e *DeadlockError
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want a DeadlockError", err)
			}
			if diff := cmp.Diff(c.want, e.Waits); diff != "" {
				t.Errorf("waits, - wanted, + found:\n%s", diff)
			}
		})
	}
}

func TestDeadlockText(t *testing.T) {
	e := &DeadlockError{[]Wait{{0, []string{"a", "b"}, []string{"c"}}, {1, nil, []string{"1", "2", "3", "4", "5", "6"}}}}
	want := "deadlock: every rank that still runs waits\n\trank 0 a and b; it does not receive c\n\trank 1 has returned; it does not receive 1, 2, 3, 4, 2 more"
	if diff := cmp.Diff(want, e.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestNoDeadlock: all ranks wait, but a goroutine of one, or one that it started, will
// send when it is done with something else.
func TestNoDeadlock(t *testing.T) {
	const pause = 4 * look
	for what, wait := range map[string]func(){
		"computes":            func() { spin(pause) },
		"sleeps":              func() { time.Sleep(pause) },
		"waits for a channel": func() { <-time.After(pause) },
		"waits for another": func() {
			var all sync.WaitGroup
			all.Go(func() { spin(pause) })
			all.Wait()
		},
		"is of one that has ended": func() {
			end := make(chan bool)
			go func() { go func() { spin(pause); end <- true }() }()
			<-end
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			err := Run(2, func(c *Comm) error {
				errs := make(chan error, 1)
				if c.Rank() == 0 {
					go func() {
						wait()
						errs <- Send(c, 1, 0, []int8{1})
					}()
				}
				if _, err := Recv(c, 1-c.Rank(), 0, make([]int8, 1)); err != nil {
					return err
				}
				if c.Rank() == 1 {
					return Send(c, 0, 0, []int8{1})
				}
				return <-errs
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func spin(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

// TestEnd: what one rank does ends the others, with the reason.
func TestEnd(t *testing.T) {
	boom := errors.New("boom")
	pending := func(c *Comm) error { // waits in every way there is
		r, err := Irecv(c, 1, 3, make([]int8, 1))
		if err != nil {
			return err
		}
		s, err := Isend(c, 1, 3, make([]int8, 1<<20))
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			return c.Wait(r, s)
		}
		_, err = c.Probe(1, 3)
		return err
	}
	for _, c := range []struct {
		what string
		f    func(c *Comm) error
		want string
		is   error
	}{
		{"error", func(c *Comm) error { return boom }, "rank 1: boom", boom},
		{"panic", func(c *Comm) error { panic("ouch") }, "rank 1: panic: ouch\n\ngoroutine ", nil},
		{"panic of an error", func(c *Comm) error { panic(boom) }, "rank 1: panic: boom", boom},
		{"Abort", func(c *Comm) error { c.Abort(boom); return c.Barrier() }, "rank 1 called Abort: boom", boom},
		{"Goexit", func(c *Comm) error { runtime.Goexit(); return nil }, "rank 1: its goroutine ended without returning", nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			var others atomic.Int64
			err := Run(4, func(x *Comm) error {
				if x.Rank() == 1 {
					time.Sleep(2 * time.Millisecond)
					return c.f(x)
				}
				err := pending(x)
				var e *EndedError
				if errors.As(err, &e) && strings.Contains(err.Error(), "rank 1") {
					others.Add(1)
				}
				if err := Send(x, 0, 0, []int8{1}); err == nil {
					t.Error("a Send after the end has no error")
				}
				return err
			})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if others.Load() != 3 {
				t.Errorf("%d of 3 other ranks ended with the reason", others.Load())
			}
			if c.what == "panic" && !strings.Contains(err.Error(), "local_test.go") {
				t.Errorf("no stack in: %v", err)
			}
		})
	}
}

func TestUnreceived(t *testing.T) {
	for _, l := range []Local{{}, {Link: cost.Link{Latency: 1e-3}}} {
		err := l.Run(3, func(c *Comm) error {
			if c.Rank() == 2 {
				return Send(c, 0, 4, []float64{1, 2})
			}
			return nil
		})
		if want := "messages are left when all ranks have returned: rank 0 did not receive 16 bytes of rank 2 (tag 4)"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestRunArguments(t *testing.T) {
	nothing := func(c *Comm) error { return nil }
	for _, c := range []struct {
		err  error
		want string
	}{
		{Run(0, nothing), "0 ranks; want at least 1"},
		{Run(1, nil), "no function"},
		{Local{Link: cost.Link{Latency: -1}}.Run(1, nothing), "a latency of -1 s"},
		{Local{Link: cost.Link{Latency: math.Inf(1)}}.Run(1, nothing), "a latency of +Inf s"},
		{Local{Link: cost.Link{Latency: 1e10}}.Run(1, nothing), "want a latency from 0 to 1e+09 s"},
		{Local{Link: cost.Link{Bandwidth: -2}}.Run(1, nothing), "a bandwidth of -2 bytes"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %s", c.err, c.want)
		}
	}
}

// TestOrder: messages with one tag come in order, whatever their length and whether a
// receive waits; tags do not meet; AnySource takes what came first.
func TestOrder(t *testing.T) {
	for _, l := range []Local{{}, {Eager: -1}, {Link: cost.Link{Latency: 50e-6, Bandwidth: 1e9}}} {
		err := l.Run(3, func(c *Comm) error {
			const n = 200
			if c.Rank() > 0 {
				var all []Request
				for i := range n {
					x := make([]int32, 1+i*i%9000)
					x[0] = int32(i)
					r, err := Isend(c, 0, i%3, x)
					if err != nil {
						return err
					}
					all = append(all, r)
				}
				return c.Wait(all...)
			}
			var next [3][3]int32
			for tag := range next[0] {
				next[1][tag], next[2][tag] = int32(tag), int32(tag)
			}
			x := make([]int32, 9000)
			for i := range 2 * n {
				tag := 2 - i*3/(2*n) // the last tag first
				for next[1][tag] >= n && next[2][tag] >= n {
					tag = (tag + 1) % 3
				}
				s, err := Recv(c, AnySource, tag, x)
				if err != nil {
					return err
				}
				want := &next[s.Source][tag]
				if x[0] != *want || s.Bytes != 4*(1+int(*want)*int(*want)%9000) || s.Tag != tag {
					return fmt.Errorf("message %d of rank %d with tag %d (%d bytes), want %d", x[0], s.Source, tag, s.Bytes, *want)
				}
				*want += 3
			}
			return nil
		})
		if err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// TestWaitAfterEnd: who begins to wait when the run has ended does not sleep.
func TestWaitAfterEnd(t *testing.T) {
	w := newWorld(1, Local{})
	l := &local{m: w.members[0], g: newParty(w.members)}
	w.end(errors.New("boom"))
	r := new(request)
	r.set(receive, l, 0, 1, nil)
	l.g.boxes[0].post(r)
	woken := make(chan error)
	go func() { woken <- l.finish(r) }()
	go func() { woken <- l.m.wait([]Request{new(request)}) }()
	for range 2 {
		select {
		case <-woken:
		case <-time.After(time.Minute):
			t.Fatal("it sleeps")
		}
	}
}
