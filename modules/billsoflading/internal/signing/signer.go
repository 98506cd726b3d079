// Package signing takes the signatures of both sides, and moves the custody of the vehicles once both have signed.
package signing

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/bills"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Signer takes the signatures of both sides.
type Signer struct {
	follower   *bills.Follower
	signatures *resource.Resource[store.Signature]
	rows       *store.Repository
	custody    *Custody
	clock      clock.Clock
}

// NewSigner returns a Signer.
func NewSigner(f *bills.Follower, signatures *resource.Resource[store.Signature], rows *store.Repository, moved *Custody, c clock.Clock) *Signer {
	return &Signer{f, signatures, rows, moved, c}
}

// Sign stores a signature. When the driver and the other side have signed, the vehicles have changed hands.
func (k *Signer) Sign(ctx context.Context, e Entry, touchless bool) (made store.Signature, err error) {
	err = k.rows.InTx(ctx, func(ctx context.Context) error {
		c, err := k.follower.Current(ctx, e.BOL, e.Stage)
		if err != nil {
			return err
		}
		if err := e.check(c.Bill); err != nil {
			return err
		}
		b, err := k.follower.Signable(ctx, c, e.Stage)
		if err != nil {
			return err
		}
		before, err := k.rows.SignaturesOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(before, func(s store.Signature) bool { return s.Stage == e.Stage && s.Role == e.Role }) {
			return store.ErrSigned.WithMessage("The %s has already signed at the %s.", e.Role, e.Stage)
		}
		inspections, err := k.rows.InspectionsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if err := inspecting.Ready(b, inspections, e.Stage); err != nil {
			return err
		}
		at, ahead := b.EventTime(e.OccurredAt, k.clock.Now())
		if made, err = k.signatures.Create(ctx, store.Signature{
			BOL: b.ID, Load: b.Load, Stage: e.Stage, Role: e.Role, Name: e.Name, Position: e.Title, Method: e.Method, Touchless: touchless, Reason: e.Reason,
			Strokes: e.Strokes, Statement: Statement(e.Stage, e.Role), SignedAt: &at, ClockAhead: ahead, Place: e.Position, Address: web.ClientIP(ctx),
		}); err != nil {
			return err
		}
		if !slices.ContainsFunc(before, func(s store.Signature) bool { return s.Stage == e.Stage && s.Role != e.Role }) {
			return nil // the other side has yet to sign
		}

		return k.custody.move(ctx, b, e.Stage, at)
	})

	return made, err
}

type signInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body Entry
}

// SignRoutes are the company's operations on signatures.
func SignRoutes(r *web.Router, k *Signer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/signatures", ID: "sign_bol", Access: web.Write, Summary: "Sign a bill of lading",
		Description: "Such as from paper. When the driver and the other side have signed, the vehicles have changed hands; the load follows.",
		Errors:      append(append([]*errs.Error{k.custody.unknownBill()}, store.EntryErrors()...), state.ErrNotAllowed, state.ErrMoved),
	}, func(ctx context.Context, in *signInput) (*web.Resource[store.Signature], error) {
		in.Body.BOL = in.UUID
		row, err := k.Sign(ctx, in.Body, false)

		return k.signatures.Answer(ctx, row, err)
	})
}
