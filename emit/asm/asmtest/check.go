package asmtest

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/internal/level"
)

// verified prepares p and reports whether it has registers. No two values of it that are
// needed may share one.
func (s *Suite) verified(t *testing.T, p Program) bool {
	t.Helper()
	before := p.F.String()
	a, err := s.Prepare(p)
	if err != nil {
		if !p.MayRefuse || !s.TooLarge(err) {
			t.Fatalf("%v in\n%s", err, before)
		}
		return false
	}
	if err := s.Verify(a); err != nil {
		t.Fatalf("%s: %v in\n%s", p.Target.Name, err, p.F)
	}
	return true
}

// CheckRandom verifies the registers of so many random programs.
func (s *Suite) CheckRandom(t *testing.T, count int, targets ...emit.Target) {
	s.checkMany(t, s.Random, count, 40, count*2/3, targets)
}

// CheckMixed verifies the registers of so many mixed programs.
func (s *Suite) CheckMixed(t *testing.T, count int, targets ...emit.Target) {
	s.checkMany(t, s.Mixed, count, 30, count*3/4, targets)
}

func (s *Suite) checkMany(t *testing.T, program func(uint64, emit.Target, int) (Program, error), count, sizes, want int, targets []emit.Target) {
	t.Helper()
	for _, target := range targets {
		done := 0
		for seed := range uint64(count) {
			p, err := program(seed, target, 5+int(seed%uint64(sizes)))
			if err != nil {
				t.Fatal(err)
			}
			if s.verified(t, p) {
				done++
			}
		}
		t.Logf("%s: %d allocations verified, %d programs need too many registers", target.Name, done, count-done)
		if done < want {
			t.Errorf("%s: %d programs were allocated, want at least %d", target.Name, done, want)
		}
	}
}

// CheckVector verifies the registers of the programs of [Suite.Vector].
func (s *Suite) CheckVector(t *testing.T, targets ...emit.Target) {
	t.Helper()
	for _, target := range targets {
		for _, p := range s.Vector(t, target) {
			s.verified(t, p)
		}
	}
}

// CheckSpill verifies the programs of [Suite.Spill], in frames that are not too large. Without leave to spill they are refused for want
// of registers, and scarce says of which targets all of them are.
func (s *Suite) CheckSpill(t *testing.T, scarce func(p Program) bool, targets ...emit.Target) {
	t.Helper()
	for _, target := range targets {
		for _, p := range s.Spill(t, target) {
			c := Program{F: p.F.Clone(), Target: target}
			c.F.Spills = false
			if _, err := s.Prepare(c); err == nil && scarce(p) || err != nil && !s.TooLarge(err) {
				t.Errorf("%s, without leave to spill: %v", p.F.Name, err)
			}
			s.verified(t, p)
			if size := asm.FrameSize(target, p.F); size == 0 && scarce(p) || size > 8192 {
				t.Errorf("%s: a frame of %d bytes", p.F.Name, size)
			}
		}
	}
}

// CheckVerifier has the registers of programs thrown together, which [Suite.Verify] has to see.
func (s *Suite) CheckVerifier(t *testing.T, target emit.Target) {
	t.Helper()
	found, tried := 0, 0
	for seed := range uint64(100) {
		p, err := s.Random(seed, target, 20)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Prepare(p)
		if err != nil {
			continue
		}
		tried++
		for _, w := range a.Webs {
			w.Reg = 0
		}
		if s.Verify(a) != nil {
			found++
		}
	}
	if tried == 0 || found != tried {
		t.Errorf("%d of %d allocations of everything to one register were found wrong", found, tried)
	}
}

// CheckMeaning compares what programs do before and after the passes, in the interpreter.
func (s *Suite) CheckMeaning(t *testing.T, programs []Program) {
	t.Helper()
	r := rand.New(level.PCG(3, 4))
	for i, p := range programs {
		f := p.F.Clone()
		if err := emit.Run(f, s.Backend.Passes(p.Target), nil); err != nil {
			t.Fatalf("%v in\n%s", err, p.F)
		}
		in := randomInput(r, i)
		want, err := interpret(p.F, in)
		if err != nil {
			t.Fatalf("%v in\n%s", err, p.F)
		}
		have, err := interpret(f, in)
		if err != nil {
			t.Fatalf("%v in\n%s", err, f)
		}
		if d := differ(p.Slots, have, want); d != "" {
			t.Fatalf("n = %d, k = %d: %s in\n%sof\n%s", in.N, in.K, d, f, p.F)
		}
	}
}
