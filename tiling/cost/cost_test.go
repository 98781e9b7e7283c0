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
	if err := Table(&b, list, 1); err != nil || strings.Index(b.String(), "d  ") > strings.Index(b.String(), "c  ") || !strings.Contains(b.String(), "8 s <-") {
		t.Errorf("%v\n%s", err, b.String())
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
