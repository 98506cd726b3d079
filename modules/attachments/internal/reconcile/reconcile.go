// Package reconcile compares rows with the content that is stored, and removes content that no row is about.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// How often, and how much at a time.
const (
	// Every is how often rows and content are compared: with orphan_age as it is, no content that no row
	// is about stays for a day.
	Every = 6 * time.Hour
	// batch is how many rows and blobs are compared at a time.
	batch = 500
)

// Finding is where rows and content disagree.
type Finding struct {
	Company uuid.UUID
	// Kind is "orphan", content that no row is about; "missing", a row whose content is not there; "size", a row
	// whose content is shorter or longer; or "usage", a company whose bytes are counted wrong.
	Kind string
	// What is the blob, or the attachment and its version.
	What   string
	Mended bool
}

// String is the finding as the command prints it.
func (f Finding) String() string {
	text := fmt.Sprintf("%s: company %s %s", f.Kind, f.Company, f.What)
	if f.Mended {
		text += " (removed)"
	}

	return text
}

// tally is what reconciling has looked at and found.
type tally struct{ Rows, Blobs, Findings, Mended int }

// comparison is one run of comparing rows with content.
type comparison struct {
	repository *store.Repository
	blobs      *blob.Store
	// before is how old content must be that is removed.
	before time.Time
	// removes says that content is removed that no row is about and that is old enough.
	removes bool
	report  func(Finding)
	tally   tally
}

// Reconciler compares rows with content, and removes content that has none.
type Reconciler struct {
	comparer *Comparer
	db       *database.DB
	queue    *jobs.Queue
	log      *slog.Logger
}

// New returns the reconciler.
func New(c *Comparer, db *database.DB, queue *jobs.Queue, log *slog.Logger) *Reconciler {
	return &Reconciler{comparer: c, db: db, queue: queue, log: log}
}

// Comparer reads the rows and the content that are compared.
type Comparer struct {
	repository *store.Repository
	blobs      *blob.Store
	clock      clock.Clock
	orphanAge  time.Duration
}

// NewComparer returns the comparer of a deployment.
func NewComparer(r *store.Repository, blobs *blob.Store, c clock.Clock, s settings.Settings) *Comparer {
	return &Comparer{repository: r, blobs: blobs, clock: c, orphanAge: s.OrphanAge}
}

// Compare compares the rows of a company, uuid.Nil for all, with the content that is stored.
func (c *Comparer) Compare(ctx context.Context, company uuid.UUID, removes bool, report func(Finding)) (tally, error) {
	r := &comparison{
		repository: c.repository, blobs: c.blobs, before: c.clock.Now().Add(-c.orphanAge), removes: removes, report: report,
	}
	companies := []uuid.UUID{company}
	if company == uuid.Nil {
		var err error
		if companies, err = c.companies(ctx); err != nil {
			return r.tally, err
		}
	}
	for _, id := range companies {
		ctx := principal.AsCompany(ctx, id)
		if err := errors.Join(r.compare(ctx, id), r.counts(ctx, id)); err != nil {
			return r.tally, fmt.Errorf("company %s: %w", id, err)
		}
	}

	return r.tally, nil
}

// companies are the companies that have rows or content.
func (c *Comparer) companies(ctx context.Context) ([]uuid.UUID, error) {
	all, err := c.repository.CompaniesWithFiles(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := c.blobs.Companies(ctx)
	all = append(all, stored...)
	slices.SortFunc(all, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })

	return slices.Compact(all), err
}

func (r *comparison) addFinding(f Finding) {
	r.tally.Findings++
	if f.Mended {
		r.tally.Mended++
	}
	r.report(f)
}

// compare goes through rows and blobs side by side, both by name. What seems to lack the other is looked at
// once more, since both come and go meanwhile.
func (r *comparison) compare(ctx context.Context, company uuid.UUID) error {
	rows := &rowsByName{repository: r.repository}
	var alone []blob.Info
	for info, err := range r.blobs.List(ctx, receiving.BlobPrefix) {
		if err != nil {
			return err
		}
		r.tally.Blobs++
		if err := r.compareUpTo(ctx, company, rows, info.Name); err != nil {
			return err
		}
		row, there, err := rows.peek(ctx)
		if err != nil {
			return err
		}
		if there && row.BlobName == info.Name {
			rows.next()
			r.tally.Rows++
			r.compareSize(company, row, info)

			continue
		}
		if alone = append(alone, info); len(alone) == batch {
			if err := r.orphans(ctx, company, alone); err != nil {
				return err
			}
			alone = alone[:0]
		}
	}
	if err := r.orphans(ctx, company, alone); err != nil {
		return err
	}

	return r.compareUpTo(ctx, company, rows, "")
}

// compareUpTo looks for the content of the rows before a name, "" for all, which was not listed.
func (r *comparison) compareUpTo(ctx context.Context, company uuid.UUID, rows *rowsByName, name string) error {
	for {
		row, there, err := rows.peek(ctx)
		if err != nil || !there || name != "" && row.BlobName >= name {
			return err
		}
		rows.next()
		r.tally.Rows++
		info, err := r.blobs.Stat(ctx, row.BlobName)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			err = r.missing(ctx, company, row)
		case err == nil:
			r.compareSize(company, row, info)
		}
		if err != nil {
			return err
		}
	}
}

// compareSize reports content that is not as long as its row says.
func (r *comparison) compareSize(company uuid.UUID, row store.Content, info blob.Info) {
	if info.Size != row.Size {
		r.addFinding(Finding{Company: company, Kind: "size", What: fmt.Sprintf("%s: %d bytes, stored are %d", row, row.Size, info.Size)})
	}
}

// rowsByName reads the contents of a company page by page.
type rowsByName struct {
	repository *store.Repository

	page  []store.Content
	after string
	ended bool
}

// peek returns the next row, and whether there is one.
func (n *rowsByName) peek(ctx context.Context) (store.Content, bool, error) {
	if len(n.page) == 0 && !n.ended {
		page, err := n.repository.Contents(ctx, n.after, batch)
		if err != nil {
			return store.Content{}, false, err
		}
		n.page, n.ended = page, len(page) == 0
	}
	if n.ended {
		return store.Content{}, false, nil
	}

	return n.page[0], true, nil
}

func (n *rowsByName) next() {
	n.after, n.page = n.page[0].BlobName, n.page[1:]
}

// missing reports a row without content, unless it was purged meanwhile.
func (r *comparison) missing(ctx context.Context, company uuid.UUID, row store.Content) error {
	known, err := r.repository.KnownBlobs(ctx, []string{row.BlobName})
	if err == nil && known[row.BlobName] {
		r.addFinding(Finding{Company: company, Kind: "missing", What: row.String()})
	}

	return err
}

// orphans reports content that no row is about, and removes it if it is old enough: what is younger may be of
// an upload whose row is about to be made.
func (r *comparison) orphans(ctx context.Context, company uuid.UUID, some []blob.Info) error {
	if len(some) == 0 {
		return nil
	}
	names := make([]string, len(some))
	for i, info := range some {
		names[i] = info.Name
	}
	known, err := r.repository.KnownBlobs(ctx, names)
	if err != nil {
		return err
	}
	for _, info := range some {
		if known[info.Name] || !info.Modified.Before(r.before) {
			continue // its row was made meanwhile, or may be
		}
		f := Finding{Company: company, Kind: "orphan", What: fmt.Sprintf("%s: %d bytes", info.Name, info.Size)}
		if r.removes {
			if err := r.blobs.Discard(ctx, info); err != nil {
				return err
			}
			f.Mended = true
		}
		r.addFinding(f)
	}

	return nil
}

// counts compares what the versions take with what is counted. Uploads between the two statements are no
// finding: it looks again.
func (r *comparison) counts(ctx context.Context, company uuid.UUID) error {
	var total int64
	var used store.Usage
	for range 3 {
		var err error
		if used, err = r.repository.Usage(ctx); err != nil {
			return err
		}
		if total, err = r.repository.TotalSize(ctx, company); err != nil {
			return err
		}
		if used.Bytes == total {
			return nil
		}
	}
	r.addFinding(Finding{Company: company, Kind: "usage", What: fmt.Sprintf("%d bytes, counted are %d", total, used.Bytes)})

	return nil
}
