package cost_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Two ways to multiply on two ranks: send half of B while the product goes on, or first all.
func ExampleChoose() {
	on := cost.Machine{Link: cost.Link{Latency: 2e-6, Bandwidth: 10e9}, Flops: 50e9, Rates: [machine.Levels]float64{machine.Memory: 20e9}}
	product, send := cost.Work{Flops: 2e9}, cost.Work{Messages: 1, Sent: 4e6}
	var list []cost.Candidate[string]
	for _, x := range []struct {
		name  string
		steps []cost.Step
	}{
		{"first all", cost.Then(cost.Then(nil, send, cost.Work{}), product, cost.Work{})},
		{"meanwhile", cost.Then(nil, product, send)},
	} {
		list = append(list, cost.Candidate[string]{Name: x.name, Work: cost.Sum(x.steps), Seconds: cost.Total(x.steps, on)})
	}
	best := list[cost.Choose(list, 0)]
	fmt.Println(best.Name, cost.Seconds(best.Seconds))
	// Output: meanwhile 40 ms
}
