package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rhyme = "the cat sat on the mat; the cat saw 1234 rats on the mat\n\n  and that was that\n"

// What is encoded is decoded to the same bytes, whatever they are, and frequent words become single tokens.
func TestBPE(t *testing.T) {
	p := trainBPE(strings.Repeat(rhyme, 3), 300)
	if err := p.check(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", rhyme, "zebra\x00\xff", "   \n\n \n", "the", " the", "ünïcode 世界"} {
		if have := p.Decode(p.Encode(text)); have != text {
			t.Errorf("%q became %q", text, have)
		}
	}
	if n := len(p.Encode(" the")); n != 1 {
		t.Errorf("the most frequent word is %d tokens", n)
	}
	if diff := cmp.Diff(p, trainBPE(strings.Repeat(rhyme, 3), 300)); diff != "" {
		t.Errorf("one text has two answers:\n%s", diff)
	}
	if n := trainBPE("abc", 300).Tokens(); n != 256 {
		t.Errorf("pairs that occur once became %d tokens", n-256)
	}
}

// The pieces of a text are all of it.
func FuzzBPE(f *testing.F) {
	f.Add(rhyme, " a  b\n1")
	f.Fuzz(func(t *testing.T, learned, text string) {
		if len(learned) > 1<<10 || len(text) > 1<<10 {
			return
		}
		if joined := strings.Join(slices.Collect(words(text)), ""); joined != text {
			t.Fatalf("%q was cut into %q", text, joined)
		}
		p := trainBPE(learned, 280)
		if have := p.Decode(p.Encode(text)); have != text {
			t.Fatalf("%q became %q", text, have)
		}
	})
}

// Pairs of a file that make no sense are refused.
func TestBPERefused(t *testing.T) {
	var long BPE
	for i := range int32(13) {
		long = append(long, [2]int32{255 + i, 255 + i})
	}
	for _, p := range []BPE{{{256, 0}}, {{-1, 3}}, {{1, 300}}, long, make(BPE, mostTokens)} {
		if p.check() == nil {
			t.Errorf("%d pairs are not refused", len(p))
		}
	}
}
