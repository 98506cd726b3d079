package robot

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Voice answers offers by links, as carriers do.
type Voice struct {
	writer  *messages.Writer
	links   *share.Service
	outside *outsider.Caller
	db      *database.DB
}

// NewVoice returns a Voice.
func NewVoice(w *messages.Writer, links *share.Service, outside *outsider.Caller, db *database.DB) *Voice {
	return &Voice{w, links, outside, db}
}

// answer answers an offer by a link of its own. A refusal is an answer, too.
func (v *Voice) answer(ctx context.Context, o store.Offer, path string, body map[string]any) error {
	var made share.Share
	err := v.db.InTx(ctx, func(ctx context.Context) error {
		given, err := v.writer.OfferLink(ctx, o)
		if err == nil {
			made, err = v.links.Give(ctx, given, share.Create{})
		}

		return err
	})
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(made.URL, messages.CarrierPath)
	content, err := json.Marshal(body)
	if err == nil {
		_, err = v.outside.Post(ctx, messages.CarrierPath+text+path, "application/json", content)
	}

	return err
}
