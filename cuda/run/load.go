package run

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// loaded is a set on one device. Each kernel is a module of its own, loaded when it
// is first called. The driver compiles the text, which takes a tenth of a second or
// more, and most programs need one or two of a set's kernels.
type loaded struct {
	target *Target
	info   cuda.Info

	mu      sync.RWMutex
	kernels map[string]cuda.Function
	scratch map[cuda.Stream]*scratch
}

// on returns the set on the device, with the newest target that the device can run.
func (s *Set) on(d cuda.Device) (*loaded, error) {
	if l, ok := s.devices.Load(d); ok {
		return l.(*loaded), nil
	}
	info := d.Info()
	best, err := s.newest(info)
	if err != nil {
		return nil, err
	}
	l, _ := s.devices.LoadOrStore(d, &loaded{target: best, info: info, kernels: map[string]cuda.Function{}, scratch: map[cuda.Stream]*scratch{}})
	return l.(*loaded), nil
}

// newest returns the newest target that a device can run.
func (s *Set) newest(info cuda.Info) (*Target, error) {
	var best *Target
	var newest cuda.Header
	errs := []error{cuda.ErrNoKernel}
	for i := range s.Targets {
		t := &s.Targets[i]
		h, err := cuda.ReadHeader(t.PTX)
		if err == nil {
			err = h.CheckDevice(info)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		newer := h.Major > newest.Major || h.Major == newest.Major && (h.Minor > newest.Minor || h.Minor == newest.Minor && h.Exact)
		if best == nil || newer {
			best, newest = t, h
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s on %s: %w", s.Name, info.Name, errors.Join(errs...))
	}
	return best, nil
}

// Forget drops what s holds of a device, which is about to be closed: modules and
// workspaces. Work queued on it must be done.
func (s *Set) Forget(d cuda.Device) {
	x, ok := s.devices.LoadAndDelete(d)
	if !ok {
		return
	}
	l := x.(*loaded)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.scratch {
		w.free()
	}
}

// function returns a kernel by name.
func (l *loaded) function(s *Set, d cuda.Device, name string) (cuda.Function, error) {
	l.mu.RLock()
	f := l.kernels[name]
	l.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.kernels[name]; f != nil {
		return f, nil
	}
	text, err := one(l.target.PTX, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	m, err := d.Load(text)
	if err != nil {
		return nil, fmt.Errorf("%s: loading %s: %w", s.Name, name, err)
	}
	f, err = m.Function(name)
	if err != nil {
		m.Unload()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	l.kernels[name] = f
	return f, nil
}

// one returns the text of a module with only the kernel called name. In generated
// text, a kernel begins with .visible .entry at the start of a line and ends with a
// brace alone on one.
func one(ptx, name string) (string, error) {
	const entry = "\n.visible .entry "
	first := strings.Index(ptx, entry)
	at := strings.Index(ptx, entry+name+"(")
	if at < 0 {
		return "", fmt.Errorf("%w: %s is not in the text", cuda.ErrNoKernel, name)
	}
	end := strings.Index(ptx[at:], "\n}\n")
	if end < 0 {
		return "", fmt.Errorf("%w: %s has no end", cuda.ErrPTX, name)
	}
	return ptx[:first] + ptx[at:at+end+3], nil
}
