package gen

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// asmText is assembly as a backend prints it, in parts.
type asmText struct {
	includes []string
	code     string
	data     []asmDatum
}

// An asmDatum is a symbol of read-only data: its name, and the lines that define it.
type asmDatum struct{ name, text string }

// dataLine is a line that defines data, and names the symbol.
var dataLine = regexp.MustCompile(`^(?:DATA|GLOBL) ([^ +(]+)`)

// splitAssembly takes apart what a backend prints: a symbol's data are lines one below the other, with a comment
// above them perhaps.
func splitAssembly(text string) (a asmText) {
	var code, above []string // above: a comment that may be of data
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#include ") {
			a.includes = append(a.includes, line)
			continue
		}
		if m := dataLine.FindStringSubmatch(line); m != nil {
			if n := len(a.data); n == 0 || a.data[n-1].name != m[1] {
				a.data = append(a.data, asmDatum{name: m[1], text: strings.Join(above, "")})
			}
			above = nil
			a.data[len(a.data)-1].text += line
			continue
		}
		if strings.HasPrefix(line, "//") {
			above = append(above, line)
			continue
		}
		code = append(append(code, above...), line)
		above = nil
	}
	a.code = strings.Join(append(code, above...), "")
	return a
}

// rename replaces the name of a symbol of the file.
func (a *asmText) rename(from, to string) {
	r := regexp.MustCompile(`(^|[^\w·])` + regexp.QuoteMeta(from))
	a.code = r.ReplaceAllString(a.code, "${1}"+to)
	for i := range a.data {
		a.data[i].text = r.ReplaceAllString(a.data[i].text, "${1}"+to)
	}
}

// printAssembly prints the functions of all sections, and below them their data once. A name
// with <> is one of the file: sections that were printed apart may mean different data by it.
func (s *sheet) printAssembly() ([]byte, error) {
	var includes []string
	var code strings.Builder
	data := map[string]string{}
	for _, x := range s.sections {
		a := splitAssembly(x.text)
		for _, line := range a.includes {
			if !slices.Contains(includes, line) {
				includes = append(includes, line)
			}
		}
		for i := range a.data {
			name, err := a.place(data, i)
			if err != nil {
				return nil, err
			}
			data[name] = a.data[i].text
		}
		code.WriteString("\n" + strings.Trim(a.code, "\n") + "\n")
	}
	var p printer
	s.begin(&p)
	p.printf("%s%s", strings.Join(includes, ""), code.String())
	for _, name := range slices.Sorted(maps.Keys(data)) {
		p.printf("\n%s", data[name])
	}
	return []byte(p.String()), nil
}

// place returns the name under which the symbol i stands among the data of a file. It is its
// own, or a numbered one if that has other data there.
func (a *asmText) place(data map[string]string, i int) (string, error) {
	name := a.data[i].name
	free := func(name, text string) bool { old, ok := data[name]; return !ok || old == text }
	if free(name, a.data[i].text) {
		return name, nil
	}
	base, static := strings.CutSuffix(name, "<>")
	if !static {
		return "", fmt.Errorf("two specs define the symbol %s differently", name)
	}
	as := name
	for n := 2; ; n++ {
		was := as
		as = fmt.Sprintf("%s_%d<>", base, n)
		a.rename(was, as)
		if free(as, a.data[i].text) {
			a.data[i].name = as
			return as, nil
		}
	}
}
