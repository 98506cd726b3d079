package attachments

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/state"
)

// attachmentItem is the type of attachments as items, and in the log of transitions.
const attachmentItem = "attachments.attachment"

type status string

const (
	// uploading is the state of what has not arrived whole, or was not looked at yet.
	uploading   status = "uploading"
	ready       status = "ready"
	quarantined status = "quarantined"
	deleted     status = "deleted"
)

// The verbs.
const (
	verbReceive    = "receive"
	verbQuarantine = "quarantine"
	verbDelete     = "delete"
	verbRestore    = "restore"
)

// lifecycle is the life of an attachment. No verb is an operation by itself: receiving and quarantining follow
// from an upload, deleting and restoring have operations of their own.
func lifecycle() state.Machine[status] {
	return state.Machine[status]{
		Item: attachmentItem, Initial: uploading,
		Steps: []state.Step[status]{
			{From: []status{uploading}, Verb: verbReceive, To: ready},
			{From: []status{uploading, ready}, Verb: verbQuarantine, To: quarantined},
			{From: []status{uploading, ready, quarantined}, Verb: verbDelete, To: deleted},
			{From: []status{deleted}, Verb: verbRestore, To: ready, Guard: state.Guarded("it was not quarantined", notPoisoned)},
		},
	}
}

// notPoisoned keeps what was quarantined from coming back as something that can be read.
func notPoisoned(_ context.Context, row attachment) error {
	if row.Quarantine != "" {
		return errPoisoned
	}

	return nil
}
