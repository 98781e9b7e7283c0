package driver

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

type module struct {
	object
	handle  uintptr
	kernels []string
}

// jit is what cuModuleLoadDataEx is given and fills in. Values has addresses of this
// memory among sizes, as numbers: they hold while it is pinned.
type jit struct {
	options [5]uint32
	values  [5]uintptr
	info    [64 << 10]byte
	errors  [64 << 10]byte
}

func (d *device) Load(ptx string) (cuda.Module, error) {
	header, err := cuda.ReadHeader(ptx)
	if err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	if at := strings.IndexByte(ptx, 0); at >= 0 {
		return nil, fmt.Errorf("driver: %w: a zero byte at offset %d", cuda.ErrPTX, at)
	}
	if err := checkPTX(d.lib.version, header.Version); err != nil {
		return nil, err
	}
	if err := header.CheckDevice(d.info); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()

	m := &module{kernels: cuda.Kernels(ptx)}
	handle, log, err := d.compile(ptx)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, quote(log, ptx))
	}
	if lines := advisories(log); lines != "" {
		d.lib.run(cuModuleUnload, handle)
		return nil, fmt.Errorf("driver: %w: the compiler cannot do what the kernel is written for, and made a slow one:%s", cuda.ErrPTX, quote(lines, ptx))
	}
	m.handle = handle
	d.track(&m.object, "module", func() error { return d.lib.run(cuModuleUnload, m.handle) })
	return m, nil
}

// compile returns a module, or an error, and what the compiler said.
func (d *device) compile(ptx string) (uintptr, string, error) {
	image := append([]byte(ptx), 0)
	var handle uintptr
	j := new(jit)
	var pins runtime.Pinner
	pins.Pin(j)
	defer pins.Unpin()
	j.options = [...]uint32{jitInfoLog, jitInfoLogSize, jitErrLog, jitErrLogSize, jitVerbose}
	j.values = [...]uintptr{uintptr(unsafe.Pointer(&j.info)), uintptr(len(j.info)), uintptr(unsafe.Pointer(&j.errors)), uintptr(len(j.errors)), 1}
	err := d.lib.do(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(j.options)), uintptr(unsafe.Pointer(&j.options)), uintptr(unsafe.Pointer(&j.values)))
	// Each log is a C string, whose size a driver may or may not have written back.
	text := func(log []byte) string {
		s, _, _ := bytes.Cut(log, []byte{0})
		return strings.TrimSpace(string(s))
	}
	return handle, strings.TrimSpace(text(j.errors[:]) + "\n" + text(j.info[:])), err
}

// serialised matches the advisories of ptxas that mean a kernel at a fraction of
// its speed: C7508 and its like, wgmma serialised, setmaxnreg ignored.
var serialised = regexp.MustCompile(`\bC75\d\d\b`)

func advisories(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if serialised.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

var lineNumber = regexp.MustCompile(`\bline (\d+)`)

// quote is a log with the lines of the text that it speaks of.
func quote(log, ptx string) string {
	var b strings.Builder
	text := strings.Split(ptx, "\n")
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		fmt.Fprintf(&b, "\n\t%s", line)
		if n := lineNumber.FindStringSubmatch(line); n != nil {
			if at, err := strconv.Atoi(n[1]); err == nil && at >= 1 && at <= len(text) {
				fmt.Fprintf(&b, "\n\t\t%d: %s", at, strings.TrimSpace(text[at-1]))
			}
		}
	}
	return b.String()
}

func (m *module) Unload() error { return m.end() }

func (m *module) Function(name string) (cuda.Function, error) {
	if err := m.begin(); err != nil {
		return nil, err
	}
	defer m.done()
	lib := m.dev.lib
	if strings.IndexByte(name, 0) >= 0 {
		name = strconv.Quote(name) // no name, so it is not found
	}
	cname := append([]byte(name), 0)
	var handle uintptr
	err := lib.do(cuModuleGetFunction, uintptr(unsafe.Pointer(&handle)), m.handle, uintptr(unsafe.Pointer(&cname[0])))
	if e := (*Error)(nil); errors.As(err, &e) && e.Code == errNotFound {
		return nil, fmt.Errorf("driver: %w: %q; the module has %s", cuda.ErrNoKernel, name, strings.Join(m.kernels, ", "))
	}
	if err != nil {
		return nil, err
	}
	f := &function{mod: m, name: name, handle: handle}
	attribute := func(attr uintptr) int {
		var v int32
		if e := lib.do(cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), attr, handle); e != nil && err == nil {
			err = e
		}
		return int(v)
	}
	f.attrs = cuda.Attributes{Registers: attribute(funcRegisters), Static: attribute(funcShared), Local: attribute(funcLocal)}
	f.maxThreads = attribute(funcMaxThreads)
	f.paramBytes = lib.paramBytes(handle)
	return f, err
}

// paramBytes returns the size of the block of a function's parameters, or -1 if the
// driver is too old to tell.
func (l *library) paramBytes(function uintptr) int {
	if l.fn[cuFuncGetParamInfo] == 0 {
		return -1
	}
	n := 0
	for i := range uintptr(cuda.MaxParams) {
		var offset, size uint64
		if l.call(cuFuncGetParamInfo, function, i, uintptr(unsafe.Pointer(&offset)), uintptr(unsafe.Pointer(&size))) != 0 {
			break // there is no parameter i
		}
		n = int(offset + size)
	}
	return n
}
