package comm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStack(t *testing.T) {
	for text, want := range map[string]stack{
		"goroutine 7 [chan receive, 2 minutes]:\nmain.f(0x1)\n\t/x/y.go:1\ncreated by main.main in goroutine 1\n\t/x/y.go:2": {id: 7, parent: 1, state: "chan receive"},
		"goroutine 1 [running]:\nmain.main()\n\t/x/y.go:1":                                                                   {id: 1, state: "running"},
		"goroutine 18446744073709551615 [select (scan), locked to thread]:\nmain.main()":                                     {id: 1<<64 - 1, state: "select"},
		"": {},
	} {
		want.text = text
		if diff := cmp.Diff(want, parseStack(text), cmp.AllowUnexported(stack{})); diff != "" {
			t.Error(diff)
		}
	}
}

// TestStill: goroutine 10 and 11 are ranks, 1 is the main function.
func TestStill(t *testing.T) {
	const sleep = "\ngithub.com/tilesmith/tilesmith/cpu/comm.(*waiter).sleep(0x1)\n"
	const ranks = "10 1 chan receive" + sleep + "|11 1 chan receive" + sleep + "|1 0 chan receive"
	for _, c := range []struct {
		what, list string
		want       bool
	}{
		{"both wait", ranks, true},
		{"the main function computes", strings.Replace(ranks, "|1 0 chan receive", "|1 0 running", 1), true},
		{"one is woken and does not run yet", strings.Replace(ranks, "chan receive", "runnable", 1), false},
		{"one computes", "10 1 running|11 1 chan receive" + sleep, false},
		{"one reads a channel", "10 1 chan receive|11 1 chan receive" + sleep, false},
		{"one has ended", "11 1 chan receive" + sleep, true},
		{"a child computes", ranks + "|12 10 runnable", false},
		{"a child of one that has ended", "11 1 chan receive" + sleep + "|12 10 running", false},
		{"a child waits for a message", ranks + "|12 10 chan receive" + sleep, true},
		{"a grandchild sleeps", ranks + "|12 10 chan receive" + sleep + "|13 12 sleep", false},
		{"a message is on its way", ranks + "|12 10 IO wait\n/comm.(*port).run(", false},
		{"no message is on its way", ranks + "|12 10 chan receive\n/comm.(*port).idle(", true},
		{"one waits for its child", "10 1 sync.WaitGroup.Wait|11 1 chan receive" + sleep + "|12 10 chan receive" + sleep, true},
		{"one waits for a stranger", "10 1 sync.WaitGroup.Wait|11 1 chan receive" + sleep + "|12 1 running", false},
		{"a run inside", ranks + "|12 10 select\n/comm.(*world).watch(", true},
		{"a stranger computes", ranks + "|12 1 running", true},
		{"an orphan computes", ranks + "|13 12 running", false},
		{"an orphan waits", ranks + "|13 12 select", true},
		{"an orphan waits and a stranger computes", ranks + "|13 12 select|14 1 running", false},
		{"one waits for its child, and a profile is written", "10 1 sync.WaitGroup.Wait|11 1 chan receive" + sleep + "|12 10 chan receive" + sleep + "|14 1 sleep\ntime.Sleep(0x5f5e100)\nruntime/pprof.profileWriter(0x1)", true},
		{"an orphan waits, and so do signals", ranks + "|13 12 select|14 1 syscall\nos/signal.signal_recv()", true},
	} {
		var list []stack
		for text := range strings.SplitSeq(c.list, "|") {
			head, body, _ := strings.Cut(text, "\n")
			f := strings.SplitN(head, " ", 3)
			list = append(list, parseStack("goroutine "+f[0]+" ["+f[2]+"]:\n"+body+"\ncreated by x in goroutine "+f[1]))
		}
		if got := still(list, map[uint64]bool{10: true, 11: true}); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
