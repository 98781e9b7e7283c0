package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// BPE is a byte-pair encoding of text: tokens are 256 bytes, and from there on pairs of tokens before them. Sennrich, Haddow and Birch, "Neural machine
// translation of rare words with subword units", 2016.
type BPE [][2]int32

// Tokens is how many tokens there are.
func (p BPE) Tokens() int { return 256 + len(p) }

// trainBPE makes tokens of the most frequent pairs in text, one after another, until there are so many tokens, or none occurs twice. Pairs do not go across
// the beginnings of words. Among equally frequent pairs the one of smaller tokens comes first, so that a text
// has one answer.
func trainBPE(text string, tokens int) (p BPE) {
	type word struct {
		is    []int32
		count int
	}
	counts := map[string]int{}
	for w := range words(text) {
		counts[w]++
	}
	var all []word
	for w, n := range counts {
		all = append(all, word{bytesOf(w), n})
	}
	for p.Tokens() < tokens {
		seen := map[[2]int32]int{}
		for _, w := range all {
			for i := range len(w.is) - 1 {
				seen[[2]int32{w.is[i], w.is[i+1]}] += w.count
			}
		}
		var best [2]int32
		most := 1
		for pair, n := range seen {
			if n > most || n == most && most > 1 && slices.Compare(pair[:], best[:]) < 0 {
				best, most = pair, n
			}
		}
		if most == 1 {
			break
		}
		p = append(p, best)
		for i := range all {
			all[i].is = join(all[i].is, best, int32(p.Tokens()-1))
		}
	}
	return p
}

// words yields text in pieces: letters, digits, spaces, ends of lines, or anything else, with one space before them.
func words(text string) func(yield func(string) bool) {
	kind := func(c byte) int {
		switch {
		case c == ' ':
			return 0
		case c == '\n':
			return 1
		case '0' <= c && c <= '9':
			return 2
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80:
			return 3
		}
		return 4
	}
	return func(yield func(string) bool) {
		for len(text) > 0 {
			end := 1
			first := kind(text[0])
			if len(text) > 1 && first == 0 && kind(text[1]) > 1 { // the space belongs to what follows
				first = kind(text[1])
			}
			for end < len(text) && kind(text[end]) == first {
				end++
			}
			if end < len(text) && first == 0 && kind(text[end]) > 1 { // the last of many
				end--
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

func bytesOf(text string) []int32 {
	list := make([]int32, len(text))
	for i := range len(text) {
		list[i] = int32(text[i])
	}
	return list
}

// join puts a token in the place of each pair, in list's memory.
func join(list []int32, pair [2]int32, token int32) []int32 {
	out := list[:0]
	for i := 0; i < len(list); i++ {
		if i+1 < len(list) && list[i] == pair[0] && list[i+1] == pair[1] {
			out = append(out, token)
			i++
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// Encode returns the tokens of text: of each word the pairs that were found first are joined first.
func (p BPE) Encode(text string) (tokens []int32) {
	rank := map[[2]int32]int32{}
	for i, pair := range p {
		rank[pair] = int32(256 + i)
	}
	known := map[string][]int32{}
	for w := range words(text) {
		list, ok := known[w]
		if !ok {
			list = bytesOf(w)
			for {
				first := int32(p.Tokens())
				for i := range len(list) - 1 {
					if token, ok := rank[[2]int32{list[i], list[i+1]}]; ok {
						first = min(first, token)
					}
				}
				if first == int32(p.Tokens()) {
					break
				}
				list = join(list, p[first-256], first)
			}
			known[w] = list
		}
		tokens = append(tokens, list...)
	}
	return tokens
}

// Decode returns the text of tokens, which must be among those that there are.
func (p BPE) Decode(tokens []int32) string {
	var b strings.Builder
	var put func(token int32)
	put = func(token int32) {
		if token < 256 {
			b.WriteByte(byte(token))
			return
		}
		put(p[token-256][0])
		put(p[token-256][1])
	}
	for _, t := range tokens {
		put(t)
	}
	return b.String()
}

// most tokens that there may be, and bytes of one: a file of pairs may say anything.
const mostTokens, longestToken = 1 << 16, 1 << 12

// check refuses pairs of tokens that come later, and tokens of more bytes than text has reason for.
func (p BPE) check() error {
	if p.Tokens() > mostTokens {
		return fmt.Errorf("%d tokens; want %d at most", p.Tokens(), mostTokens)
	}
	long := make([]int, p.Tokens())
	for i := range long {
		if i < 256 {
			long[i] = 1
			continue
		}
		for _, of := range p[i-256] {
			if of < 0 || int(of) >= i {
				return fmt.Errorf("token %d is made of token %d; want one before it", i, of)
			}
			long[i] += long[of]
		}
		if long[i] > longestToken {
			return errors.New("a token is too long")
		}
	}
	return nil
}
