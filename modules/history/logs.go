package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// logs are what the platform keeps of the items of all areas.
type logs struct {
	trail  *audit.Log
	states *state.Log
	bus    *events.Bus
	items  *item.Registry

	resources *resource.Engine
}

func newLogs(trail *audit.Log, states *state.Log, bus *events.Bus, items *item.Registry, resources *resource.Engine) *logs {
	return &logs{trail: trail, states: states, bus: bus, items: items, resources: resources}
}

// changes returns entries of the audit trail.
func (l *logs) changes(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	found, err := l.trail.Timeline(ctx, q, actionCreated)
	if err != nil {
		return nil, err
	}
	labels, err := l.labels(ctx, found)
	if err != nil {
		return nil, err
	}
	called := l.called()
	entries := make([]timeline.Entry, len(found))
	for i, r := range found {
		e := timeline.Entry{
			ID: r.ID, At: database.TimeOf(r.ID), Kind: "change", Item: item.Ref{Type: r.Item.Type, UUID: r.Item.UUID},
			Actor:   timeline.Actor{Kind: r.ActorKind, User: r.Actor, Token: r.Token},
			Details: map[string]any{"action": r.Action, "operation": r.Operation}, Checked: true,
			Changes: l.shown(ctx, r.Item.Type, changesOf(r, labels[item.Class{Type: r.Item.Type, Part: r.Item.Part}])),
		}
		if e.Item.Type == "" { // made of a call alone: which thing it was about is known only where its type is
			e.Item = q.Item
		}
		e.Title = titleOf(r, called, e.Changes)
		entries[i] = e
	}

	return entries, nil
}

// called returns what people call things, by type.
func (l *logs) called() map[string]string {
	called := map[string]string{}
	for _, t := range l.items.Types() {
		called[t.Type] = t.Title
	}

	return called
}

// titleOf says in a line what an entry of the trail is about.
func titleOf(r audit.Recorded, called map[string]string, changes []timeline.Change) string {
	if !strings.Contains(r.Action, ".") { // the id of an operation, which begins with its area's
		for itemType := range called {
			if operation, ok := strings.CutPrefix(r.Action, item.Ref{Type: itemType}.Area()+"_"); ok {
				return spacedName(operation)
			}
		}

		return spacedName(r.Action)
	}
	title := eventAction(r.Action, called[r.Item.Type])
	if len(changes) == 0 {
		return title
	}
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Label
	}
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], "…")
	}

	return title + ": " + strings.Join(names, ", ")
}

// shown returns changes of an item of a type without the values that the caller may not see.
func (l *logs) shown(ctx context.Context, itemType string, changes []timeline.Change) []timeline.Change {
	for i, c := range changes {
		changes[i].Before, changes[i].After = l.resources.ShowChange(ctx, itemType, c.Key, c.Before), l.resources.ShowChange(ctx, itemType, c.Key, c.After)
	}

	return changes
}

// change is a value before and after, as the trail has it.
type change struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// changesOf returns what an entry of the trail says of values, by key, as the trail shows it.
func changesOf(r audit.Recorded, labels map[string]string) []timeline.Change {
	var values map[string]change
	if r.Changes == nil || json.Unmarshal(r.Changes, &values) != nil { // tampered with: verifying finds it
		return nil
	}
	changes := make([]timeline.Change, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		changes = append(changes, timeline.Change{
			Key: key, Label: cmp.Or(labels[key], spacedName(key)), Before: values[key].Before, After: values[key].After,
		})
	}

	return changes
}

// labels returns what the fields of the items of some entries are called, by class and key: one question for each type. Of
// what is no item, or has no fields for the caller, nothing is known.
func (l *logs) labels(ctx context.Context, found []audit.Recorded) (map[item.Class]map[string]string, error) {
	classes := map[string][]item.Class{}
	for _, r := range found {
		class := item.Class{Type: r.Item.Type, Part: r.Item.Part}
		if class.Type != "" && r.Changes != nil && !slices.Contains(classes[class.Type], class) {
			classes[class.Type] = append(classes[class.Type], class)
		}
	}
	labels := map[item.Class]map[string]string{}
	for _, of := range classes {
		fields, err := l.items.Fields(ctx, of...)
		if _, expected := errors.AsType[*errs.Error](err); expected {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, class := range of {
			labels[class] = map[string]string{}
			for _, f := range fields[i] {
				labels[class][f.Key] = f.Label
			}
		}
	}

	return labels, nil
}

// transitions returns moves from one state to another.
func (l *logs) transitions(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	found, err := l.states.Timeline(ctx, q)
	entries := make([]timeline.Entry, len(found))
	for i, t := range found {
		entries[i] = timeline.Entry{
			ID: t.ID, At: database.TimeOf(t.ID), Kind: "transition", Item: t.Item, Text: t.Reason, Checked: true,
			Title:   "State changed from " + strings.ReplaceAll(t.From, "_", " ") + " to " + strings.ReplaceAll(t.To, "_", " "),
			Actor:   timeline.Actor{Kind: t.ActorKind, User: t.Actor},
			Details: map[string]any{"from": t.From, "to": t.To, "verb": t.Verb, "party": t.Party},
		}
	}

	return entries, err
}

// events returns events that name an item.
func (l *logs) events(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	found, err := l.bus.Timeline(ctx, q)
	entries := make([]timeline.Entry, len(found))
	for i, e := range found {
		var said struct {
			State  string `json:"state"`
			Reason string `json:"reason"`
		}
		if json.Unmarshal(e.Payload, &said) != nil { // another type of state: nothing to say in words
			said.State = ""
		}
		title := eventAction(e.Name, "")
		if said.State != "" {
			title += ": " + strings.ReplaceAll(said.State, "_", " ")
		}
		entries[i] = timeline.Entry{
			ID: e.ID, At: database.TimeOf(e.ID), Kind: "event", Item: e.Item, Title: title, Text: said.Reason,
			Actor: events.ActorOf(e.Actor), Details: map[string]any{"event": e.Name, "payload": e.Payload},
		}
	}

	return entries, err
}
