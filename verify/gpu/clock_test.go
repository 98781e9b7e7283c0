package gpu

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cuda"
)

// clocked is a device that has a clock though it is emulated: each launch takes a
// millisecond. It says that it is a GPU, with a small cache.
type clocked struct {
	cuda.Device
	now atomic.Int64 // milliseconds
}

func (d *clocked) Info() cuda.Info {
	i := d.Device.Info()
	i.Kind, i.Name, i.L2, i.DriverVersion = "driver", "clocked", 4096, 12080
	return i
}

func (d *clocked) NewStream() (cuda.Stream, error) {
	s, err := d.Device.NewStream()
	return &clockedStream{s, d}, err
}

func (d *clocked) NewEvent() (cuda.Event, error) { return new(clockedEvent), nil }

func (d *clocked) Load(ptx string) (cuda.Module, error) {
	m, err := d.Device.Load(ptx)
	return clockedModule{m, d}, err
}

func (d *clocked) Alloc(n int64) (cuda.Memory, error) {
	m, err := d.Device.Alloc(n)
	return clockedMemory{m, d}, err
}

type clockedMemory struct {
	cuda.Memory
	d *clocked
}

func (m clockedMemory) Device() cuda.Device { return m.d }

type clockedModule struct {
	cuda.Module
	d *clocked
}

func (m clockedModule) Function(name string) (cuda.Function, error) {
	f, err := m.Module.Function(name)
	return clockedFunction{f, m.d}, err
}

type clockedFunction struct {
	cuda.Function
	d *clocked
}

func (f clockedFunction) Launch(s cuda.Stream, g cuda.Grid, params []byte) error {
	f.d.now.Add(1)
	return f.Function.Launch(s.(*clockedStream).Stream, g, params)
}

type clockedStream struct {
	cuda.Stream
	d *clocked
}

func (s *clockedStream) Device() cuda.Device { return s.d }

func (s *clockedStream) Write(m cuda.Memory, off int64, src []byte) error {
	return s.Stream.Write(m.(clockedMemory).Memory, off, src)
}

func (s *clockedStream) Read(dst []byte, m cuda.Memory, off int64) error {
	return s.Stream.Read(dst, m.(clockedMemory).Memory, off)
}

func (s *clockedStream) Copy(dst cuda.Memory, dstOff int64, src cuda.Memory, srcOff, n int64) error {
	return s.Stream.Copy(dst.(clockedMemory).Memory, dstOff, src.(clockedMemory).Memory, srcOff, n)
}

func (s *clockedStream) Fill(m cuda.Memory, off int64, b byte, n int64) error {
	return s.Stream.Fill(m.(clockedMemory).Memory, off, b, n)
}

func (s *clockedStream) Record(e cuda.Event) error {
	e.(*clockedEvent).at = s.d.now.Load()
	return nil
}

type clockedEvent struct{ at int64 }

func (e *clockedEvent) Since(start cuda.Event) (float64, error) {
	return float64(e.at-start.(*clockedEvent).at) / 1000, nil
}

func (e *clockedEvent) Close() error { return nil }
