package part

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestQuality compares with the medians of Mt-KaHyPar in testdata/mtkahypar.csv, which testdata/reference.py
// made: five seeds each, eps .03, METIS off. It prints the rows of docs/results/part-mtkahypar.md.
// TILESMITH_MATRICES names some of the matrices.
func TestQuality(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 divides 13 matrices into 4, 8 and 16 parts, five times each: 80 s")
	}
	f, err := os.Open("testdata/mtkahypar.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	only := strings.Fields(os.Getenv("TILESMITH_MATRICES"))
	name, n, sum, worst := "", 0, 0.0, 0.0
	var h *Hypergraph
	for _, row := range must[[][]string](t)(csv.NewReader(f).ReadAll())[1:] {
		if len(only) > 0 && !slices.Contains(only, row[0]) {
			continue
		}
		if row[0] != name {
			name = row[0]
			a, o := readPattern(t, name+".mtx"), Model{}
			if a.Rows() != a.Cols() {
				o.Ownership = Free
			}
			h = must[*Hypergraph](t)(ColumnNet(a, o))
		}
		k := must[int](t)(strconv.Atoi(row[1]))
		theirs := must[float64](t)(strconv.ParseFloat(row[2], 64))
		var km1 []int64
		var seconds []float64
		var imbalance []float64
		for seed := range uint64(5) {
			start := time.Now()
			p := must[Partition](t)(Make(h, k, Options{Seed: seed + 1}))
			seconds = append(seconds, time.Since(start).Seconds())
			s := Measure(h, p)
			km1, imbalance = append(km1, s.KM1), append(imbalance, s.Imbalance)
			if w := slices.Max(s.Weights); w > int64(Limit(h, k, .03)) || s.Empty > 0 {
				t.Errorf("%s in %d: a part weighs %d, the limit is %d; %d are empty", name, k, w, Limit(h, k, .03), s.Empty)
			}
		}
		slices.Sort(km1)
		slices.Sort(seconds)
		slices.Sort(imbalance)
		ratio := 1.0
		if theirs > 0 {
			ratio = float64(km1[2]) / theirs
		}
		n++
		sum += math.Log(ratio)
		worst = max(worst, ratio)
		fmt.Printf("| %s | %d | %.0f | %d | %.3f | %d to %d | %s | %.4f | %s | %.3f |\n",
			name, k, theirs, km1[2], ratio, km1[0], km1[4], row[4], imbalance[2], row[5], seconds[2])
	}
	mean := math.Exp(sum / float64(n))
	fmt.Printf("%d rows: geometric mean %.4f, worst %.3f\n", n, mean, worst)
	if mean > 1.05 || worst > 1.15 {
		t.Errorf("geometric mean %.4f, worst %.3f; want 1.05 and 1.15 at most", mean, worst)
	}
}

// TestMillion divides a grid of 1000 x 1000 points; its time is printed, and judged by nobody.
func TestMillion(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 divides a million rows: 8 s")
	}
	h := must[*Hypergraph](t)(ColumnNet(grid(t, 1000), Model{}))
	start := time.Now()
	p := must[Partition](t)(Make(h, 8, Options{}))
	s := Measure(h, p)
	fmt.Printf("%v in 8 parts: %.2f s\n%v", h, time.Since(start).Seconds(), s)
	if slices.Max(s.Weights) > int64(Limit(h, 8, .03)) || s.KM1 > 8500 {
		t.Errorf("km1 %d, imbalance %.4f; rows of blocks have 8000 and more", s.KM1, s.Imbalance)
	}
}
