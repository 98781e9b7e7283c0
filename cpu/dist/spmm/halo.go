package spmm

// A halo says what rows one rank sends and receives: rows of something that each rank
// has a few of, and whose rows others need.
type halo struct {
	in, out []peer // one for each rank with something to send, by rank
}

// A peer is the rows that come from a rank or go to it. They are sent in as many
// messages as there are chunks with rows in them.
type peer struct {
	rank int
	at   []int // the rows of chunk k are at[k] to at[k+1]-1: of rows, or of all that come in
	// rows says what is sent: row i of this rank's rows, or, as ^i, row i of those that it
	// computes for others. It is nil for what comes in.
	rows []int32
}

func (p *peer) count() int { return p.at[len(p.at)-1] - p.at[0] }

// messages yields peer and chunk of each message in a list of peers, by peer.
func messages(peers []peer, yield func(p *peer, k int)) {
	for i := range peers {
		p := &peers[i]
		for k := range len(p.at) - 1 {
			if p.at[k+1] > p.at[k] {
				yield(p, k)
			}
		}
	}
}

// received is how many rows come in, sent how many go out.
func (h *halo) received() (n int) {
	for i := range h.in {
		n += h.in[i].count()
	}
	return n
}

func (h *halo) sent() (n int) {
	for i := range h.out {
		n += h.out[i].count()
	}
	return n
}

// Tags of the messages of products, also of those with the transposed matrix.
const (
	tagRows = 2
	tagBack = 3
)
