package check

import (
	"fmt"
	"iter"
	"strings"
	"testing"
)

// TB is what the checks need of a [testing.T]. If it has a Run method, as
// testing.T does, the groups of checks become subtests.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// A Recorder is a [TB] that collects failures instead of failing: with it a test
// shows that a wrong kernel is caught.
type Recorder struct {
	Failures []string
	Logs     []string
}

// Helper does nothing.
func (r *Recorder) Helper() {}

// Errorf records a failure.
func (r *Recorder) Errorf(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

// Logf records a line of the log.
func (r *Recorder) Logf(format string, args ...any) {
	r.Logs = append(r.Logs, fmt.Sprintf(format, args...))
}

// Failed reports whether there was a failure.
func (r *Recorder) Failed() bool { return len(r.Failures) > 0 }

func (r *Recorder) String() string { return strings.Join(r.Failures, "\n") }

// group runs f as the subtest name of t, or with t itself if it has none. Names
// are key=value pairs, so go test -run selects by them.
func group(t TB, name string, f func(TB)) {
	t.Helper()
	if t, ok := t.(interface {
		Run(string, func(*testing.T)) bool
	}); ok {
		t.Run(name, func(t *testing.T) { f(t) })
		return
	}
	f(&named{t, name})
}

// grouped tries all of a sequence. Those whose names begin with the same groups, up to the last slash, make a subtest of
// that name.
func grouped(t TB, all iter.Seq2[string, func(t TB, name string)]) {
	t.Helper()
	next, stop := iter.Pull2(all)
	defer stop()
	name, try, ok := next()
	for ok {
		at := strings.LastIndex(name, "/") + 1
		prefix := name[:at]
		each := func(f func()) {
			for ; ok && name[:strings.LastIndex(name, "/")+1] == prefix; name, try, ok = next() {
				f()
			}
		}
		run := func(t TB) { each(func() { try(t, name[at:]) }) }
		if prefix == "" {
			run(t)
			continue
		}
		group(t, name[:at-1], run)
		each(func() {}) // what was not selected
	}
}

// named prefixes what it passes on with the name of the group.
type named struct {
	TB
	name string
}

func (n *named) Errorf(format string, args ...any) {
	n.TB.Errorf("%s: %s", n.name, fmt.Sprintf(format, args...))
}

func (n *named) Logf(format string, args ...any) {
	n.TB.Logf("%s: %s", n.name, fmt.Sprintf(format, args...))
}
