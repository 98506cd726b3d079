package custommodules

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// sensitiveScope is what seeing and setting the values of sensitive fields takes.
const (
	sensitiveAction = "sensitive"
	sensitiveScope  = custommodulesapi.Area + ":" + sensitiveAction
)

// seesSensitive reports whether the caller may see the values of sensitive fields.
func seesSensitive(ctx context.Context) bool {
	caller, _ := principal.From(ctx)

	return caller.Allows(sensitiveScope)
}

// seenBy returns the definition as the caller knows it: without the incoming fields, and without the sensitive fields unless he has their
// scope. Whatever shows, filters or sorts goes by it, so that a field which is not in it is to him as
// unknown as one that there never was. What writes goes by the whole definition.
func (d *definition) seenBy(ctx context.Context) *definition {
	switch {
	case d.open != nil && !seesSensitive(ctx):
		return d.open
	case d.public != nil:
		return d.public
	default:
		return d
	}
}

// withhold makes the definition for those who may not see sensitive fields, nil if there are none, and that
// without those that nobody sees.
func (d *definition) withhold() {
	if len(d.arriving)+len(d.mirrors) > 0 {
		public := slices.DeleteFunc(slices.Clone(d.fields), (*moduleField).unseen)
		d.public = newDefinition(d.module, d.revision, public, d.dialect)
		d.open = d.public.open

		return
	}
	var open []*moduleField
	var withheld []string
	var hidden []uuid.UUID
	for _, f := range d.fields {
		if f.sensitive {
			withheld = append(withheld, f.key)
			hidden = append(hidden, f.id)
		} else {
			open = append(open, f)
		}
	}
	if len(withheld) > 0 {
		d.open = newDefinition(d.module, d.revision, open, d.dialect)
		d.open.withheld, d.open.hidden = withheld, hidden
	}
}

// checkSensitive refuses a payload that sets fields which the caller may not see. It goes before
// everything else that looks at values: a caller who could try values out would learn what they are.
func (d *definition) checkSensitive(ctx context.Context, payload []byte) error {
	if d.open == nil || seesSensitive(ctx) {
		return nil
	}
	var found problems
	for name := range rawjson.Members(payload) {
		if i, ok := d.find(name); ok && d.fields[i].sensitive {
			f := d.fields[i]
			found.add("payload."+f.key, "The "+f.spoken+" is sensitive: that takes the scope "+sensitiveScope+".")
		}
	}

	return found.as(errInvalidPayload, "payload")
}

// shownWarnings are the warnings about fields that the definition has.
func (d *definition) shownWarnings(all map[string][]string) map[string][]string {
	if len(d.withheld) == 0 {
		return all
	}
	shown := map[string][]string{}
	for path, messages := range all {
		if d.field(strings.TrimPrefix(path, "payload.")) != nil {
			shown[path] = messages
		}
	}

	return shown
}
