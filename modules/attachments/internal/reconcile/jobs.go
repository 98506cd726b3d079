package reconcile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ErrDisagree makes the command fail after it has said what is wrong.
var ErrDisagree = errors.New("rows and stored content disagree")

// Run is `dispatchd attachments reconcile`.
func (s *Reconciler) Run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("reconcile", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	var company uuid.UUID
	flags.TextVar(&company, "company", uuid.Nil, "id of the company")
	removes := flags.Bool("remove", false, "remove content that no row is about")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var printing error
	done, err := s.comparer.Compare(ctx, company, *removes, func(f Finding) {
		_, err := fmt.Fprintln(out, f)
		printing = errors.Join(printing, err)
	})
	if err = errors.Join(err, printing); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%d rows, %d blobs, %d findings, %d removed\n", done.Rows, done.Blobs, done.Findings, done.Mended); err != nil {
		return err
	}
	if done.Findings > done.Mended {
		return ErrDisagree
	}

	return nil
}

// CompareAll is the job that has each company's rows and content compared.
type CompareAll struct{}

// Kind implements jobs.Args.
func (CompareAll) Kind() string { return "attachments.reconcile" }

// EnqueueAll does the job.
func (s *Reconciler) EnqueueAll(ctx context.Context, _ CompareAll) error {
	companies, err := s.comparer.companies(ctx)
	if err != nil {
		return err
	}
	for _, id := range companies {
		err := s.db.InTx(principal.AsCompany(ctx, id), func(ctx context.Context) error {
			return s.queue.Enqueue(ctx, CompareCompany{}, jobs.Unique(), jobs.Background())
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// CompareCompany is the job that compares rows and content of the company that it belongs to.
type CompareCompany struct{}

// Kind implements jobs.Args.
func (CompareCompany) Kind() string { return "attachments.reconcile_company" }

// CompareOne does the job: what no row is about is removed, and everything that is found is logged.
func (s *Reconciler) CompareOne(ctx context.Context, _ CompareCompany) error {
	who, _ := principal.From(ctx)
	log := s.log
	done, err := s.comparer.Compare(ctx, who.Company, true, func(f Finding) {
		level := slog.LevelError
		if f.Mended {
			level = slog.LevelWarn
		}
		log.LogAttrs(ctx, level, "rows and stored content of attachments disagree", slog.String("kind", f.Kind),
			slog.String("company", f.Company.String()), slog.String("what", f.What), slog.Bool("removed", f.Mended))
	})
	if err != nil {
		return err
	}
	log.LogAttrs(ctx, slog.LevelDebug, "rows and stored content of attachments compared", slog.Int("rows", done.Rows),
		slog.Int("blobs", done.Blobs), slog.Int("findings", done.Findings), slog.Int("removed", done.Mended))

	return nil
}
