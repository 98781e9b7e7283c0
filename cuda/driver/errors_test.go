package driver

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/cudatest"
)

// wants checks an error's kind and words.
func wants(t *testing.T, what string, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want %q", what, err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q, want %q in it", what, err, w)
		}
	}
}

func TestNoDriver(t *testing.T) {
	if libraries == nil {
		_, err := Open()
		wants(t, "Open", err, cuda.ErrNoDriver, "cannot load a driver", "nodl")
		wants(t, "Open", err, errors.ErrUnsupported)
		_, err = Count()
		wants(t, "Count", err, cuda.ErrNoDriver)
		_, err = Devices()
		wants(t, "Devices", err, cuda.ErrNoDriver)
		return
	}
	_, err := load([]string{"/nowhere/libcuda.so.1", "/nowhere/else.so"})
	wants(t, "a file that is not there", err, cuda.ErrNoDriver, "TILESMITH_LIBCUDA", "cuda/emu", "/nowhere/libcuda.so.1", "/nowhere/else.so")
	_, err = load([]string{"libc.so.6"})
	if err != nil && strings.Contains(err.Error(), "none of its functions") {
		wants(t, "another library", err, cuda.ErrNoDriver, "is it libcuda?")
	}
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		what  string
		setup func(*fake)
		kind  error
		words string
	}{
		{"too old", func(f *fake) { f.set("version", 10020) }, cuda.ErrOldDriver, "CUDA 10.2; want 11.0 or later"},
		{"a stub", func(f *fake) { f.fail(cuInit, 34, 0, 1) }, cuda.ErrNoDriver, "the stub to link with"},
		{"half updated", func(f *fake) { f.fail(cuInit, 803, 0, 1) }, cuda.ErrNoDriver, "restart the machine"},
		{"no version", func(f *fake) { f.fail(cuDriverGetVersion, 4, 0, 1) }, cuda.ErrClosed, "cuDriverGetVersion"},
	} {
		f := bareFake(t)
		c.setup(f)
		_, err := load([]string{f.file()})
		wants(t, c.what, err, c.kind, c.words)
	}
}

func TestNoDevice(t *testing.T) {
	f := newFake(t, func(f *fake) { f.set("devices", 0) })
	if n, err := f.lib.count(); n != 0 || err != nil {
		t.Errorf("count of none: %d, %v", n, err)
	}
	_, err := f.lib.open(0)
	wants(t, "none", err, cuda.ErrNoDevice, "nvidia-smi", "CUDA_VISIBLE_DEVICES")
	f = newFake(t, func(f *fake) { f.set("devices", 3) })
	for _, i := range []int{-1, 3, min(1<<40, math.MaxInt)} {
		_, err := f.lib.open(i)
		wants(t, "an ordinal", err, cuda.ErrNoDevice, "want 0 to 2")
	}
	d, err := f.lib.open(2)
	if err != nil {
		t.Fatal(err)
	}
	want := cuda.Info{Name: "Fake GPU 2", Kind: "driver", Major: 9, DriverVersion: 12040, SMs: 132, TotalMemory: 1 << 28, L2: 50 << 20,
		SharedPerBlock: 232448, RegistersPerSM: 65536, ClockKHz: 1980000}
	if d.Info() != want {
		t.Errorf("info %+v, want %+v", d.Info(), want)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestEnvironment has a process of its own find the driver as a program does.
func TestEnvironment(t *testing.T) {
	const child = "TILESMITH_TEST_CHILD"
	if os.Getenv(child) != "" {
		d, err := OpenDevice(1)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		infos, err := Devices()
		if n, e := Count(); n != 1 || e != nil || err != nil || len(infos) != 1 {
			t.Fatalf("%d devices, %v, %v, %v", n, e, infos, err)
		}
		return
	}
	f := bareFake(t)
	for named, want := range map[string]string{
		f.file(): "number 1, want 0 to 0", // so it was loaded, and has one device
		strings.TrimSuffix(f.file(), "/libcuda.so.1"): "number 1, want 0 to 0",
		"/nowhere.so": "install NVIDIA's, or name its file in TILESMITH_LIBCUDA",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$")
		cmd.Env = append(os.Environ(), child+"=1", variable+"="+named)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%s: %v, want %q in:\n%s", variable, named, err, want, out)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	f := newFake(t)
	d := f.open()
	m, err := d.Alloc(200 << 20)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Alloc(100 << 20)
	wants(t, "too much", err, cuda.ErrMemory, "asked for 104857600 bytes, 58720256 of 268435456 are free on Fake GPU 0")
	f.fail(cuMemGetInfo, 1, 0, 1)
	_, err = d.Alloc(100 << 20)
	wants(t, "too much, and no telling how much", err, cuda.ErrMemory, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory")
	if err := m.Free(); err != nil {
		t.Fatal(err)
	}
	if m, err = d.Alloc(100 << 20); err != nil {
		t.Errorf("after Free: %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	f := newFake(t, func(f *fake) { f.set("version", 12020); f.set("minor", 0) })
	d := f.open()
	ptx := func(old, replacement string) string { return strings.Replace(cudatest.PTX, old, replacement, 1) }
	for _, c := range []struct {
		what, ptx string
		kind      error
		words     []string
	}{
		{"a mistake", ptx("add.s64", "no_such_instruction"), cuda.ErrPTX, []string{
			"cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed",
			"\n\tptxas application ptx input, line 30; error   : Not a name",
			"\n\t\t30: no_such_instruction %rd1, %rd1, %rd4;",
			"ptxas fatal",
		}},
		{"a serialised kernel", ptx("// The", "// fake_serialised"), cuda.ErrPTX, []string{"a slow one", "C7510", "wgmma.mma_async instructions are serialized"}},
		{"a version to come", ptx("7.0", "8.3"), cuda.ErrOldDriver, []string{"version 8.3", "CUDA 12.2 (r535), reads up to 8.2", "install r545 (CUDA 12.3)"}},
		{"a version beyond", ptx("7.0", "10.0"), cuda.ErrOldDriver, []string{"version 10.0", "install the newest"}},
		{"a zero byte", ptx("add.s64", "add\x00s64"), cuda.ErrPTX, []string{"zero byte at offset"}},
		{"the next GPU", ptx("sm_80", "sm_100"), cuda.ErrUnsupported, []string{"for sm_100 and later", "Fake GPU 0 is sm_90"}},
		{"another GPU", ptx("sm_80", "sm_80a"), cuda.ErrUnsupported, []string{"for sm_80a only"}},
	} {
		_, err := d.Load(c.ptx)
		wants(t, c.what, err, c.kind, c.words...)
	}
	if n := f.calls(cuModuleLoadDataEx); n != 2 {
		t.Errorf("%d texts went to the driver, want 2: it knows less of the others than we do", n)
	}
	f.fail(cuModuleLoadDataEx, 222, 0, 1)
	_, err := d.Load(cudatest.PTX)
	wants(t, "a driver that minds the version", err, cuda.ErrOldDriver, "generate for a lower target")
}

// TestInjected has each function of the driver fail once, wherever it is called:
// the error comes out, and what was made is destroyed all the same.
func TestInjected(t *testing.T) {
	work := func(f *fake) error {
		d, err := f.lib.open(0)
		if err != nil {
			return err
		}
		defer d.Close()
		err = func() error {
			m, err := d.Load(cudatest.PTX)
			if err != nil {
				return err
			}
			k, err := m.Function("store_f32")
			if err != nil {
				return err
			}
			s, err := d.NewStream()
			if err != nil {
				return err
			}
			start, err := d.NewEvent()
			if err != nil {
				return err
			}
			x, err := cuda.Upload(s, make([]float32, 1<<20))
			if err != nil {
				return err
			}
			var p cuda.Params
			p.Pointer(x.Address())
			g := cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Shared: 64 << 10}
			if _, err := x.Download(s); err != nil {
				return err
			}
			return errors.Join(s.Record(start), k.Launch(s, g, p.Block()), s.Wait(start), x.Zero(s),
				x.Slice(0, 8).Copy(s, x.Slice(8, 16)), x.Slice(0, 0).Read(s, nil), s.Synchronize(), d.Synchronize(), since(start),
				start.Close(), s.Close(), x.Free(), m.Unload())
		}()
		return errors.Join(err, d.Close())
	}
	for e := range entry(len(names)) {
		switch e {
		case cuInit, cuDriverGetVersion, cuGetErrorName, cuGetErrorString, cuMemGetInfo, cuFuncGetParamInfo:
			continue // tested elsewhere, or not an error
		}
		for after := range 3 {
			f := newFake(t)
			f.fail(e, 999, after, 1)
			err := work(f)
			if f.calls(e) <= after {
				break
			}
			var got *Error
			if !errors.As(err, &got) || got.Call != names[e] || got.Code != 999 {
				t.Errorf("%s fails after %d calls: %v", names[e], after, err)
			}
			f.complaint() // of what that one left
			f.call("fake_reset")
		}
		if f := newFake(t); work(f) != nil || f.calls(e) == 0 {
			t.Errorf("%s is not called, or fails: %v", names[e], work(f))
		}
	}
}

func since(e cuda.Event) error { _, err := e.Since(e); return err }

func TestErrorWords(t *testing.T) {
	f := newFake(t)
	e := f.lib.error(cuMemFree, 700)
	wants(t, "700", e, cuda.ErrLaunch, "driver: cuMemFree_v2: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered; the kernel, or one before it")
	e = f.lib.error(cuMemFree, 12345)
	if e.Error() != "driver: cuMemFree_v2: an error without a name (12345): unknown" || errors.Unwrap(e) != nil {
		t.Errorf("an unknown one: %q, wraps %v", e, errors.Unwrap(e))
	}
	if f.lib.error(cuMemFree, 0) != nil {
		t.Error("success is an error")
	}
}
