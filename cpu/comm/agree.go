package comm

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// A Fact is something that all ranks of a group must agree on, such as the shape of a
// matrix that they share or the version of a program.
type Fact struct{ Name, Value string }

// NewFact returns a Fact with the text of a value, as fmt.Sprint makes it.
func NewFact(name string, value any) Fact { return Fact{name, fmt.Sprint(value)} }

// A DisagreeError is an error of some ranks that Agree shared, the same on all ranks. It is
// also the error of a collective that ranks called with different arguments.
type DisagreeError struct {
	Text string
	own  error
}

func (e *DisagreeError) Error() string { return e.Text }

// Unwrap returns the error that this rank gave to Agree.
func (e *DisagreeError) Unwrap() error { return e.own }

// Agree returns nil on all ranks if err is nil and the facts, which come in one order, are
// equal on all of them. Otherwise it returns an error on all ranks. The error says which
// ranks have which error, and which facts differ from those of most ranks, and how. All
// ranks call it. A rank that finds its arguments wrong calls it with an error, so that the
// others do not wait for it in vain.
//
// If all is well that is one AllReduce of 24 bytes. Each rank's errors are reported in
// at most 4 KiB.
func Agree(c *Comm, err error, facts ...Fact) error {
	h := fnv.New64a()
	for _, f := range facts {
		fmt.Fprintf(h, "%q %q\n", f.Name, f.Value)
	}
	mine := []uint64{0, h.Sum64(), ^h.Sum64()}
	if err != nil {
		mine[0] = 1
	}
	if err := AllReduce(c, mine, Max[uint64]()); err != nil {
		return err
	}
	if mine[0] == 0 && mine[1] == ^mine[2] {
		return nil
	}
	all, failed := tell(c, encode(err, facts))
	if failed != nil {
		return failed
	}
	return &DisagreeError{describe(all), err}
}

// tell returns the texts of all ranks.
func tell(c *Comm, text []byte) ([][]byte, error) {
	lengths := make([]int32, c.size)
	if err := AllGather(c, lengths, []int32{int32(len(text))}); err != nil {
		return nil, err
	}
	counts := make([]int, c.size)
	for r, n := range lengths {
		counts[r] = int(n)
	}
	offsets := sums(counts)
	out := make([]byte, offsets[c.size])
	if err := AllGatherV(c, out, counts, text); err != nil {
		return nil, err
	}
	all := make([][]byte, c.size)
	for r := range all {
		all[r] = out[offsets[r]:offsets[r+1]]
	}
	return all, nil
}

// mostTold is how many bytes of errors and facts a rank tells, mostValue of one of them.
const (
	mostTold  = 4 << 10
	mostValue = 1 << 10
)

// encode writes quoted texts: the error, or "", then names and values.
func encode(err error, facts []Fact) []byte {
	text := ""
	if err != nil {
		text = cmp.Or(err.Error(), "an error without words")
	}
	b := strconv.AppendQuote(nil, brief(text))
	for _, f := range facts {
		more := strconv.AppendQuote(nil, brief(f.Name))
		more = strconv.AppendQuote(append(more, ' '), brief(f.Value))
		if len(b)+1+len(more) > mostTold {
			break
		}
		b = append(append(b, ' '), more...)
	}
	return b
}

// brief is s, or as much of it as is told, with a number that tells what is left out apart.
func brief(s string) string {
	if len(s) <= mostValue {
		return s
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return fmt.Sprintf("%s... (%d bytes, %x)", strings.ToValidUTF8(s[:mostValue/2], ""), len(s), h.Sum64())
}

// decode is the inverse of encode.
func decode(b []byte) (err string, facts []Fact) {
	var list []string
	for s := string(b); s != ""; s = strings.TrimPrefix(s, " ") {
		q, e := strconv.QuotedPrefix(s)
		if e != nil {
			break
		}
		text, _ := strconv.Unquote(q)
		list = append(list, text)
		s = s[len(q):]
	}
	if len(list) > 0 {
		err, list = list[0], list[1:]
	}
	for ; len(list) >= 2; list = list[2:] {
		facts = append(facts, Fact{list[0], list[1]})
	}
	return err, facts
}

// describe says what differs between ranks.
func describe(all [][]byte) string {
	errs := make([]string, len(all))
	var names []string
	values := map[string][]string{} // of a fact by rank
	for r, b := range all {
		var facts []Fact
		errs[r], facts = decode(b)
		for _, f := range facts {
			if values[f.Name] == nil {
				names = append(names, f.Name)
				values[f.Name] = make([]string, len(all))
			}
			values[f.Name][r] = f.Value
		}
	}
	var parts []string
	for _, g := range alike(errs) {
		if g.value != "" {
			parts = append(parts, whose(ranksText(g.ranks), errors.New(g.value)).Error())
		}
	}
	for _, name := range names {
		groups := alike(values[name])
		var has []string
		for _, g := range groups {
			if g.value == "" { // who has an error may not have come to this fact
				g.ranks = slices.DeleteFunc(g.ranks, func(r int) bool { return errs[r] != "" })
			}
			if len(g.ranks) == 0 {
				continue
			}
			has = append(has, ranksText(g.ranks)+" "+cmp.Or(g.value, "nothing"))
		}
		if len(has) < 2 {
			continue
		}
		parts = append(parts, fmt.Sprintf("the ranks disagree about %s: %s", name, strings.Join(has, ", but ")))
	}
	if parts == nil {
		return "the ranks disagree about facts whose texts are too long to tell"
	}
	return strings.Join(parts, "; ")
}

type likeRanks struct {
	value string
	ranks []int
}

// alike groups ranks by their values, the largest group first, then by rank.
func alike(values []string) (groups []likeRanks) {
	at := map[string]int{}
	for r, v := range values {
		i, ok := at[v]
		if !ok {
			i = len(groups)
			at[v] = i
			groups = append(groups, likeRanks{value: v})
		}
		groups[i].ranks = append(groups[i].ranks, r)
	}
	slices.SortStableFunc(groups, func(a, b likeRanks) int { return len(b.ranks) - len(a.ranks) })
	return groups
}

// ranksText is "rank 3" or "ranks 0-2, 5".
func ranksText(ranks []int) string {
	if len(ranks) == 1 {
		return "rank " + strconv.Itoa(ranks[0])
	}
	var list []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		text := strconv.Itoa(ranks[i])
		if j > i {
			text += "-" + strconv.Itoa(ranks[j])
		}
		list = append(list, text)
		i = j + 1
	}
	return "ranks " + strings.Join(list, ", ")
}
