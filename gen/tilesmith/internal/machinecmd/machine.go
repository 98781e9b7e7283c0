// Package machinecmd measures this machine: tilesmith machine. It also finds the machine that flags of other commands name.
package machinecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// machineTime is what the measurements take: with the memory that they fill less than
// ten seconds.
const machineTime = 8 * time.Second

// Command measures this machine and prints the numbers next to its data.
func Command() *cobra.Command {
	var out string
	var asked func() (cli.Form, error)
	c := cli.NewCommand("machine [--out FILE] [--json]", "measure this machine for plans, and compare with the data for it",
		cli.Exactly(0, "machine takes flags only, as in: tilesmith machine --out this.machine"), func(c *cobra.Command, _ []string) error {
			form, err := asked()
			if err != nil {
				return err
			}
			if err := isMachineFile(out); err != nil {
				return err
			}
			if out != "" {
				if err := outfile.Check(out); err != nil {
					return err
				}
			}
			return measureMachine(cli.ConsoleOf(c), out, form)
		})
	c.Flags().StringVar(&out, "out", "", "write the measurements to this file, which programs read with TILESMITH_MACHINE=FILE")
	asked = cli.FormFlags(c, "one JSON object", cli.FormTable, cli.FormCSV, cli.FormJSON)
	return c
}

func measureMachine(con *cli.Console, out string, as cli.Form) error {
	fmt.Fprintf(con.Log, "measuring for some %.0f s; the machine should have nothing else to do\n", machineTime.Seconds())
	found, err := roof.MachineUntil(con.Ctx, machineTime, con.Bar.Step)
	con.Bar.Stop()
	if err != nil {
		if perr := printMachine(con.Out, found, machine.Data(), as); perr != nil {
			return perr
		}
		return fmt.Errorf("%w: numbers that were not measured yet are printed as the data have them, and no file is written", context.Cause(con.Ctx))
	}
	return reportMachine(con.Out, found, machine.Data(), out, as)
}

// isMachineFile refuses to overwrite a file that is none of ours.
func isMachineFile(name string) error {
	if name == "" {
		return nil
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(name)); err != nil || !dir.IsDir() {
			return cli.Usagef("there is no folder %s for --out %s", filepath.Dir(name), name)
		}
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return cli.Usagef("%s is a folder; name a file for --out", name)
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	const ours = "tilesmith machine "
	head := make([]byte, len(ours))
	if n, _ := io.ReadFull(f, head); string(head[:n]) != ours {
		return cli.Usagef("%s exists and is not a machine file; name another for --out", name)
	}
	return nil
}

// reportMachine prints the measured numbers next to the data, and writes them to a file
// if one is named.
func reportMachine(w io.Writer, found, data *machine.Machine, out string, as cli.Form) error {
	// An impossible number is not a measurement: the machine was not idle.
	if err := found.Check(); err != nil {
		return fmt.Errorf("the measurements are impossible, %w: measure again when the machine has nothing else to do", err)
	}
	var err error
	if out != "" { // first: who reads the table may go before its end
		err = outfile.Write(out, func(w io.Writer) error {
			_, err := io.WriteString(w, found.Text())
			return err
		})
	}
	return errors.Join(printMachine(w, found, data, as), err)
}

func printMachine(w io.Writer, found, data *machine.Machine, as cli.Form) error {
	if as == cli.FormJSON {
		return cli.WriteJSON(w, map[string]*machine.Machine{"measured": found, "data": data})
	}
	known := map[string]machine.Number{}
	for _, n := range data.Numbers() {
		known[n.Name] = n
	}
	if as == cli.FormCSV {
		rows := [][]string{{"name", "measured", "data", "unit"}}
		for _, n := range found.Numbers() {
			rows = append(rows, []string{n.Name, cli.Exact(n.Value), cli.Exact(known[n.Name].Value), n.Unit})
		}
		return cli.WriteCSV(w, rows)
	}
	fmt.Fprintf(w, "%s, %v\ncaches: %s\ndata: %s\n", data.Name, data.CPU, data.Sizes, data.Source)
	fmt.Fprintf(w, "measured: all but %s\n\n", roof.Kept)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmeasured\tdata\tunit\t")
	for _, n := range found.Numbers() {
		unit, by := scale(n)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", n.Name, digits(n.Value*by), digits(known[n.Name].Value*by), unit)
	}
	return t.Flush()
}

// scale returns the unit that a table has a number in, and what it is multiplied by.
func scale(n machine.Number) (unit string, by float64) {
	switch {
	case n.Unit == "bytes/s":
		return "GB/s", 1e-9
	case n.Unit == "Hz":
		return "GHz", 1e-9
	case n.Unit == "s":
		return "ns", 1e9
	case n.Unit == "bytes" && n.Value >= 1024:
		return "KiB", 1.0 / 1024
	}
	return n.Unit, 1
}

// digits writes a number with four digits, or all of those before the point.
func digits(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// measuring is how long a machine is measured, here: a spec program is also what
// generates the kernels that measuring takes.
const measuring = 3 * time.Second

// For returns the machine that --machine means; nil is the reference, which
// depends on the target.
func For(name string) (*machine.Machine, error) {
	switch name {
	case "", "reference":
		return nil, nil
	case "this":
		return machine.Data(), nil
	case "measured":
		return roof.Machine(measuring), nil
	}
	names := []string{"reference", "this", "measured"}
	for _, m := range machine.Known() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	m, err := machine.Load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, cli.Usagef("--machine %s is neither a file nor one of %s", name, strings.Join(names, ", "))
	case err != nil:
		return nil, cli.Usagef("--machine: %w", err)
	}
	return m, nil
}
