package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/principal"
)

type linkBegin struct {
	tus.Begin

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

func (t *transfers) postLinkTransfer(ctx context.Context, in *linkBegin) (*begunOutput, error) {
	if err := t.links.limitRate(ctx, "send "+in.Link); err != nil {
		return nil, err
	}
	ctx, row, err := t.links.resolveLink(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	a, err := parseAnnouncement(&in.Begin, "filename", "sha256")
	if err != nil {
		return nil, err
	}
	a.description, a.link = descriptionBy(row, a.FileName), &row

	return t.start(ctx, a, &in.Begin, base+"/uploads/"+in.Link+"/tus")
}

type linkTransferInput struct {
	tus.Request

	Link string    `path:"link" maxLength:"200" doc:"The text of the link."`
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the upload."`
}

// getLinkTransfer tells of a file that has arrived also when its link can be used no more, as after its last upload.
func (t *transfers) getLinkTransfer(ctx context.Context, in *linkTransferInput) (*transferOutput, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	found, err := t.links.made.Known(ctx, sending, in.Link)
	if err != nil {
		return nil, err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := t.find(ctx, in.UUID, &found.Subject.ID)
	if err != nil {
		return nil, err
	}
	if row.AttachmentID == nil {
		_, _, err = t.links.resolveLink(ctx, in.Link)
	} else {
		err = t.notRevoked(ctx, found.Subject.ID)
	}
	if err != nil {
		return nil, err
	}

	return t.showTransfer(ctx, row)
}

// notRevoked refuses a link that was revoked, whether it was used up before or not.
func (t *transfers) notRevoked(ctx context.Context, id uuid.UUID) error {
	row, err := t.files.repository.FindUploadLink(ctx, id)
	if err == nil && row.RevokedAt != nil {
		err = store.ErrLinkVoid
	}

	return concealLinkError(err)
}

type linkMore struct {
	tus.More

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

func (t *transfers) patchLinkTransfer(ctx context.Context, in *linkMore) (*moreOutput, error) {
	ctx, row, err := t.links.resolveLink(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return t.appendPart(ctx, &in.More, &row.ID)
}

func (t *transfers) deleteLinkTransfer(ctx context.Context, in *linkTransferInput) (*struct{}, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	ctx, row, err := t.links.resolveLink(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	if _, err := t.find(ctx, in.UUID, &row.ID); err != nil {
		return nil, err
	}

	return nil, t.discard(ctx, in.UUID)
}
