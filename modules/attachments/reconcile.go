package attachments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// reconcileEvery is how often rows and content are compared: with orphan_age as it is, no content that no row
	// is about stays for a day.
	reconcileEvery = 6 * time.Hour
	// reconcileBatch is how many rows and blobs are compared at a time.
	reconcileBatch = 500
)

// finding is where rows and content disagree.
type finding struct {
	Company uuid.UUID
	// Kind is "orphan", content that no row is about; "missing", a row whose content is not there; "size", a row
	// whose content is shorter or longer; or "usage", a company whose bytes are counted wrong.
	Kind string
	// What is the blob, or the attachment and its version.
	What   string
	Mended bool
}

// String is the finding as the command prints it.
func (f finding) String() string {
	text := fmt.Sprintf("%s: company %s %s", f.Kind, f.Company, f.What)
	if f.Mended {
		text += " (removed)"
	}

	return text
}

// tally is what reconciling has looked at and found.
type tally struct{ Rows, Blobs, Findings, Mended int }

// reconciler compares rows with content.
type reconciler struct {
	*service

	// removes says that content is removed that no row is about and that is old enough.
	removes bool
	report  func(finding)
	tally   tally
}

// reconcile compares the rows of a company, uuid.Nil for all, with the content that is stored.
func (s *service) reconcile(ctx context.Context, company uuid.UUID, removes bool, report func(finding)) (tally, error) {
	r := &reconciler{service: s, removes: removes, report: report}
	companies := []uuid.UUID{company}
	if company == uuid.Nil {
		var err error
		if companies, err = s.everybody(ctx); err != nil {
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

// everybody are the companies that have rows or content.
func (s *service) everybody(ctx context.Context) ([]uuid.UUID, error) {
	all, err := s.repository.companiesWithFiles(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := s.storage.files.Companies(ctx)
	all = append(all, stored...)
	slices.SortFunc(all, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })

	return slices.Compact(all), err
}

func (r *reconciler) found(f finding) {
	r.tally.Findings++
	if f.Mended {
		r.tally.Mended++
	}
	r.report(f)
}

// compare goes through rows and blobs side by side, both by name. What seems to lack the other is looked at
// once more, since both come and go meanwhile.
func (r *reconciler) compare(ctx context.Context, company uuid.UUID) error {
	rows := &rowsByName{r: r}
	var alone []blob.Info
	for info, err := range r.storage.files.List(ctx, blobArea) {
		if err != nil {
			return err
		}
		r.tally.Blobs++
		if err := r.upTo(ctx, company, rows, info.Name); err != nil {
			return err
		}
		row, there, err := rows.peek(ctx)
		if err != nil {
			return err
		}
		if there && row.BlobName == info.Name {
			rows.next()
			r.sized(company, row, info)

			continue
		}
		if alone = append(alone, info); len(alone) == reconcileBatch {
			if err := r.orphans(ctx, company, alone); err != nil {
				return err
			}
			alone = alone[:0]
		}
	}
	if err := r.orphans(ctx, company, alone); err != nil {
		return err
	}

	return r.upTo(ctx, company, rows, "")
}

// upTo looks for the content of the rows before a name, "" for all, which was not listed.
func (r *reconciler) upTo(ctx context.Context, company uuid.UUID, rows *rowsByName, name string) error {
	for {
		row, there, err := rows.peek(ctx)
		if err != nil || !there || name != "" && row.BlobName >= name {
			return err
		}
		rows.next()
		info, err := r.storage.files.Stat(ctx, row.BlobName)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			err = r.missing(ctx, company, row)
		case err == nil:
			r.sized(company, row, info)
		}
		if err != nil {
			return err
		}
	}
}

// sized reports content that is not as long as its row says.
func (r *reconciler) sized(company uuid.UUID, row content, info blob.Info) {
	if info.Size != row.Size {
		r.found(finding{Company: company, Kind: "size", What: fmt.Sprintf("%s: %d bytes, stored are %d", row, row.Size, info.Size)})
	}
}

// rowsByName reads the contents of a company page by page.
type rowsByName struct {
	r     *reconciler
	page  []content
	after string
	ended bool
}

// peek returns the next row, and whether there is one.
func (n *rowsByName) peek(ctx context.Context) (content, bool, error) {
	if len(n.page) == 0 && !n.ended {
		page, err := n.r.repository.contents(ctx, n.after, reconcileBatch)
		if err != nil {
			return content{}, false, err
		}
		n.page, n.ended = page, len(page) == 0
	}
	if n.ended {
		return content{}, false, nil
	}

	return n.page[0], true, nil
}

func (n *rowsByName) next() {
	n.r.tally.Rows++
	n.after, n.page = n.page[0].BlobName, n.page[1:]
}

// String names the content for people.
func (c content) String() string {
	return fmt.Sprintf("attachment %s version %d", c.AttachmentID, c.Number)
}

// missing reports a row without content, unless it was purged meanwhile.
func (r *reconciler) missing(ctx context.Context, company uuid.UUID, row content) error {
	known, err := r.repository.known(ctx, []string{row.BlobName})
	if err == nil && known[row.BlobName] {
		r.found(finding{Company: company, Kind: "missing", What: row.String()})
	}

	return err
}

// orphans reports content that no row is about, and removes it if it is old enough: what is younger may be of
// an upload whose row is about to be made.
func (r *reconciler) orphans(ctx context.Context, company uuid.UUID, some []blob.Info) error {
	if len(some) == 0 {
		return nil
	}
	names := make([]string, len(some))
	for i, info := range some {
		names[i] = info.Name
	}
	known, err := r.repository.known(ctx, names)
	if err != nil {
		return err
	}
	before := r.clock.Now().Add(-r.settings.OrphanAge)
	for _, info := range some {
		if known[info.Name] || !info.Modified.Before(before) {
			continue // its row was made meanwhile, or may be
		}
		f := finding{Company: company, Kind: "orphan", What: fmt.Sprintf("%s: %d bytes", info.Name, info.Size)}
		if r.removes {
			if err := r.storage.files.Discard(ctx, info); err != nil {
				return err
			}
			f.Mended = true
		}
		r.found(f)
	}

	return nil
}

// counts compares what the versions take with what is counted. Uploads between the two statements are no
// finding: it looks again.
func (r *reconciler) counts(ctx context.Context, company uuid.UUID) error {
	var total int64
	var used usage
	for range 3 {
		var err error
		if used, err = r.repository.usage(ctx); err != nil {
			return err
		}
		if total, err = r.repository.total(ctx, company); err != nil {
			return err
		}
		if used.Bytes == total {
			return nil
		}
	}
	r.found(finding{Company: company, Kind: "usage", What: fmt.Sprintf("%d bytes, counted are %d", total, used.Bytes)})

	return nil
}
