package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of files that arrive bit by bit, and of links.
var (
	ErrTransfer         = errs.New(errs.NotFound, "attachments.transfer_not_found", "This upload does not exist or has expired. Please start again.")
	ErrTusVersion       = errs.New(errs.Stale, "attachments.tus_version", "The request must have the header Tus-Resumable: 1.0.0.")
	ErrTusHeader        = errs.New(errs.Malformed, "attachments.tus_header", "A header of the upload cannot be read.")
	ErrOffset           = errs.New(errs.Conflict, "attachments.offset_conflict", "The upload goes on at another offset.")
	ErrChecksum         = errs.New(errs.Corrupted, "attachments.checksum_mismatch", "The bytes that arrived are not those of the Upload-Checksum. They were not kept.")
	ErrTransferEnding   = errs.New(errs.Locked, "attachments.transfer_ending", "All has arrived, and is being put together. Please look again in a moment.")
	ErrTooManyParts     = errs.New(errs.Conflict, "attachments.too_many_parts", "The upload came in too many pieces. Please begin again, and send more at a time.")
	ErrTooManyTransfers = errs.New(errs.Conflict, "attachments.too_many_transfers", "Too many uploads have begun and not ended. Please end some, or wait.")
)

// ErrLinkVoid is what strangers are told of a link whose thing is gone: the same as of any other.
var ErrLinkVoid = errs.New(errs.NotFound, "attachments.link_void", "This link is no longer valid. Ask for a new one.")
