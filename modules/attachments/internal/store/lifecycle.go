package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/state"
)

// AttachmentItem is the type of attachments as items, and in the log of transitions.
const AttachmentItem = "attachments.attachment"

// Status is a state of an attachment.
type Status string

// The states.
const (
	// Uploading is the state of what has not arrived whole, or was not looked at yet.
	Uploading Status = "uploading"
	// Scanning is the state of what is held until a scanner has looked at it.
	Scanning    Status = "scanning"
	Ready       Status = "ready"
	Quarantined Status = "quarantined"
	Deleted     Status = "deleted"
)

// The verbs.
const (
	VerbReceive    = "receive"
	VerbScan       = "scan"
	VerbRelease    = "release"
	VerbQuarantine = "quarantine"
	VerbDelete     = "delete"
	VerbRestore    = "restore"
)

// Lifecycle is the life of an attachment. No verb is an operation by itself: receiving, scanning and quarantining
// follow from an upload, the others have operations of their own.
var Lifecycle = state.Machine[Status]{
	Item: AttachmentItem, Initial: Uploading,
	Steps: []state.Step[Status]{
		{From: []Status{Uploading, Ready, Quarantined}, Verb: VerbScan, To: Scanning, Automatic: true},
		{From: []Status{Uploading, Scanning}, Verb: VerbReceive, To: Ready, Automatic: true},
		{From: []Status{Uploading, Scanning, Ready}, Verb: VerbQuarantine, To: Quarantined, Automatic: true},
		{From: []Status{Quarantined}, Verb: VerbRelease, To: Ready, Who: state.Who{Scope: QuarantineScope}},
		{From: []Status{Uploading, Scanning, Ready, Quarantined}, Verb: VerbDelete, To: Deleted},
		{From: []Status{Deleted}, Verb: VerbRestore, To: Ready, Guard: state.NewGuard("it is not dangerous", refuseDangerous)},
	},
}

// refuseDangerous keeps what was quarantined, or not looked at yet, from coming back as something that can be read.
func refuseDangerous(_ context.Context, row Attachment) error {
	switch {
	case row.Quarantine != "":
		return ErrQuarantined
	case row.Scan == ScanPending:
		return ErrNotReady.WithDetail("current", string(Scanning))
	default:
		return nil
	}
}

// QuarantineScope is that of who may give out what was found to be dangerous.
const QuarantineScope = "quarantine"
