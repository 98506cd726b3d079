package giving

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/making"
	"github.com/dispatchd/dispatchd/modules/documents/internal/reading"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Voider ends documents.
type Voider struct {
	reader *reading.Reader
	rows   *resource.Resource[store.Document]
	ending *Ending
	signer *Signer
	db     *database.DB
}

// NewVoider returns a Voider.
func NewVoider(r *reading.Reader, rows *resource.Resource[store.Document], e *Ending, s *Signer, db *database.DB) *Voider {
	return &Voider{r, rows, e, s, db}
}

// Ending is what ends along with a document.
type Ending struct {
	links *link.Service
	queue *jobs.Queue
	clock clock.Clock
}

// NewEnding returns an Ending.
func NewEnding(l *link.Service, q *jobs.Queue, c clock.Clock) *Ending { return &Ending{l, q, c} }

// mark says when and why a document became void.
func (e *Ending) mark(d *store.Document, reason string) {
	now := e.clock.Now()
	d.VoidedAt, d.VoidReason = &now, reason
}

// follow ends the links of a document, and has its PDF stamped.
func (e *Ending) follow(ctx context.Context, d store.Document) error {
	if _, err := e.links.RevokeAll(ctx, Reading, subjectOf(d.ID)); err != nil {
		return err
	}

	return e.queue.Enqueue(ctx, making.Stamp{Document: d.ID})
}

type voidInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"1000" example:"The customer has canceled."`
	}
}

// VoidRoutes registers the operation.
func VoidRoutes(r *web.Router, v *Voider) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/documents/{uuid}/void", ID: "void_document", Access: web.Scope("void"), Summary: "Void a document",
		Description: "Its links end, an envelope in which it is waits for no more signatures, and its PDF has the stamp VOID on each page from then on. A signed document cannot be voided.",
		Errors:      []*errs.Error{v.reader.NotFound(), store.ErrInvalid, store.ErrSigned, state.ErrNotAllowed, state.ErrMoved, state.ErrNotYours, state.ErrNoReason},
	}, v.void)
}

func (v *Voider) void(ctx context.Context, in *voidInput) (*web.Resource[store.Document], error) {
	d, err := v.reader.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	err = v.db.InTx(ctx, func(ctx context.Context) error {
		d, err = v.rows.Change(ctx, in.UUID, in.IfMatch, store.VerbVoid, func(ctx context.Context, d *store.Document) error {
			if d.Delivery == store.Signed {
				return store.ErrSigned
			}
			v.ending.mark(d, in.Body.Reason)

			return v.rows.Step(ctx, d, state.Move{Verb: string(store.VerbVoid), Reason: in.Body.Reason})
		})
		if err != nil {
			return err
		}
		if err := v.signer.void(ctx, d, in.Body.Reason); err != nil {
			return err
		}

		return v.ending.follow(ctx, d)
	})

	return v.rows.Answer(ctx, d, err)
}
