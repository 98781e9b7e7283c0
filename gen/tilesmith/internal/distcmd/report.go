package distcmd

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/formats"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// distRunReport is what dist run prints.
type distRunReport struct {
	File      string     `json:"file"`
	Rows      int64      `json:"rows"`
	Cols      int64      `json:"cols"`
	Entries   int64      `json:"entries"`
	Ranks     int        `json:"ranks"`
	Processes bool       `json:"processes"` // of an MPI job; else goroutines
	Hosts     int        `json:"hosts"`
	Threads   int        `json:"threads"` // of a rank
	ISA       string     `json:"isa"`
	Features  int        `json:"features"`
	Type      string     `json:"type"`
	Method    string     `json:"method"`
	Cover     bool       `json:"cover"`
	Seconds   float64    `json:"seconds"` // of a product, median; of the slowest rank
	Least     float64    `json:"least_seconds"`
	Bytes     int64      `json:"bytes"` // that all ranks sent in a product
	Messages  int64      `json:"messages"`
	PerRank   []distRank `json:"per_rank"`
}

type distRank struct {
	Rank       int     `json:"rank"`
	Rows       int64   `json:"rows"`
	Entries    int64   `json:"entries"`
	Sent       int64   `json:"rows_sent"`
	Received   int64   `json:"rows_received"`
	Messages   int64   `json:"messages_sent"`
	Bytes      int64   `json:"bytes_sent"`
	Overlapped float64 `json:"overlapped"` // part of the entries that need no other rank
	Error      float64 `json:"error"`      // of the bound
}

// printAs prints the report in a form.
func (r *distRunReport) printAs(out io.Writer, as cli.Form) error {
	switch as {
	case cli.FormJSON:
		return cli.WriteJSON(out, r)
	case cli.FormCSV:
		var rows [][]any
		for _, x := range r.PerRank {
			rows = append(rows, []any{r.File, r.Ranks, r.Processes, r.Threads, r.ISA, r.Features, r.Type, r.Method, r.Seconds, r.Least,
				x.Rank, x.Rows, x.Entries, x.Sent, x.Received, x.Messages, x.Bytes, x.Overlapped, x.Error})
		}
		return cli.WriteCSV(out, "file,ranks,processes,threads,isa,features,type,method,seconds,least_seconds,"+
			"rank,rows,entries,rows_sent,rows_received,messages_sent,bytes_sent,overlapped,error", rows)
	}
	kind := "goroutines"
	if r.Processes {
		kind = fmt.Sprintf("processes on %d machine%s", r.Hosts, map[bool]string{true: "s"}[r.Hosts > 1])
	}
	fmt.Fprintf(out, "%s: %d x %d with %d entries, %d features of %s; %d ranks, %s, with %s each, %s\n\n",
		r.File, r.Rows, r.Cols, r.Entries, r.Features, r.Type, r.Ranks, kind, formats.Threads(r.Threads), r.ISA)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\trows\tentries\trows sent\treceived\tmessages\tbytes sent\toverlapped\terror, of the bound")
	for _, x := range r.PerRank {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%s\t%.0f %%\t%.2f\n", x.Rank, x.Rows, x.Entries, x.Sent, x.Received, x.Messages, cost.Bytes(x.Bytes), 100*x.Overlapped, x.Error)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s: %s a product (least %s), %.3g GFLOP/s, %s in %d messages; every row is right\n", r.Method, cost.Seconds(r.Seconds), cost.Seconds(r.Least),
		2*float64(r.Entries)*float64(r.Features)/r.Seconds/1e9, cost.Bytes(r.Bytes), r.Messages)
	return err
}
