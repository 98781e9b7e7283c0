package cost

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// two is a machine whose prices are easy: a flop 1 s, a byte of memory 2 s, a message 10 s and
// 4 s a byte, a launch 100 s.
var two = Machine{Link: Link{Latency: 10, Bandwidth: .25}, Flops: 1, Rates: [machine.Levels]float64{machine.Memory: .5}, Launch: 100}

// TestTime: work takes what its parts take, one after another.
func TestTime(t *testing.T) {
	for _, c := range []struct {
		what string
		work Work
		want float64
	}{
		{"nothing", Work{}, 0},
		{"flops", Work{Flops: 3}, 3},
		{"bytes", Move(machine.Memory, 3), 6},
		{"messages", Work{Messages: 2, Sent: 5}, 40},
		{"launches", Work{Launches: 2}, 200},
		{"measured", Work{Seconds: 7}, 7},
		{"all", Work{Flops: 3, Messages: 2, Sent: 5, Launches: 2, Seconds: 7}.Plus(Move(machine.Memory, 3)), 256},
		{"what the machine cannot do", Move(machine.L1, 1), math.Inf(1)},
	} {
		if have := Time(c.work, two); have != c.want {
			t.Errorf("%s: %v s; want %v", c.what, have, c.want)
		}
	}
}

// TestSpent: what a time is spent on has a name, and is said longest first.
func TestSpent(t *testing.T) {
	seen := map[string]bool{}
	for r := range Resources {
		if seen[r.String()] || r.String() == "" {
			t.Errorf("resource %d is %q", r, r)
		}
		seen[r.String()] = true
	}
	for level, want := range []Resource{L1, L2, L3, Memory} {
		if have := Of(level); have != want {
			t.Errorf("level %d is %v; want %v", level, have, want)
		}
	}
	work := Work{Flops: 30, Launches: 1}.Plus(Move(machine.Memory, 1)).On(two)
	p := Predict(work, 66, 1)
	if p.Seconds != 132 || p.Bound() != Launch || p.Rate() != .5 || p.Share() != .5 || p.Because(3) != "launch 76 %, fma 23 %, memory 2 %" || p.Because(1) != "launch 76 %" {
		t.Errorf("%+v: %s", p, p.Because(9))
	}
	if none := (Prediction{}); none.Rate() != 0 || none.Share() != 0 || none.Because(3) != "" {
		t.Errorf("nothing is predicted to run at %v because of %q", none.Rate(), none.Because(3))
	}
}

// TestOverlap: the longer shows whole and a part of the other; several at once take at least the longest, and at most
// their sum.
func TestOverlap(t *testing.T) {
	for _, c := range []struct{ x, y, shown, want float64 }{{3, 2, 0, 3}, {2, 3, 0, 3}, {3, 2, .5, 4}, {2, 3, 1, 5}} {
		if have := Beside(c.x, c.y, c.shown); have != c.want {
			t.Errorf("%+v: %v", c, have)
		}
		s, other := Spent{FMA: c.x}, Spent{L2: c.y}
		if s.Beside(&other, c.shown); s.Total() != c.want {
			t.Errorf("%+v: %v", c, s)
		}
	}
	if have := Norm(1, 3, 2, 1); math.Abs(have-6) > 1e-12 {
		t.Errorf("in a norm of 1: %v; want the sum", have)
	}
	if have := Norm(2, 3, 4); math.Abs(have-5) > 1e-12 {
		t.Errorf("in a norm of 2: %v; want 5", have)
	}
	if have := Norm(1e3, 3, 2); have < 3 || have > 3.01 || Norm(2, 0, 0) != 0 {
		t.Errorf("in a norm of 1000: %v; want 3", have)
	}
}

// TestSteps: steps follow one another, and what goes on meanwhile counts if it takes longer.
func TestSteps(t *testing.T) {
	var list []Step
	for range 3 {
		list = Then(list, Work{Flops: 5}, Work{Messages: 1})
	}
	list = Then(list, Work{Flops: 50}, Work{Messages: 1})
	if len(list) != 2 || list[0].Times != 3 {
		t.Errorf("%+v; want equal steps together", list)
	}
	if have := Total(list, two); have != 3*10+50 {
		t.Errorf("%v s; want 80", have)
	}
	if have := Sum(list); have != (Work{Flops: 65, Messages: 4}) {
		t.Errorf("%+v", have)
	}
}

// TestPort: messages leave one after another and are on their way together.
func TestPort(t *testing.T) {
	p := Port{Link: Link{Latency: 3, Bandwidth: 2}}
	for i, want := range []float64{1 + 2 + 3, 1 + 2 + 2 + 3, 20 + 2 + 3} {
		if have := p.Send([]float64{1, 1, 20}[i], 4); have != want {
			t.Errorf("message %d arrives after %v s; want %v", i, have, want)
		}
	}
	if free := (&Port{Link: Link{Latency: 3}}).Send(1, 1e9); free != 4 {
		t.Errorf("without a limit it arrives after %v s; want 4", free)
	}
}

// TestChoose: the simplest of those that are nearly the fastest, and never one that adds in
// another order.
func TestChoose(t *testing.T) {
	list := []Candidate[int]{{Name: "a", Seconds: 10}, {Name: "b", Seconds: 8.2}, {Name: "c", Seconds: 8}, {Name: "d", Seconds: 1, Order: "other"}}
	for slack, want := range map[float64]int{0: 2, .05: 1, .5: 0} {
		if have := Choose(list, slack); have != want {
			t.Errorf("with %v: %s; want %s", slack, list[have].Name, list[want].Name)
		}
	}
	list[1].Holds, list[2].Holds = 100, 50
	fit, least := Fit(list[1:3], Machine{Memory: 60})
	if len(fit) != 1 || fit[0].Name != "c" || least != 50 {
		t.Errorf("%+v fit, the smallest holds %d", fit, least)
	}
	Sort(list)
	var b strings.Builder
	if err := Table(&b, list, 1); err != nil || strings.Index(b.String(), "d  ") > strings.Index(b.String(), "c  ") || !strings.Contains(b.String(), "8 s      <- the choice") {
		t.Errorf("%v\n%s", err, b.String())
	}
	t.Run("one by one", testBest)
	t.Run("slowest", testSlowest)
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1 << 10: "1 KiB", 1000 << 10: "1000 KiB", 1 << 20: "1 MiB", 1<<20 - 1: "1024 KiB", 83<<20 + 400<<10: "83.4 MiB", 3 << 40: "3072 GiB"} {
		if have := Bytes(n); have != want {
			t.Errorf("%d bytes are %s; want %s", n, have, want)
		}
	}
}

// testBest: the first of the fastest, from candidates that come one by one.
func testBest(t *testing.T) {
	var b Best[string]
	for i, x := range []struct {
		plan    string
		seconds float64
		taken   bool
	}{{"unknown", math.NaN(), true}, {"as unknown", math.NaN(), false}, {"never", math.Inf(1), true}, {"slow", 3, true}, {"fast", 2, true}, {"as fast", 2, false}, {"unknown", math.NaN(), false}, {"slower", 4, false}} {
		if b.Offer(x.plan, x.seconds) != x.taken || !b.Found {
			t.Errorf("candidate %d, %s: %+v", i, x.plan, b)
		}
	}
	if b != (Best[string]{"fast", 2, true}) {
		t.Errorf("%+v; want the fast one", b)
	}
	if n := testing.AllocsPerRun(10, func() { b.Offer("fastest", 1) }); n != 0 {
		t.Errorf("an offer allocates %v times", n)
	}
}

// testSlowest: the first of the largest parts, and 0 for none.
func testSlowest(t *testing.T) {
	for _, c := range []struct {
		parts []float64
		want  int
	}{{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{1, 3, 2, 3}, 1}, {[]float64{1, 3, 4}, 2}} {
		if have := Slowest(c.parts); have != c.want {
			t.Errorf("of %v part %d; want %d", c.parts, have, c.want)
		}
	}
}

func TestMachineCheck(t *testing.T) {
	if err := two.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(m *Machine){
		func(m *Machine) { m.Latency = -1 }, func(m *Machine) { m.Latency = math.Inf(1) }, func(m *Machine) { m.Bandwidth = 0 },
		func(m *Machine) { m.Bandwidth = math.NaN() }, func(m *Machine) { m.Flops = -1 }, func(m *Machine) { m.Rates[0] = math.NaN() }, func(m *Machine) { m.Memory = -1 },
	} {
		m := two
		change(&m)
		if m.Check() == nil {
			t.Errorf("%+v is taken", m)
		}
	}
}
