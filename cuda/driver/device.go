package driver

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// device is a GPU with its primary context. It shares the context with every other
// library of the process that uses the GPU as it should, such as cuBLAS.
type device struct {
	lib    *library
	handle int32 // CUdevice
	ctx    uintptr
	info   cuda.Info
	life   life

	mu   sync.Mutex
	held map[*object]struct{}
}

// Count returns how many GPUs the driver lets this process see; 0 if there is a
// driver and no GPU. The error wraps [cuda.ErrNoDriver] or [cuda.ErrOldDriver].
func Count() (int, error) {
	l, err := loaded()
	if err != nil {
		return 0, err
	}
	return l.count()
}

// Devices describes them, by ordinal. It makes no context and takes no memory.
func Devices() ([]cuda.Info, error) {
	l, err := loaded()
	if err != nil {
		return nil, err
	}
	n, err := l.count()
	infos := make([]cuda.Info, 0, n)
	for i := 0; i < n && err == nil; i++ {
		var info cuda.Info
		if _, info, err = l.describe(i); err == nil {
			infos = append(infos, info)
		}
	}
	return infos, err
}

// Open returns the first GPU. See [OpenDevice].
func Open() (cuda.Device, error) { return OpenDevice(0) }

// OpenDevice returns the GPU with a number, 0 for the first. The error wraps
// [cuda.ErrNoDriver], [cuda.ErrOldDriver], or [cuda.ErrNoDevice] and says what to
// do. Open each GPU once and share it: what belongs to one Device is foreign to
// another, even of the same GPU.
func OpenDevice(ordinal int) (cuda.Device, error) {
	l, err := loaded()
	if err != nil {
		return nil, err
	}
	return l.open(ordinal)
}

func (l *library) count() (int, error) {
	var n int32
	err := l.do(cuDeviceGetCount, uintptr(unsafe.Pointer(&n)))
	if e := (*Error)(nil); errors.As(err, &e) && (e.Code == errNoDevice || e.Code == 3) {
		return 0, nil // cuInit found none
	}
	return int(n), err
}

func (l *library) open(ordinal int) (cuda.Device, error) {
	n, err := l.count()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("driver: %w: the driver sees no GPU; see whether nvidia-smi lists one, and CUDA_VISIBLE_DEVICES hides it", cuda.ErrNoDevice)
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("driver: %w: number %d, want 0 to %d", cuda.ErrNoDevice, ordinal, n-1)
	}
	handle, info, err := l.describe(ordinal)
	if err != nil {
		return nil, err
	}
	d := &device{lib: l, handle: handle, info: info, life: newLife(), held: map[*object]struct{}{}}
	var ctx uintptr
	if err := l.do(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&ctx)), uintptr(handle)); err != nil {
		return nil, err
	}
	d.ctx = ctx
	return d, nil
}

// describe asks for what kernels are chosen by.
func (l *library) describe(ordinal int) (handle int32, info cuda.Info, err error) {
	if err = l.do(cuDeviceGet, uintptr(unsafe.Pointer(&handle)), uintptr(ordinal)); err != nil {
		return
	}
	name := make([]byte, 256)
	if err = l.do(cuDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(handle)); err != nil {
		return
	}
	name[len(name)-1] = 0
	var total uint64
	if err = l.do(cuDeviceTotalMem, uintptr(unsafe.Pointer(&total)), uintptr(handle)); err != nil {
		return
	}
	info = cuda.Info{Name: goString(&name[0]), Kind: "driver", DriverVersion: l.version, TotalMemory: int64(total)}
	attribute := func(attr uintptr) int {
		var v int32
		if e := l.do(cuDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), attr, uintptr(handle)); e != nil && err == nil {
			err = e
		}
		return int(v)
	}
	info.Major, info.Minor = attribute(attrMajor), attribute(attrMinor)
	info.SMs = attribute(attrSMs)
	info.SharedPerBlock = int64(attribute(attrSharedPerBlock))
	info.RegistersPerSM = attribute(attrRegistersPerSM)
	if err == nil {
		info.L2 = int64(attribute(attrL2))
		info.ClockKHz = attribute(attrClockKHz)
		err = nil // nothing depends on these two, and CUDA drops attributes
	}
	return
}

// enter begins a group of calls. The driver keeps the current context per thread,
// and a goroutine may continue on another thread after any call. So it stays on this
// one until leave. Setting the context each time costs less than knowing whether
// somebody changed it.
func (d *device) enter() error {
	if !d.life.enter() {
		return fmt.Errorf("driver: the device %w", cuda.ErrClosed)
	}
	runtime.LockOSThread()
	if r := d.lib.quick(cuCtxSetCurrent, d.ctx); r != 0 {
		d.leave()
		return d.lib.error(cuCtxSetCurrent, r)
	}
	return nil
}

func (d *device) leave() {
	runtime.UnlockOSThread()
	d.life.exit()
}

func (d *device) Info() cuda.Info { return d.info }

func (d *device) Synchronize() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.lib.run(cuCtxSynchronize)
}

// Close waits for calls under way and for queued work, destroys all objects and gives
// the context back. It returns the first error of what was queued.
func (d *device) Close() error {
	if !d.life.end() {
		return fmt.Errorf("driver: the device %w", cuda.ErrClosed)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := d.lib.run(cuCtxSetCurrent, d.ctx)
	if err == nil {
		err = d.lib.run(cuCtxSynchronize)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for o := range d.held {
		if o.life.end() {
			if e := o.destroy(); err == nil {
				err = e
			}
		}
	}
	clear(d.held)
	if e := d.lib.run(cuDevicePrimaryCtxRelease, uintptr(d.handle)); err == nil {
		err = e
	}
	return err
}
