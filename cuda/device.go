package cuda

// Device is one GPU, real or emulated. Its methods may be called from any
// goroutine. Errors wrap one of the Err values of this package where one fits.
type Device interface {
	Info() Info
	// Alloc returns n bytes of device memory, aligned to 256. n = 0 is a valid
	// buffer of no bytes.
	Alloc(n int64) (Memory, error)
	// Load makes a module of PTX text. The error has the log of the compiler, with
	// lines of the text; a log that says that a kernel was serialised is an error.
	Load(ptx string) (Module, error)
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Synchronize waits for everything that was queued on the device and returns
	// the first error of it.
	Synchronize() error
	// Close frees what the device holds. Nothing made from it may be used after.
	Close() error
}

// Info is what kernels are chosen by.
type Info struct {
	Name           string
	Kind           string // "driver" or "emu"
	Major, Minor   int    // compute capability
	DriverVersion  int    // as CUDA counts: 12040 is 12.4; 0 for the emulator
	SMs            int
	TotalMemory    int64
	L2             int64 // bytes
	SharedPerBlock int64 // the most dynamic shared memory that a kernel may ask for
	RegistersPerSM int
	ClockKHz       int
}

// Memory is a piece of a device's memory.
type Memory interface {
	Device() Device
	Address() uint64 // as kernels see it
	Bytes() int64
	Free() error
}

// Module is loaded PTX.
type Module interface {
	Function(name string) (Function, error)
	Unload() error
}

// Function is a kernel of a module.
type Function interface {
	Attributes() Attributes
	// Launch queues the kernel. params is the block of its parameters, each at its offset
	// as PTX aligns them; it is copied before Launch returns. Launch allocates nothing.
	// The stream reports mistakes of the kernel.
	Launch(s Stream, g Grid, params []byte) error
}

// Attributes are what the compiler said of a function.
type Attributes struct {
	Registers int // a thread
	Static    int // bytes of shared memory in the text
	Local     int // bytes a thread: spills, if the text has no .local
}

// Grid is the shape of a launch.
type Grid struct {
	Blocks, Threads [3]int
	Shared          int // bytes of dynamic shared memory
}

// Stream is a queue of work in order.
type Stream interface {
	Device() Device
	// Write copies src into device memory at offset off of dst; Read copies back.
	// Both return when the slice may be reused, or the first error of the stream.
	Write(dst Memory, off int64, src []byte) error
	Read(dst []byte, src Memory, off int64) error
	// Copy and Fill are queued. They stay inside the buffers or fail.
	Copy(dst Memory, dstOff int64, src Memory, srcOff, n int64) error
	Fill(dst Memory, off int64, b byte, n int64) error
	Record(e Event) error
	Wait(e Event) error
	// Synchronize waits for the queue and returns its first error.
	Synchronize() error
	Close() error
}

// Event is a point in a stream.
type Event interface {
	// Since returns the seconds of device time between two recorded events. The
	// emulator has no clock: it returns ErrNoClock.
	Since(start Event) (float64, error)
	Close() error
}
