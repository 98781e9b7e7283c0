package mesh_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

func ExampleMesh_Parse() {
	m, err := mesh.ParseMesh("x=2,y=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := m.Parse("7{x} x 5{y}")
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range m.Size() {
		fmt.Println("rank", r, "holds", s.Local(r), "from", s.Offset(r))
	}
	// Output:
	// rank 0 holds [4 3] from [0 0]
	// rank 1 holds [4 2] from [0 3]
	// rank 2 holds [3 3] from [4 0]
	// rank 3 holds [3 2] from [4 3]
}

// My matrix is sharded by rows, and I need it by columns.
func ExampleReshard() {
	m := mesh.Must(mesh.ParseMesh("ranks=4"))
	rows := mesh.Must(m.Parse("1000{ranks} x 600"))
	cols := mesh.Must(m.Parse("1000 x 600{ranks}"))
	p, err := mesh.Reshard(rows, cols, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// 1000{ranks} x 600 to 1000 x 600{ranks} on ranks=4: peak 150000, at most 112500 elements in 3 messages sent by a rank
	//   1. all-to-all ranks: dimension 0 to 1   1000 x 600{ranks}                tile 150000, sent 112500 in 3
}

// A mesh of 4 x 2 ranks; no rank can hold all of the array.
func ExampleReshard_twoSteps() {
	m := mesh.Must(mesh.ParseMesh("x=4,y=2"))
	from := mesh.Must(m.Parse("16{y} x 16 x 16{x}"))
	to := mesh.Must(m.Parse("16 x 16{x,y} x 16"))
	for _, p := range []*mesh.Plan{
		mesh.Must(mesh.Reshard(from, to, mesh.Options{})),
		mesh.Must(mesh.Reshard(from, to, mesh.Options{Direct: true})),
		mesh.Must(mesh.GatherAll(from, to)),
	} {
		fmt.Println(len(p.Steps), "steps, peak", p.Peak, "sent", p.Sent.MaxElements, "in", p.Sent.MaxMessages)
	}
	// Output:
	// 2 steps, peak 512 sent 640 in 4
	// 1 steps, peak 512 sent 448 in 7
	// 4 steps, peak 4096 sent 3584 in 4
}

// A latency of 20 us and 10 GB/s for elements of 8 bytes: small arrays go in fewer
// messages, large ones in fewer bytes.
func ExampleOptions() {
	opt := mesh.Options{Direct: true, Time: func(messages, elements int64) float64 {
		return 20e-6*float64(messages) + 8/10e9*float64(elements)
	}}
	m := mesh.Must(mesh.ParseMesh("x=4,y=4"))
	for _, n := range []int{64, 4096} {
		from := mesh.Must(m.Shard(mesh.Dim{Size: n, Axes: []string{"x", "y"}}, mesh.Dim{Size: n}))
		to := mesh.Must(m.Shard(mesh.Dim{Size: n}, mesh.Dim{Size: n, Axes: []string{"x", "y"}}))
		p := mesh.Must(mesh.Reshard(from, to, opt))
		fmt.Println(n, p.Sent.MaxMessages, "messages:")
		for _, s := range p.Steps {
			fmt.Println(" ", s)
		}
	}
	// Output:
	// 64 5 messages:
	//   all-to-all y.1: dimension 0 to 1
	//   all-to-all y.0: dimension 0 to 1
	//   all-to-all x.1: dimension 0 to 1
	//   all-to-all x.0: dimension 0 to 1
	//   permute
	// 4096 15 messages:
	//   all-to-all x,y: dimension 0 to 1
}

// ScaLAPACK's matrices are dealt in blocks. A solver wants them so; what comes before it
// has whole rows.
func ExampleReshard_blockCyclic() {
	m := mesh.Must(mesh.ParseMesh("p=2,q=3"))
	rows := mesh.Must(m.Parse("1000{p,q} x 1000"))
	dealt := mesh.Must(m.Parse("1000{p:64} x 1000{q:64}"))
	fmt.Println("rank 4 has", dealt.Local(4), "of it, rows", firstRuns(dealt, 4))
	_, err := mesh.Reshard(rows, dealt, mesh.Options{})
	fmt.Println(err)
	p, err := mesh.Reshard(rows, dealt, mesh.Options{Direct: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Steps[0], "sends", p.Sent.MaxElements, "elements in", p.Sent.MaxMessages, "messages")
	// Output:
	// rank 4 has [488 320] of it, rows [64-127 192-255 320-383]
	// mesh.Reshard: 1000{p:64} x 1000{q:64} is cyclic, which no steps can reach; set Options.Direct for one exchange
	// direct sends 145880 elements in 5 messages
}

func firstRuns(s mesh.Sharding, rank int) (list []string) {
	for lo, hi := range s.Runs(rank, 0) {
		list = append(list, fmt.Sprintf("%d-%d", lo, hi-1))
		if len(list) == 3 {
			break
		}
	}
	return list
}
