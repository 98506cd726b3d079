package regulator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/internal/registry"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// command is `dispatchd carriers regulator`.
type command struct {
	importer *feed.Importer
	fetcher  *feed.Fetcher
	registry *registry.Registry
	clock    clock.Clock
}

func newCommand(importer *feed.Importer, fetcher *feed.Fetcher, all *registry.Registry, clk clock.Clock) *command {
	return &command{importer: importer, fetcher: fetcher, registry: all, clock: clk}
}

func (c *command) run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("regulator", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	set, date := flags.String("set", "", ""), flags.String("date", "", "")
	broken, shrink := flags.String("errors", "", ""), flags.Bool("shrink", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch rest := flags.Args(); {
	case len(rest) == 1 && rest[0] == "status":
		return c.status(ctx, out)
	case len(rest) == 1 && rest[0] == "fetch":
		return c.fetch(ctx, out)
	case len(rest) == 2 && rest[0] == "import" && *set != "":
		return c.importFile(ctx, out, fileToImport{name: rest[1], set: *set, date: *date, broken: *broken, shrink: *shrink})
	}

	return fmt.Errorf("want import --set=SET FILE|-, where SET is one of %s; fetch; or status", strings.Join(feed.SetNames(), ", "))
}

// fileToImport is what was asked for.
type fileToImport struct {
	name, set, date, broken string
	shrink                  bool
}

func (c *command) importFile(ctx context.Context, out io.Writer, f fileToImport) (err error) {
	in := feed.Import{Set: f.set, From: os.Stdin, AsOf: c.clock.Now().UTC().Truncate(24 * time.Hour), Shrink: f.shrink} //nolint:mnd // a day
	if f.name != "-" {
		file, err := os.Open(f.name)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		in.From, in.AsOf = file, info.ModTime().UTC().Truncate(time.Second)
	}
	if f.date != "" {
		if in.AsOf, err = time.Parse(time.DateOnly, f.date); err != nil {
			return fmt.Errorf("date: %q: want a day, such as 2026-11-30", f.date)
		}
	}
	if f.broken == "" && f.name != "-" {
		f.broken = f.name + ".errors.csv"
	}
	if f.broken != "" {
		in.Broken = opener(f.broken)
	}
	report, err := c.importer.Import(ctx, in)
	if err != nil {
		return err
	}
	if report.Resumed > 0 {
		_, _ = fmt.Fprintf(out, "resumed at byte %d\n", report.Resumed) //nolint:errcheck // as all output
	}
	_, err = fmt.Fprintf(out, "%s: %d rows read, %d written, %d deleted, %d broken\n", f.set, report.Rows, report.Written, report.Deleted, report.Broken)

	return err
}

// fetch reads the daily differences of all sets that were imported.
func (c *command) fetch(ctx context.Context, out io.Writer) error {
	all, err := c.fetcher.All(ctx)
	for _, f := range all {
		if f.Err != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", f.Set, f.Err))

			continue
		}
		_, _ = fmt.Fprintf(out, "%s: %d rows read, %d written, %d deleted, %d broken\n", //nolint:errcheck // as all output
			f.Set, f.Report.Rows, f.Report.Written, f.Report.Deleted, f.Report.Broken)
	}

	return err
}

// opener opens the errors file; that of an import that is resumed is appended to.
func opener(name string) func(resumed bool) (io.WriteCloser, error) {
	return func(resumed bool) (io.WriteCloser, error) {
		how := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
		if resumed {
			how = os.O_CREATE | os.O_WRONLY | os.O_APPEND
		}
		const private = 0o600

		return os.OpenFile(name, how, private) //nolint:gosec // the file that the operator named
	}
}

func (c *command) status(ctx context.Context, out io.Writer) error {
	health, err := c.registry.Status(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)         //nolint:mnd // spaces between columns
	_, _ = fmt.Fprintf(table, "adapter\t%s\n", health.Adapter) //nolint:errcheck // Flush reports it
	if !health.OK {
		_, _ = fmt.Fprintf(table, "failing\t%s\n", health.Why) //nolint:errcheck // Flush reports it
	}
	_, _ = fmt.Fprintln(table, "set\tstate\trows\tbroken\tas of") //nolint:errcheck // Flush reports it
	for _, s := range health.Sets {
		asOf := "-"
		if s.AsOf != nil {
			asOf = s.AsOf.UTC().Format(time.DateOnly)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", s.Set, s.State, s.Rows, s.Broken, asOf) //nolint:errcheck // Flush reports it
	}

	return table.Flush()
}
