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
	uploading status = "uploading"
	// scanning is the state of what is held until a scanner has looked at it.
	scanning    status = "scanning"
	ready       status = "ready"
	quarantined status = "quarantined"
	deleted     status = "deleted"
)

// The verbs.
const (
	verbReceive    = "receive"
	verbScan       = "scan"
	verbRelease    = "release"
	verbQuarantine = "quarantine"
	verbDelete     = "delete"
	verbRestore    = "restore"
)

// lifecycle is the life of an attachment. No verb is an operation by itself: receiving, scanning and quarantining
// follow from an upload, the others have operations of their own.
func lifecycle() state.Machine[status] {
	return state.Machine[status]{
		Item: attachmentItem, Initial: uploading,
		Steps: []state.Step[status]{
			{From: []status{uploading, ready, quarantined}, Verb: verbScan, To: scanning, Automatic: true},
			{From: []status{uploading, scanning}, Verb: verbReceive, To: ready, Automatic: true},
			{From: []status{uploading, scanning, ready}, Verb: verbQuarantine, To: quarantined, Automatic: true},
			{From: []status{quarantined}, Verb: verbRelease, To: ready, Who: state.Who{Scope: quarantineScope}},
			{From: []status{uploading, scanning, ready, quarantined}, Verb: verbDelete, To: deleted},
			{From: []status{deleted}, Verb: verbRestore, To: ready, Guard: state.Guarded("it is not dangerous", harmless)},
		},
	}
}

// harmless keeps what was quarantined, or not looked at yet, from coming back as something that can be read.
func harmless(_ context.Context, row attachment) error {
	switch {
	case row.Quarantine != "":
		return errPoisoned
	case row.Scan == scanPending:
		return errNotReady.WithDetail("current", string(scanning))
	default:
		return nil
	}
}
