package attachments

import (
	"context"
	"errors"
	"io"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
)

// transfers take in files bit by bit.
type transfers struct {
	settings settings.Settings
	keeper   *files.Keeper
	pending  *pending
	parts    *parts
	assembly *assembly
}

func newTransfers(s settings.Settings, k *files.Keeper, p *pending, parts *parts, a *assembly) *transfers {
	return &transfers{settings: s, keeper: k, pending: p, parts: parts, assembly: a}
}

// begin makes a transfer. Nothing of it has arrived yet.
func (t *transfers) begin(ctx context.Context, a announcement) (row store.Transfer, err error) {
	if a.Description, err = t.keeper.Check(ctx, a.Description); err != nil {
		return row, err
	}

	return t.pending.begin(ctx, a)
}

// goOn takes in what a request has of a transfer, and makes a file of it if that was the end.
func (t *transfers) goOn(ctx context.Context, row store.Transfer, offset int64, body io.Reader, sum *tus.Checksum) (store.Transfer, error) {
	switch {
	case offset != row.Received:
		return row, wrongOffset(row)
	case row.AttachmentID != nil:
		return row, nil
	case row.Complete():
		return row, store.ErrTransferEnding
	}
	row, err := t.parts.receive(ctx, row, body, sum)
	if errors.Is(err, store.ErrType) {
		return row, errors.Join(err, t.pending.discard(ctx, row.ID))
	}
	if err != nil || !row.Complete() {
		return row, err
	}

	return t.end(ctx, row)
}

// end makes a file of a transfer that the caller has claimed.
func (t *transfers) end(ctx context.Context, row store.Transfer) (store.Transfer, error) {
	file, err := t.assembly.finish(ctx, row)
	if err == nil {
		row.AttachmentID = &file.ID
	}

	return row, err
}
