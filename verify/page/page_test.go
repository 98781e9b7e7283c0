package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// small has one of everything.
func small() Data {
	return Data{
		Title: "Two kernels", Subtitle: "one core", When: "today", Command: "tilesmith sweep --html page.html",
		Machine: []Fact{{"Processor", "an example"}}, Peers: []Fact{{"OpenBLAS", "0.3.21"}},
		Roofs: []Roof{{"f32", 260}, {"f64", 130}}, Slopes: []Slope{{"L2", 250}, {"DRAM", 40}},
		Marks: []Mark{
			{Series: "ours", Label: "n=64", Intensity: 8, GFLOPS: 180, Predicted: 200, Hover: []Fact{{"bound by", "FMA"}}},
			{Series: "theirs", Label: "n=64", Intensity: 8, GFLOPS: 140},
		},
		Tables: []Table{{Title: "Against the best", Header: []string{"n", "ratio", "by"}, Rows: [][]string{{"64", "1.29x", "FMA"}, {"128"}}}},
		Notes:  []string{"Medians of nine."},
	}
}

// write returns the page and the picture, and fails the test if there is none.
func write(t *testing.T, d Data) (html, svg string) {
	t.Helper()
	var p, s bytes.Buffer
	if err := errors.Join(Write(&p, d), SVG(&s, d)); err != nil {
		t.Fatal(err)
	}
	return p.String(), s.String()
}

// An element is a tag with what a test asks of it.
type element struct {
	name  string
	attr  map[string]string
	text  string // directly in it
	class string
}

// parse reads a document as XML, strictly, and returns its elements in the order in
// which they end.
func parse(text string) (all []element, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	var open []element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			e.class = e.attr["class"]
			open = append(open, e)
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		case xml.EndElement:
			all = append(all, open[len(open)-1])
			open = open[:len(open)-1]
		}
	}
}

func mustParse(t *testing.T, text string) []element {
	t.Helper()
	all, err := parse(text)
	if err != nil {
		t.Fatalf("not well-formed: %v", err)
	}
	return all
}

// TestGolden compares the markup of a small page and a small picture, without the
// styles and the script, with files that a person has looked at in a browser.
func TestGolden(t *testing.T) {
	html, svg := write(t, small())
	inline := regexp.MustCompile(`(?s)(<style>|<script>).*?(</style>|</script>)`)
	hashes := regexp.MustCompile(`sha256-[A-Za-z0-9+/=]+`)
	for name, got := range map[string]string{"small.html": html, "small.svg": svg} {
		got = hashes.ReplaceAllString(inline.ReplaceAllString(got, "$1$2"), "sha256")
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
			t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
		}
	}
}

// TestSame: the same Data gives the same bytes, and is not changed.
func TestSame(t *testing.T) {
	d := small()
	d.Marks = append(d.Marks, Mark{Series: "ours", Intensity: math.NaN()})
	h1, s1 := write(t, d)
	for range 3 {
		h2, s2 := write(t, d)
		if h1 != h2 || s1 != s2 {
			t.Fatal("written again, it differs")
		}
	}
	if len(d.Marks) != 3 || d.Marks[0].Predicted != 200 {
		t.Errorf("changed: %v", d.Marks)
	}
}

// hostile are texts that break out of careless markup.
var hostile = []string{
	`<script>alert(1)</script>`, `</script><img src=x onerror=alert(1)>`, `" onfocus="alert(1)`, `' x='`,
	"</style></svg></title>", "]]>", "<!--", "&amp;&lt;", "&#0;", "%!v(BADINDEX) %[9]v %s", "a\x00b\x1b[31m", "\xff\xfe", "\uFFFE\uFFFF",
	"\u202eevil\u2066", "a\r\nb\tc", "日本語テキスト", strings.Repeat("m", 3000), "",
}

// everywhere is a page with text wherever text can be.
func everywhere(s string) Data {
	f := []Fact{{s, s}}
	return Data{Title: s, Subtitle: s, When: s, Command: s, Machine: f, Peers: f,
		Roofs: []Roof{{s, 10}, {s, 0}}, Slopes: []Slope{{s, 5}, {s, -1}},
		Marks:  []Mark{{s, s, 1, 3, 4, f}, {s + "2", s, math.NaN(), 3, 4, f}, {s, s, 2, 3, -1, f}},
		Tables: []Table{{s, s, []string{s}, [][]string{{s, s}, {s}}}, {Title: s}}, Notes: []string{s}, Warnings: []string{s}}
}

// TestHostile holds that text stays text: the elements and attributes of a page
// with hostile text are those of one with harmless text, and the text comes out as
// it went in.
func TestHostile(t *testing.T) {
	tags := func(text string) (s []string) {
		for _, e := range mustParse(t, text) {
			s = append(s, fmt.Sprint(e.name, len(e.attr)))
		}
		return s
	}
	htmlWant, svgWant := write(t, everywhere("x"))
	for _, s := range hostile {
		if s == "" {
			continue // an empty title has no element
		}
		html, svg := write(t, everywhere(s))
		// Names that are too long or stand in the way are not drawn.
		shown := func(tags []string) (n []string) {
			for _, e := range tags {
				if e != "text3" && e != "text4" {
					n = append(n, e)
				}
			}
			return n
		}
		if diff := cmp.Diff(shown(tags(htmlWant)), shown(tags(html))); diff != "" {
			t.Errorf("page of %q (-harmless +hostile):\n%s", s, diff)
		}
		if diff := cmp.Diff(shown(tags(svgWant)), shown(tags(svg))); diff != "" {
			t.Errorf("picture of %q (-harmless +hostile):\n%s", s, diff)
		}
	}
	s := `<b> & "c" 'd' ]]>`
	html, _ := write(t, everywhere(s))
	found := map[string]bool{}
	for _, e := range mustParse(t, html) {
		if e.text == s {
			found[e.name] = true
		}
	}
	for _, name := range []string{"title", "h1", "h2", "p", "dt", "dd", "code", "li", "th", "td", "text"} {
		if !found[name] {
			t.Errorf("<%s> does not hold %q", name, s)
		}
	}
}

// TestNothingFromOutside: no address, no event handler, and the policy names
// exactly the style and the script that are in the page.
func TestNothingFromOutside(t *testing.T) {
	html, svg := write(t, small())
	address := regexp.MustCompile(`(?i)https?:|//[a-z]|url\(|@import`)
	policy := ""
	for _, text := range []string{html, svg} {
		for _, a := range address.FindAllStringIndex(strings.ReplaceAll(text, "http://www.w3.org/", ""), -1) {
			t.Errorf("an address at %d", a[0])
		}
		for _, e := range mustParse(t, text) {
			for k := range e.attr {
				if k == "src" || k == "href" || k == "style" || strings.HasPrefix(k, "on") {
					t.Errorf("<%s %s>", e.name, k)
				}
			}
			if e.attr["http-equiv"] == "Content-Security-Policy" {
				policy = e.attr["content"]
			}
			if name := e.name; text == html && (name == "style" || name == "script") {
				if want := name + "-src '" + hash(e.text) + "'"; !strings.Contains(policy, want) {
					t.Errorf("policy %q has no %q", policy, want)
				}
			}
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("policy %q", policy)
	}
}

// TestDegenerate: whatever is missing, there is a picture, and every coordinate is a
// number within it.
func TestDegenerate(t *testing.T) {
	same := make([]Mark, 50)
	for i := range same {
		same[i] = Mark{Series: "s" + strconv.Itoa(i), Label: "n", Intensity: 1, GFLOPS: 1}
	}
	var roofs []Roof
	for i := range MaxRoofs {
		roofs = append(roofs, Roof{"a roof with a long name " + strconv.Itoa(i), 100 + float64(i)/1000})
	}
	var slopes []Slope
	for i := range MaxSlopes {
		slopes = append(slopes, Slope{"slope " + strconv.Itoa(i), 100 + float64(i)/1000})
	}
	one := []Mark{{Label: "only", Intensity: 3, GFLOPS: 7}}
	for name, d := range map[string]Data{
		"nothing":           {},
		"one mark":          {Marks: one},
		"all equal":         {Marks: same},
		"one roof":          {Roofs: roofs[:1]},
		"one slope":         {Slopes: slopes[:1]},
		"slope and mark":    {Slopes: slopes[:1], Marks: one},
		"roof and mark":     {Roofs: roofs[:1], Marks: one},
		"equal lines":       {Roofs: roofs, Slopes: slopes, Marks: same},
		"the whole range":   {Roofs: []Roof{{"low", Least}, {"high", Most}}, Slopes: []Slope{{"slow", Least}, {"fast", Most}}, Marks: []Mark{{Intensity: Least, GFLOPS: Most, Predicted: Least}, {Intensity: Most, GFLOPS: Least}}},
		"slopes far away":   {Roofs: roofs[:1], Slopes: []Slope{{"slow", Least}, {"fast", Most}}},
		"only bad":          {Roofs: []Roof{{"r", math.NaN()}}, Slopes: []Slope{{"s", math.Inf(1)}}, Marks: []Mark{{Intensity: -1, GFLOPS: 1}, {Intensity: 1}}},
		"tables without":    {Tables: []Table{{}, {Title: "t"}, {Header: []string{"h"}}, {Rows: [][]string{{}, {"x"}, nil}}}},
		"everything hidden": {Marks: []Mark{{Intensity: math.SmallestNonzeroFloat64, GFLOPS: math.MaxFloat64}}},
	} {
		t.Run(name, func(t *testing.T) {
			html, svg := write(t, d)
			inBounds(t, html)
			inBounds(t, svg)
		})
	}
}

var numbers = regexp.MustCompile(`-?[0-9.]+`)

// inBounds holds that a document is well-formed and that no picture in it has a
// coordinate that is no number or far outside.
func inBounds(t *testing.T, text string) {
	t.Helper()
	for _, e := range mustParse(t, text) {
		for k, v := range e.attr {
			switch k {
			case "x", "y", "d", "transform", "width", "height", "viewBox":
				if strings.Contains(v, "NaN") || strings.Contains(v, "Inf") || strings.Contains(v, "e+") {
					t.Fatalf("<%s %s=%q>", e.name, k, v)
				}
				for _, n := range numbers.FindAllString(v, -1) {
					if f, err := strconv.ParseFloat(n, 64); err != nil || math.Abs(f) > 4000 {
						t.Fatalf("<%s %s=%q>: %s", e.name, k, v, n)
					}
				}
			}
		}
	}
}

// TestLeftOut: what cannot be drawn is named, ten at most.
func TestLeftOut(t *testing.T) {
	d := small()
	d.Roofs = append(d.Roofs, Roof{"no kernel", 0})
	d.Marks[1].Predicted = math.Inf(1)
	html, svg := write(t, d)
	for _, want := range []string{"ceiling no kernel: 0 GFLOP/s", "prediction for theirs n=64: +Inf GFLOP/s"} {
		if !strings.Contains(html, "<li>"+want+"</li>") {
			t.Errorf("the page does not say %q", want)
		}
	}
	if !strings.Contains(svg, ">2 values left out") {
		t.Error("the picture does not say that two values are left out")
	}
	for i := range 30 {
		d.Marks = append(d.Marks, Mark{Series: "bad", Label: strconv.Itoa(i)})
	}
	html, _ = write(t, d)
	if !strings.Contains(html, "<li>and 22 more</li>") || strings.Contains(html, "bad 9:") {
		t.Error("the page does not say that 22 more are left out")
	}
}

// TestLimits: at a limit there is a page, above it an error that names the limit.
func TestLimits(t *testing.T) {
	marks := func(n, series int) (m []Mark) {
		for i := range n {
			m = append(m, Mark{Series: strconv.Itoa(i % series), Label: strconv.Itoa(i), Intensity: 1 + float64(i%97), GFLOPS: 1 + float64(i%89), Predicted: 50})
		}
		return m
	}
	table := func(rows, cols int) []Table {
		return []Table{{Header: make([]string, cols), Rows: make([][]string, rows-1)}}
	}
	for _, c := range []struct {
		what string
		at   Data
		over Data
	}{
		{"4097 marks", Data{Marks: marks(MaxMarks, 2)}, Data{Marks: marks(MaxMarks+1, 2)}},
		{"65 series", Data{Marks: marks(MaxSeries, MaxSeries)}, Data{Marks: marks(MaxSeries+1, MaxSeries+1)}},
		{"17 roofs", Data{Roofs: make([]Roof, MaxRoofs)}, Data{Roofs: make([]Roof, MaxRoofs+1)}},
		{"13 slopes", Data{Slopes: make([]Slope, MaxSlopes)}, Data{Slopes: make([]Slope, MaxSlopes+1)}},
		{"131200 table cells", Data{Tables: table(1024, 128)}, Data{Tables: table(1025, 128)}},
		{"8388609 bytes of text", Data{Title: strings.Repeat("x", MaxText)}, Data{Title: strings.Repeat("x", MaxText+1)}},
		{"9000000 bytes of text", Data{}, Data{Notes: make([]string, 562500)}},
	} {
		if err := errors.Join(Write(io.Discard, c.at), SVG(io.Discard, c.at)); err != nil {
			t.Errorf("at the limit of %s: %v", c.what, err)
		}
		for name, f := range map[string]func(io.Writer, Data) error{"Write": Write, "SVG": SVG} {
			var b bytes.Buffer
			if err := f(&b, c.over); err == nil || !strings.HasPrefix(err.Error(), "page: "+c.what+", a page holds at most") || b.Len() > 0 {
				t.Errorf("%s: %v and %d bytes, want an error about %s", name, err, b.Len(), c.what)
			}
		}
	}
}

// FuzzWrite holds for all texts and numbers what the tests above hold for some: a
// page and a picture, well-formed, with every coordinate in place.
func FuzzWrite(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, "n=8", 0.25*float64(i), 100.0, 90.0, 260.0, 40.0)
	}
	f.Add("s", "l", math.NaN(), math.Inf(1), -1.0, 1e-9, 1e12)
	f.Fuzz(func(t *testing.T, s, l string, intensity, speed, predicted, roof, slope float64) {
		d := everywhere(s)
		d.Roofs = append(d.Roofs, Roof{l, roof}, Roof{s + l, roof / 2})
		d.Slopes = append(d.Slopes, Slope{l, slope}, Slope{s + l, slope * 3})
		d.Marks = append(d.Marks, Mark{Series: l, Label: s, Intensity: intensity, GFLOPS: speed, Predicted: predicted},
			Mark{Series: l, Label: l, Intensity: intensity * 2, GFLOPS: speed * intensity, Predicted: speed})
		html, svg := write(t, d)
		inBounds(t, html)
		inBounds(t, svg)
	})
}
