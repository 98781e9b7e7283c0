package mesh

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, on, from, to string) (Sharding, Sharding) {
	t.Helper()
	m := Must(ParseMesh(on))
	return Must(m.Parse(from)), Must(m.Parse(to))
}

func tiles(p *Plan) []int64 {
	list := []int64{p.From.Tile()}
	for _, s := range p.Steps {
		list = append(list, s.Tile)
	}
	return list
}

// TestPaper holds three cases of the programs that arXiv 2112.01075 is about, the paper's
// axis lists turned round: the path that gathers everything, and the paper's normal form,
// in which no tile is larger than the larger of the two. Where the paper stays at 12
// throughout, a plan that slices first is cheaper and its tiles are smaller; kept from
// tiles below 12 the search stays there too.
func TestPaper(t *testing.T) {
	const on = "x1=2,x2=2,y1=3,y2=2"
	for _, c := range []struct {
		from, to string
		all      []int64 // that gathers
		least    int64
		want     []int64
	}{
		{"12{x2,x1} x 12{y2,y1}", "12{y2,y1} x 12{x2,x1}", []int64{6, 12, 24, 72, 144, 72, 24, 12, 6}, 6, []int64{6, 6, 6, 6}},
		{"12{x2} x 12{y2,y1}", "12{y1} x 12{x2,x1}", nil, 12, []int64{12, 12, 12, 12}},
		{"12{y1} x 12{x2,x1}", "12{x2} x 12{y2,y1}", nil, 12, []int64{12, 12, 12, 12}},
		{"12{x2} x 12{y2,y1}", "12{y1} x 12{x2,x1}", nil, 0, []int64{12, 6, 6, 6, 6, 12}},
		{"12{y1} x 12{x2,x1}", "12{x2} x 12{y2,y1}", nil, 0, []int64{12, 6, 6, 6, 6, 12}},
	} {
		from, to := parse(t, on, c.from, c.to)
		if c.all != nil {
			p := Must(GatherAll(from, to))
			if diff := cmp.Diff(c.all, tiles(p)); diff != "" || p.Peak != 144 {
				t.Errorf("%v to %v, all gathered: peak %d, %s", from, to, p.Peak, diff)
			}
		}
		s := Must(newSpace(from, to))
		s.least = c.least
		way, _, err := s.search(from, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := way.plan(from, to)
		p.measure()
		if diff := cmp.Diff(c.want, tiles(p)); diff != "" {
			t.Errorf("%v to %v: %s", from, to, diff)
		}
	}
}

// TestRematerialization is the case of jax#21562, 16^3 on 4 x 2 ranks, which a compiler
// answers by gathering all 4096 elements on every rank. Two all-to-alls do: they send 640
// elements a rank; one exchange of everything sends 448, all-gather 3584.
func TestRematerialization(t *testing.T) {
	from, to := parse(t, "x=4,y=2", "16{y} x 16 x 16{x}", "16 x 16{x,y} x 16")
	p := Must(Reshard(from, to, Options{}))
	got := ""
	for _, s := range p.Steps {
		got += s.String() + "; "
	}
	if got != "all-to-all x: dimension 2 to 1; all-to-all y: dimension 0 to 1; " || p.Peak != 512 {
		t.Errorf("%s peak %d", got, p.Peak)
	}
	if diff := cmp.Diff(Traffic{640, 8 * 640, 4, 8 * 4}, p.Sent); diff != "" {
		t.Error(diff)
	}
	direct := Must(Reshard(from, to, Options{Direct: true}))
	if diff := cmp.Diff(Traffic{448, 8 * 448, 7, 8 * 7}, direct.Sent); diff != "" || direct.Peak != 512 || direct.Steps[0].Op != Direct {
		t.Errorf("direct: peak %d, %v, %s", direct.Peak, direct.Steps, diff)
	}
	// Where a message costs as much as 100 elements, 7 messages are too many.
	if p := Must(Reshard(from, to, Options{Direct: true, Time: func(messages, elements int64) float64 { return float64(100*messages + elements) }})); p.Steps[0].Op == Direct {
		t.Errorf("dear messages: %v", p.Steps)
	}
	all := Must(GatherAll(from, to))
	if all.Peak != 4096 || all.Sent.MaxElements != 3584 {
		t.Errorf("all gathered: peak %d, %d elements", all.Peak, all.Sent.MaxElements)
	}
}
