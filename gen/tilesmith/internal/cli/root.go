package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Execute runs a command line of tilesmith with some commands. Data goes to out, all else to log.
func Execute(ctx context.Context, args []string, out, log io.Writer, commands ...*cobra.Command) error {
	if len(args) > 0 && args[0] == "gen" { // whose flags go into generated files
		if err := printable(args); err != nil {
			return err
		}
	}
	root := NewRoot(args, commands...)
	root.SetArgs(append([]string{}, args...)) // of nil, cobra would take its own
	root.SetOut(out)
	root.SetErr(log)
	completionCommand(root)
	return root.ExecuteContext(context.WithValue(ctx, commandLine{}, args))
}

// commandLine is the key of what was typed in a context.
type commandLine struct{}

// NewRoot returns tilesmith with some commands. typed is the command line, which errors name.
func NewRoot(typed []string, commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use: "tilesmith COMMAND", DisableFlagsInUseLine: true, Short: "generates, explains, verifies and times matrix kernels",
		Long: "Tilesmith generates, explains, verifies and times matrix kernels.\nIn a module that has it as a tool it is called by: go tool tilesmith COMMAND",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && len(typed) > 0 {
				return Usagef("unknown flag: %s; %s help lists the commands, which have flags", typed[0], c.Name())
			}
			return Unknown(c, args, "command")
		},
		RunE: func(c *cobra.Command, args []string) error { return c.Help() },
		// Errors are ours to print, in one sentence.
		SilenceErrors: true, SilenceUsage: true,
		SuggestionsMinimumDistance: 2,
		// The flags of a command that does not exist cannot be known.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Version:            moduleVersion(),
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return Usagef("%w; tilesmith help%s lists the flags", wrongValue(err), strings.TrimPrefix(c.CommandPath(), root.Name()))
	})
	root.SetHelpCommand(helpCommand(root))
	root.AddCommand(commands...)
	return root
}

// completionCommand adds cobra's, which keeps the output of now, but for that it refuses
// shells that it does not know.
func completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = func(c *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				return Unknown(c, args, "shell")
			}
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			c.SuggestionsMinimumDistance = 2
		}
	}
}

// helpCommand is cobra's, except that it refuses topics that have no help.
func helpCommand(root *cobra.Command) *cobra.Command {
	c := NewCommand("help [COMMAND]", "describe a command and its flags", nil, func(_ *cobra.Command, args []string) error {
		of, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return Unknown(of, rest, "command")
		}
		of.InitDefaultHelpFlag()
		return of.Help()
	})
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		of, _, err := root.Find(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, sub := range of.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name()+"\t"+sub.Short)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// NewCommand returns a command whose help lists flags as they are declared.
func NewCommand(use, short string, args cobra.PositionalArgs, run func(c *cobra.Command, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: args, RunE: run, DisableFlagsInUseLine: true, SuggestionsMinimumDistance: 2}
	c.Flags().SortFlags = false
	return c
}

// Unknown refuses a word that is none of c's commands, with those that look like it.
func Unknown(c *cobra.Command, args []string, what string) error {
	if len(args) == 0 {
		return Usagef("a %s is missing; %s help lists them", what, c.Root().Name())
	}
	err := fmt.Errorf("there is no %s %q", what, args[0])
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		return Usagef("%w; did you mean %s?", err, strings.Join(like, " or "))
	}
	return Usagef("%w; %s help lists them", err, c.Root().Name())
}

// Exactly wants n arguments besides flags, as want says.
func Exactly(n int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return Usage(errors.New(want))
		}
		return nil
	}
}

// SomeArgs wants spec files or folders, one at least; want says so.
func SomeArgs(want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usage(errors.New(want))
		}
		return nil
	}
}

// CompleteSpecs completes the names of spec files and folders.
func CompleteSpecs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"go"}, cobra.ShellCompDirectiveFilterFileExt
}

// Values lets a flag be completed by one of some values.
func Values(c *cobra.Command, flag string, of ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // there is no such flag, or it has values already
	}
}

// printable refuses arguments that would break an error or a comment in two, or
// hide something in it.
func printable(args []string) error {
	for _, a := range args {
		if !utf8.ValidString(a) || strings.ContainsFunc(a, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return Usagef("the argument %+q has a character that cannot be printed; leave it out", a)
		}
	}
	return nil
}
