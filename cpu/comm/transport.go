package comm

// AnySource as the source of a receive takes a message of any rank.
const AnySource = -1

// MaxTag is the largest tag of a Transport: every MPI has at least this.
const MaxTag = 1<<15 - 1

// Status says what was received.
type Status struct {
	Source, Tag int
	Bytes       int // what came, which may be less than the buffer holds
}

// A Transport carries bytes between the ranks of a group. Two messages from one rank to
// another with the same tag arrive in the order in which they were sent. Tags are 0 to
// MaxTag. All ranks, tags and buffers that come here were checked. A receive whose
// buffer is shorter than its message is an error of the receiver, and takes the message.
//
// Several goroutines of a rank may use it at once.
type Transport interface {
	Rank() int
	Size() int

	// Send and Recv return when b may be used again. Send may wait for its receive.
	Send(dst, tag int, b []byte) error
	Recv(src, tag int, b []byte) (Status, error)

	// Isend and Irecv only begin; b belongs to the transport until the Request is done.
	Isend(dst, tag int, b []byte) (Request, error)
	Irecv(src, tag int, b []byte) (Request, error)

	// Some appends to done the indices of requests that were not done before and are now.
	// With wait it blocks until there is one, unless none is left to wait for. A nil
	// Request counts as one that was done before. Calling it is what drives transports
	// that have no thread of their own.
	Some(requests []Request, wait bool, done []int) ([]int, error)

	// Probe waits for a message of src, or AnySource, with this tag, and leaves it there.
	Probe(src, tag int) (Status, error)

	// Split makes groups of the ranks that give the same color, in the order of key, then
	// of rank. All ranks of the group call it. A negative color joins none, and gets nil.
	Split(color, key int) (Transport, error)

	// Abort ends all ranks of the job, soon, with this error.
	Abort(err error)

	// Close gives back what the transport holds. All ranks of the group call it, once.
	Close() error
}

// A Request is a send or a receive that was begun.
type Request interface {
	// Status is what came of it. It is called once it is done.
	Status() (Status, error)
}
