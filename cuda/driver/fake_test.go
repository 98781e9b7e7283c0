package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// fake is a driver made of testdata/fake/libcuda.c, which is C because what is to
// be tested is the crossing to C.
type fake struct {
	t   testing.TB
	lib *library
	dl  uintptr
}

var fakeFile = sync.OnceValues(func() (string, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", err
	}
	file := filepath.Join(fakeDir, "libcuda.so.1")
	out, err := exec.Command(gcc, "-shared", "-fPIC", "-O1", "-pthread", "-Wall", "-Werror", "-fvisibility=hidden", "-o", file, "testdata/fake/libcuda.c").CombinedOutput()
	if err != nil {
		panic("testdata/fake/libcuda.c does not compile: " + err.Error() + "\n" + string(out))
	}
	return file, nil
})

var fakeDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fake-libcuda")
	if err != nil {
		panic(err)
	}
	fakeDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// newFake returns the fake driver as it is when a machine has started, apart from
// what configure does. The test fails if the driver finds fault with its caller or
// something is left when it ends.
func newFake(t testing.TB, configure ...func(*fake)) *fake {
	t.Helper()
	f := bareFake(t)
	for _, c := range configure {
		c(f)
	}
	lib, err := load([]string{f.file()})
	if err != nil {
		t.Fatal(err)
	}
	f.lib = lib
	return f
}

// bareFake is newFake before anything of the package has seen it.
func bareFake(t testing.TB) *fake {
	t.Helper()
	if libraries == nil {
		t.Skip("this build cannot load libraries, so not the fake driver")
	}
	file, err := fakeFile()
	if err != nil {
		t.Skipf("no C compiler to make the fake driver with: %v", err)
	}
	dl, err := dlopen(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, dl: dl}
	f.call("fake_reset")
	t.Cleanup(func() {
		if c := f.complaint(); c != "" {
			t.Errorf("the driver complains of %s", c)
		}
		if n := f.call("fake_alive"); n != 0 && !t.Failed() {
			t.Errorf("%d things of the driver are left", n)
		}
	})
	return f
}

func (f *fake) file() string { s, _ := fakeFile(); return s }

//go:uintptrescapes
func (f *fake) call(name string, args ...uintptr) int {
	fn, err := dlsym(f.dl, name)
	if err != nil {
		f.t.Fatal(err)
	}
	return int(syscallN(fn, args))
}

func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

func (f *fake) set(key string, value int) {
	f.call("fake_config", uintptr(unsafe.Pointer(cString(key))), uintptr(value))
}

// fail has calls of a function fail, after some good ones.
func (f *fake) fail(e entry, code, after, times int) {
	f.call("fake_fail", uintptr(unsafe.Pointer(cString(names[e]))), uintptr(code), uintptr(after), uintptr(times))
}

func (f *fake) calls(e entry) int {
	return f.call("fake_calls", uintptr(unsafe.Pointer(cString(names[e]))))
}

// complaint returns and forgets what the driver complains of.
func (f *fake) complaint() string {
	b := make([]byte, 256)
	f.call("fake_complaint", uintptr(unsafe.Pointer(&b[0])))
	return goString(&b[0])
}

func (f *fake) open() cuda.Device {
	f.t.Helper()
	d, err := f.lib.open(0)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { d.Close() })
	return d
}

func (f *fake) stream(d cuda.Device) cuda.Stream {
	f.t.Helper()
	s, err := d.NewStream()
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}
