package store

import (
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of files that arrive bit by bit, and of links.
var (
	ErrTransfer         = errs.New(errs.NotFound, "attachments.transfer_not_found", "This upload does not exist or has expired. Please start again.")
	ErrTusVersion       = errs.New(errs.Stale, "attachments.tus_version", "The request must have the header Tus-Resumable: 1.0.0.")
	ErrTusHeader        = errs.New(errs.Malformed, "attachments.tus_header", "A header of the upload cannot be read.")
	ErrOffset           = errs.New(errs.Conflict, "attachments.offset_conflict", "The upload continues at another offset.")
	ErrChecksum         = errs.New(errs.Corrupted, "attachments.checksum_mismatch", "The bytes do not match the Upload-Checksum and were discarded. Send them again.")
	ErrTransferEnding   = errs.New(errs.Locked, "attachments.transfer_ending", "The upload is complete and is being assembled. Please try again in a moment.")
	ErrTooManyParts     = errs.New(errs.Conflict, "attachments.too_many_parts", "The upload came in too many pieces. Start again with larger ones.")
	ErrTooManyTransfers = errs.New(errs.Conflict, "attachments.too_many_transfers", "Too many uploads are unfinished. Finish or cancel some, or wait until they expire.")
)

// ErrLinkVoid is what strangers are told of a link whose thing is gone: the same as of any other.
var ErrLinkVoid = errs.New(errs.NotFound, "attachments.link_void", "This link is no longer valid. Ask for a new one.")
