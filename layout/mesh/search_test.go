package mesh

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// hard are meshes and arrays for which there are many states.
var hard = []struct {
	name  string
	on    string
	shape []int
	most  int // states looked at by any of the pairs below
}{
	{"2^6", "a=2,b=2,c=2,d=2,e=2,f=2", []int{64, 64, 64, 64}, 40000},
	{"2^6uneven", "a=2,b=2,c=2,d=2,e=2,f=2", []int{63, 65, 61, 7}, 60000},
	{"2and3", "a=2,b=3,c=2,d=2,e=3,f=2", []int{72, 72, 72, 72}, 60000},
	{"2and3and5uneven", "a=2,b=3,c=2,d=2,e=5,f=2", []int{71, 31, 7, 64}, 60000},
	{"4^6", "a=4,b=4,c=4,d=4,e=4,f=4", []int{64, 64, 64, 64}, 40000},
	{"4^6uneven", "a=4,b=4,c=4,d=4,e=4,f=4", []int{65, 63, 61, 59}, 90000},
	{"split", "a=4,b=2,c=4,d=2", []int{9, 5, 7, 3}, 90000},
	{"large", "a=64,b=64", []int{40960, 4096}, 1000},
}

// random returns a sharding that uses most axes.
func random(r *rand.Rand, m Mesh, shape []int) Sharding {
	dims := make([]Dim, len(shape))
	for i, n := range shape {
		dims[i].Size = n
	}
	for _, a := range r.Perm(len(m.axes)) {
		if r.IntN(5) > 0 {
			i := r.IntN(len(dims))
			dims[i].Axes = append(dims[i].Axes, m.axes[a].Name)
		}
	}
	return Must(m.Shard(dims...))
}

// TestSearchIsSmall: on 6 axes and 4 dimensions the search looks at few of the states
// that there are, 117,000 for each of three phases.
func TestSearchIsSmall(t *testing.T) {
	for _, c := range hard {
		n := level.Of(1, 2, 4)
		m, r := Must(ParseMesh(c.on)), rand.New(level.PCG(1, 2))
		most := 0
		for range n {
			from, to := random(r, m, c.shape), random(r, m, c.shape)
			way, _, err := search(from, to, nil)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, way.states)
		}
		if most > c.most {
			t.Errorf("%s: %d states; want at most %d", c.name, most, c.most)
		}
		t.Logf("%s: at most %d states", c.name, most)
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, c := range hard {
		b.Run(c.name, func(b *testing.B) {
			m, r := Must(ParseMesh(c.on)), rand.New(level.PCG(3, 4))
			states := 0
			for b.Loop() {
				way, _, err := search(random(r, m, c.shape), random(r, m, c.shape), nil)
				if err != nil {
					b.Fatal(err)
				}
				states += way.states
			}
			b.ReportMetric(float64(states)/float64(b.N), "states/op")
		})
	}
}
