package snippets

import (
	"regexp"
	"strings"
)

// Command is a call of tilesmith that a page shows.
type Command struct {
	Where string
	Words []string // the names of the command and what is below it, such as "gen", "gemm"
	Flags []string // the long flags that it has, without dashes
}

// call matches tilesmith where a shell would run it; what goes before it are variables, and launchers.
var call = regexp.MustCompile(`(?m)(?:^|[ (])(?:go tool |go run \./gen/|\./)?tilesmith ((?:[a-z]+ )*[a-z]+\b)([^\n` + "`" + `#|]*)`)

// longFlag matches a flag, and not what stands for one in brackets.
var longFlag = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)

// Commands returns the calls of tilesmith in the blocks of a page that are not Go, and between backticks in its prose.
// top are the names of the commands, which tell a call from a sentence.
func Commands(page, text string, top map[string]bool) []Command {
	var found []Command
	add := func(where, line string) {
		for _, m := range call.FindAllStringSubmatch(strings.ReplaceAll(line, "\\\n", " "), -1) {
			words := strings.Fields(m[1])
			if !top[words[0]] {
				continue
			}
			c := Command{Where: where, Words: words}
			for _, f := range longFlag.FindAllStringSubmatch(m[2], -1) {
				c.Flags = append(c.Flags, f[1])
			}
			found = append(found, c)
		}
	}
	for _, b := range Markdown(page, text) {
		if !strings.HasPrefix(b.Info, "go") {
			add(b.String(), b.Text)
		}
	}
	for _, m := range regexp.MustCompile("`(tilesmith [^`]*|go tool tilesmith [^`]*)`").FindAllStringSubmatch(text, -1) {
		add(page, m[1])
	}
	return found
}

// helpFlag matches a flag in what --help prints.
var helpFlag = regexp.MustCompile(`(?m)^ +(?:-[a-zA-Z], )?--([a-z][a-z-]*)`)

// helpCommand matches a line of the list of commands in what --help prints.
var helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)

// Help is what --help prints of a command: its flags, and the commands below it.
type Help struct {
	Flags, Below map[string]bool
}

// ParseHelp reads it.
func ParseHelp(text string) Help {
	h := Help{map[string]bool{}, map[string]bool{}}
	for _, m := range helpFlag.FindAllStringSubmatch(text, -1) {
		h.Flags[m[1]] = true
	}
	if _, list, ok := strings.Cut(text, "Available Commands:\n"); ok {
		list, _, _ = strings.Cut(list, "\n\n")
		for _, m := range helpCommand.FindAllStringSubmatch(list, -1) {
			h.Below[m[1]] = true
		}
	}
	return h
}
