package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

//go:embed page.css
var pageFile string

//go:embed tip.js
var tipFile string

var pageCSS, tipJS = unix(pageFile), unix(tipFile)

// unix undoes what git may do to line ends: a browser hashes inline text with \n.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// Write writes d as one HTML file that loads nothing. It refuses more than the
// limits of this package; values that have no place on the axes are left out and
// named on the page. The page is well-formed XML as well.
func Write(w io.Writer, d Data) error {
	if err := check(&d); err != nil {
		return err
	}
	d, left := keep(d)
	p := &printer{}
	p.head(&d)
	p.f("<h1>%v</h1>\n", title(&d))
	for _, s := range []string{d.Subtitle, d.When} {
		if s != "" {
			p.f("<p class=\"sub\">%v</p>\n", s)
		}
	}
	for _, s := range d.Warnings {
		p.f("<p class=\"warning\" role=\"note\">%v</p>\n", s)
	}
	p.WriteString("<figure>\n")
	p.picture(&d, wide, len(left))
	p.picture(&d, narrow, len(left))
	if len(d.Marks) > 0 {
		p.WriteString(`<figcaption class="hint">Point at a mark, or reach it with the tab and arrow keys, to see its numbers.</figcaption>` + "\n")
	}
	p.WriteString("</figure>\n")
	p.left(left)
	for _, t := range d.Tables {
		p.table(t)
	}
	p.facts("Machine", d.Machine)
	p.facts("Compared with", d.Peers)
	if d.Command != "" {
		p.f("<h2>Measure again</h2>\n<pre><code>%v</code></pre>\n", d.Command)
	}
	p.table(ceilingTable(&d))
	if len(d.Notes) > 0 {
		p.WriteString("<h2>Notes</h2>\n<ul>\n")
		for _, n := range d.Notes {
			p.f("<li>%v</li>\n", n)
		}
		p.WriteString("</ul>\n")
	}
	p.all(&d)
	p.f("</main>\n<div id=\"tip\" role=\"status\" hidden=\"\"></div>\n<script>%v</script>\n</body>\n</html>\n", raw(tipJS))
	_, err := w.Write(p.Bytes())
	return err
}

func title(d *Data) string {
	if d.Title == "" {
		return "Roofline"
	}
	return d.Title
}

// head prints what is before the title of the page. The policy lets no script or
// style run but the ones printed here, whatever the texts of the page hold.
func (p *printer) head(d *Data) {
	css := pageCSS + rooflineCSS
	p.f(`<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%v'; script-src '%v'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="generator" content="tilesmith"/>
<title>%v</title>
<style>%v</style>
</head>
<body>
<main>
`, raw(hash(css)), raw(hash(tipJS)), title(d), raw(css))
}

// hash names inline text to a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// left prints what was left out: the first ten, and how many more.
func (p *printer) left(left []string) {
	if len(left) == 0 {
		return
	}
	const most = 10
	p.f("<div class=\"left\">\n<p>Left out of the picture, where only finite numbers above zero have a place:</p>\n<ul>\n")
	for _, l := range left[:min(len(left), most)] {
		p.f("<li>%v</li>\n", l)
	}
	if more := len(left) - most; more > 0 {
		p.f("<li>and %v more</li>\n", more)
	}
	p.WriteString("</ul>\n</div>\n")
}

func (p *printer) facts(title string, facts []Fact) {
	if len(facts) == 0 {
		return
	}
	p.f("<h2>%v</h2>\n<dl>\n", title)
	for _, f := range facts {
		p.f("<dt>%v</dt><dd>%v</dd>\n", f.Name, f.Value)
	}
	p.WriteString("</dl>\n")
}

// table prints a table, which scrolls by itself where it is wider than the screen.
func (p *printer) table(t Table) {
	if columns(t) == 0 && t.Title == "" && t.Note == "" {
		return
	}
	if t.Title != "" {
		p.f("<h2>%v</h2>\n", t.Title)
	}
	if t.Note != "" {
		p.f("<p class=\"note\">%v</p>\n", t.Note)
	}
	n := columns(t)
	if n == 0 {
		return
	}
	class := make([]raw, n)
	for j := range class {
		if numeric(t, j) {
			class[j] = ` class="n"`
		}
	}
	name := t.Title
	if name == "" {
		name = "Table"
	}
	many := raw("")
	if n > 9 {
		many = ` class="many"` // smaller on paper, which does not scroll
	}
	p.f("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%v\">\n<table%v>\n", name, many)
	if len(t.Header) > 0 {
		p.WriteString("<thead><tr>")
		for j := range n {
			p.f("<th scope=\"col\"%v>%v</th>", class[j], cell(t.Header, j))
		}
		p.WriteString("</tr></thead>\n")
	}
	p.WriteString("<tbody>\n")
	for _, r := range t.Rows {
		p.WriteString("<tr>")
		for j := range n {
			p.f("<td%v>%v</td>", class[j], cell(r, j))
		}
		p.WriteString("</tr>\n")
	}
	p.WriteString("</tbody>\n</table>\n</div>\n")
}

func cell(row []string, j int) string {
	if j < len(row) {
		return row[j]
	}
	return ""
}

// numeric reports whether all cells of a column begin like a number: "1.31x" and
// "98 %" do. Empty cells and dashes may be anything.
func numeric(t Table, j int) bool {
	some := false
	for _, r := range t.Rows {
		c := strings.TrimSpace(cell(r, j))
		if c == "" || c == "-" || c == "–" || c == "n/a" {
			continue
		}
		c = strings.TrimLeft(c, "+-<>~≥≤− ")
		if c == "" || c[0] < '0' || c[0] > '9' {
			return false
		}
		some = true
	}
	return some
}

// ceilingTable has the lines of the picture in words.
func ceilingTable(d *Data) Table {
	if len(d.Roofs)+len(d.Slopes) == 0 {
		return Table{}
	}
	t := Table{Title: "Measured ceilings", Header: []string{"Ceiling", "measured", "unit"}}
	for _, r := range d.Roofs {
		t.Rows = append(t.Rows, []string{r.Name, number(r.GFLOPS), "GFLOP/s"})
	}
	for _, s := range d.Slopes {
		t.Rows = append(t.Rows, []string{s.Name, number(s.GBs), "GB/s"})
	}
	return t
}

// all prints every mark as a line of a table, for those who cannot point.
func (p *printer) all(d *Data) {
	if len(d.Marks) == 0 {
		return
	}
	t := Table{Header: []string{"Series", "Label", "flop/byte", "GFLOP/s", "predicted, GFLOP/s"}}
	for _, m := range d.Marks {
		r := []string{m.Series, m.Label, number(m.Intensity), number(m.GFLOPS), ""}
		if m.Predicted != 0 {
			r[4] = number(m.Predicted)
		}
		t.Rows = append(t.Rows, r)
	}
	p.f("<details>\n<summary>%v</summary>\n", fmt.Sprintf("All %d marks", len(d.Marks)))
	p.table(t)
	p.WriteString("</details>\n")
}
