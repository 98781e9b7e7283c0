package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// ErrMismatch is the kind of the error of a library that does not belong to the launcher.
var ErrMismatch = errors.New("mpi: launcher and library are of different MPIs")

// Options say how MPI is started. The zero value is what Init and Run take.
type Options struct {
	// Library is the file of the library, or the folder it is in. "" stands for
	// TILESMITH_MPI_LIB, and then for what the launcher's environment asks for.
	Library string

	// OneThread asks for MPI_THREAD_FUNNELED: one thread makes all calls, for goroutines
	// that wait in turn. Without it that is done where the library grants no more.
	OneThread bool

	limit    int64         // the most that a count may say; 0 is the library's
	patience time.Duration // 0 is the constant
}

// Launched reports whether a launcher of MPI has started this process: whether its
// environment says so.
func Launched() bool { return findLaunch(os.Getenv).name != "" }

// Init starts MPI, and returns its world. Without a launcher that is a world of one.
// The Comm is closed at the end; then MPI has ended, and cannot be started again.
//
// Errors are of kind [ErrNoMPI] or [ErrMismatch], or what the library says.
func Init() (*comm.Comm, error) { return Options{}.Init() }

// Init is [Init] with options.
func (o Options) Init() (*comm.Comm, error) {
	t, err := o.start(os.Getenv)
	if err != nil {
		return nil, err
	}
	return comm.New(t), nil
}

// Run runs f on each rank: on this one of a launcher's if there is a launcher, else on p
// ranks that are goroutines. So one program runs both ways, as
//
//	go run .
//	mpirun -n 4 ./program
//
// Under a launcher an error of f, or a panic, is printed and ends the whole job with
// status 1. Elsewhere Run is [comm.Run].
func Run(p int, f func(*comm.Comm) error) error { return Options{}.Run(p, f) }

// Run is [Run] with options.
func (o Options) Run(p int, f func(*comm.Comm) error) error {
	if !Launched() {
		return comm.Run(p, f)
	}
	if f == nil {
		return errors.New("mpi.Run: no function to run")
	}
	t, err := o.start(os.Getenv)
	if err != nil {
		return err
	}
	c := comm.New(t)
	if err := protect(func() error { return f(c) }); err != nil {
		t.Abort(err)
		return err
	}
	err = c.Close()
	switch {
	case errors.Is(err, comm.ErrClosed): // by f
		return nil
	case err != nil && !t.over(): // and the others wait
		t.Abort(err)
	}
	return err
}

// protect makes an error of a panic, or of runtime.Goexit, which would leave the other
// ranks waiting.
func protect(f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = errors.New("the function of this rank ended its goroutine (runtime.Goexit)")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		err = f()
	}()
	<-done
	return err
}

// Stdout is where a program prints output that should appear once: standard output on
// rank 0, nowhere on the others.
func Stdout(c *comm.Comm) io.Writer {
	if c.Rank() == 0 {
		return os.Stdout
	}
	return io.Discard
}

// started is set when MPI is. It can be once in a process.
var started atomic.Bool

func (o Options) start(env func(string) string) (*transport, error) {
	k := findLaunch(env)
	if o.Library == "" {
		o.Library = env(variable)
	}
	l, err := load(candidates(o.Library, k.families), o.limit)
	if err != nil {
		return nil, err
	}
	if err := k.refuse(l); err != nil {
		return nil, err
	}
	if started.Swap(true) {
		return nil, errors.New("mpi: MPI was started before in this process, and can be once")
	}
	l.hydra = findHydra(env)
	l.patience = cmp.Or(o.patience, patience)
	t := &transport{lib: l, world: true}
	if err := t.enter(o.OneThread); err != nil {
		return nil, err
	}
	l.ledger.sent = make([]atomic.Int64, t.size)
	l.ledger.add(t)
	if err := k.check(l, t.rank, t.size); err != nil {
		return nil, err
	}
	// Open MPI lets others have the core by itself where there are more ranks than cores.
	l.asks = l.served || l.abi.family != "Open MPI" && k.neighbours(t.size) > runtime.NumCPU()
	return t, nil
}

// enter is MPI_Init_thread, and a copy of the world, so that no message of another
// library in this process is taken for one of ours.
func (t *transport) enter(one bool) error {
	l := t.lib
	if l.abi.family == "Open MPI" {
		if err := keepBounds(); err != nil {
			return err
		}
	}
	l.main = newThread()
	want := l.abi.multiple
	if one {
		want = l.abi.funneled
	}
	var have int32
	if err := l.start(want, &have); err != nil {
		return err
	}
	l.served = one || have != l.abi.multiple
	l.asks = l.served
	return errors.Join(
		l.do(mpiCommSetErrhandler, l.abi.world, l.abi.errorsReturn),
		l.do(mpiCommDup, l.abi.world, uintptr(unsafe.Pointer(&t.handle))),
		t.describe())
}

// start calls MPI_Init_thread on the thread that will call MPI_Finalize.
func (l *library) start(want int32, have *int32) error {
	l.served = true
	return l.do(mpiInitThread, 0, 0, number(want), uintptr(unsafe.Pointer(have)))
}
