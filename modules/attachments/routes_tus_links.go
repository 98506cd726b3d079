package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// linkTransfers are transfers by an upload link.
type linkTransfers struct {
	settings  settings.Settings
	transfers *transfers
	pending   *pending
	door      *door
}

func newLinkTransfers(s settings.Settings, t *transfers, p *pending, d *door) *linkTransfers {
	return &linkTransfers{settings: s, transfers: t, pending: p, door: d}
}

// linkTransferRoutes are the same by an upload link, without a token.
func linkTransferRoutes(r *web.Router, l *linkTransfers) {
	register := tusRoutes{
		router: r, path: "/uploads/{link}/tus", id: "upload_transfer", access: web.Public, max: l.settings,
		errors: append(link.Refusals, store.ErrLinkVoid, store.ErrTooOften),
	}
	web.Register(r, register.discovery("discover_upload_transfers"), l.discoverByLink)
	web.Register(r, register.creation("Begin to send a file bit by bit by an upload link",
		tusAbout+"The keys of Upload-Metadata are `filename` and `sha256`."), l.postLinkTransfer)
	web.Register(r, register.reading(), l.getLinkTransfer)
	web.Register(r, register.sending(), l.patchLinkTransfer)
	web.Register(r, register.termination(), l.deleteLinkTransfer)
}

func (l *linkTransfers) discoverByLink(ctx context.Context, _ *uploadInput) (*tusOptions, error) {
	return l.transfers.discover(ctx, nil)
}

type linkBegin struct {
	tus.Begin

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

func (l *linkTransfers) postLinkTransfer(ctx context.Context, in *linkBegin) (*begunOutput, error) {
	if err := l.door.limitRate(ctx, "send "+in.Link); err != nil {
		return nil, err
	}
	ctx, row, err := l.door.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	a, err := parseAnnouncement(&in.Begin, "filename", "sha256")
	if err != nil {
		return nil, err
	}
	a.Description, a.link = descriptionBy(row, a.FileName), &row

	return l.transfers.start(ctx, a, &in.Begin, store.Base+"/uploads/"+in.Link+"/tus")
}

type linkTransferInput struct {
	tus.Request

	Link string    `path:"link" maxLength:"200" doc:"The text of the link."`
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the upload."`
}

// getLinkTransfer tells of a file that has arrived also when its link can be used no more, as after its last upload.
func (l *linkTransfers) getLinkTransfer(ctx context.Context, in *linkTransferInput) (*transferOutput, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	ctx, upload, err := l.door.look(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	row, err := l.pending.find(ctx, in.UUID, &upload.ID)
	if err != nil {
		return nil, err
	}
	if row.AttachmentID == nil {
		if _, _, err := l.door.enter(ctx, in.Link); err != nil {
			return nil, err
		}
	} else if upload.RevokedAt != nil {
		return nil, store.ErrLinkVoid
	}

	return l.transfers.showTransfer(ctx, row)
}

type linkMore struct {
	tus.More

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

func (l *linkTransfers) patchLinkTransfer(ctx context.Context, in *linkMore) (*moreOutput, error) {
	ctx, row, err := l.door.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return l.transfers.appendPart(ctx, &in.More, &row.ID)
}

func (l *linkTransfers) deleteLinkTransfer(ctx context.Context, in *linkTransferInput) (*struct{}, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	ctx, row, err := l.door.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	if _, err := l.pending.find(ctx, in.UUID, &row.ID); err != nil {
		return nil, err
	}

	return nil, l.pending.discard(ctx, in.UUID)
}
